import CInotifyTools
import FolderWatching
import Glibc
import Testing

extension RealInotify {
  /// Which of a process's descriptors is the one that libinotifytools hides.
  @Suite struct InotifyDescriptorTests {
    @Test func isFoundAlsoIfAnotherThreadMakesAnInstanceMeanwhile() throws {
      var (looks, other): (Int, Int32) = (0, -1)
      let library = try InotifyLibrary(watching: "/tmp", mask: UInt32(IN_CREATE | IN_ONLYDIR)) {
        looks += 1
        if looks == 2 { other = inotify_init1(Int32(O_CLOEXEC)) }
        return InotifyInstance.all()
      }
      defer { close(other) }
      #expect(looks >= 4)
      #expect(InotifyInstance.all().isSuperset(of: [library.descriptor, other]))
      #expect(library.descriptor != other)
      library.end()
      #expect(InotifyInstance.all().contains(other))
    }

    @Test func isFoundAlsoIfItIsThatOfAnInstanceWhichAnotherThreadEndsMeanwhile() throws {
      var (looks, other): (Int, Int32) = (0, inotify_init1(Int32(O_CLOEXEC)))
      let library = try InotifyLibrary(watching: "/tmp", mask: UInt32(IN_CREATE | IN_ONLYDIR)) {
        looks += 1
        defer {
          // The library's has its number, and the next one of the other thread is new.
          if looks == 1 { close(other) }
        }
        if looks == 2 { other = inotify_init1(Int32(O_CLOEXEC)) }
        return InotifyInstance.all()
      }
      defer { close(other) }
      #expect(library.descriptor != other)
      library.end()
      #expect(InotifyInstance.all() == [other])
    }
  }
}
