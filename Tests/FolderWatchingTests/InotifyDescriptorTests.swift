import CInotifyTools
import FolderWatching
import Glibc
import Testing

extension RealInotify {
  /// Which of a process's descriptors is the one that libinotifytools hides.
  @Suite struct InotifyDescriptorTests {
    @Test func isFoundAlsoIfAnotherThreadMakesAnInstanceMeanwhile() throws {
      var (looks, other): (Int, Int32) = (0, -1)
      let library = try InotifyLibrary {
        looks += 1
        if looks == 2 { other = inotify_init1(Int32(O_CLOEXEC)) }
        return InotifyLibrary.inotifyDescriptors()
      }
      defer { close(other) }
      #expect(looks >= 4)
      #expect(InotifyLibrary.inotifyDescriptors().isSuperset(of: [library.descriptor, other]))
      #expect(library.descriptor != other)
      library.end()
      #expect(InotifyLibrary.inotifyDescriptors().contains(other))
    }
  }
}
