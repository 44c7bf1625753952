import FolderWatching
import Glibc
import SystemPackage
import Testing

extension RealInotify {
  /// Every way in which a file comes to a stream directory.
  @Suite struct InotifyFileTests {
    /// Does `change` in a watched container; returns the events, all of which have come.
    private func events(
      _ change: (TemporaryContainer) -> Void
    ) async throws -> [FolderEvent] {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let recorder = Recorder()
      let watcher = folder.watcher()
      #expect(try await watcher.start { recorder.note($0) } == .inotify)
      change(folder)
      #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
      await watcher.stop()
      return recorder.events
    }

    @Test func aRenameFromElsewhereIsOneEvent() async throws {
      let events = try await events { folder in
        makeFile(folder.root.appending("x"))
        move(folder.root.appending("x"), folder.logs.appending("a/x.log"))
      }
      #expect(events == [.changed("a")])
    }

    @Test func aRenameFromASyncersTemporaryNameIsOneEvent() async throws {
      let events = try await events { folder in
        let temporary = folder.logs.appending("a/.syncthing.x.log.tmp")
        makeFile(temporary)
        move(temporary, folder.logs.appending("a/x.log"))
      }
      #expect(events == [.changed("a")])
    }

    @Test func aHardLinkIsOneEvent() async throws {
      let events = try await events { folder in
        makeFile(folder.root.appending("x"))
        link(folder.root.appending("x").string, folder.logs.appending("a/x.log").string)
      }
      #expect(events == [.changed("a")])
    }

    @Test func aLinkedTemporaryWithoutANameIsOneEvent() async throws {
      let events = try await events { folder in
        // O_TMPFILE, which Swift's Glibc module leaves out.
        let file = open(folder.logs.appending("a").string, 0o20_200_000 | O_WRONLY, 0o644)
        #expect(file >= 0)
        let target = folder.logs.appending("a/x.log").string
        #expect(linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, target, 0x400) == 0)
        close(file)
      }
      #expect(events.first == .changed("a"))
      #expect(Set(events) == [.changed("a")])
    }

    @Test func aFileWrittenInPlaceAndADeletedOneAreReported() async throws {
      let written = try await events { makeFile($0.logs.appending("a/x.log")) }
      #expect(Set(written) == [.changed("a")])
      let deleted = try await events { folder in
        makeFile(folder.logs.appending("a/.x"))
        unlink(folder.logs.appending("a/.x").string)
      }
      #expect(deleted == [])
    }

    @Test func theRestOfTheContainerIsNotReported() async throws {
      let events = try await events { folder in
        makeDirectory(folder.container.appending("Documents"))
        makeFile(folder.container.appending("Documents/letter"))
        makeFile(folder.logs.appending("x.log"))
        makeDirectory(folder.logs.appending("a/deep"))
        makeFile(folder.logs.appending("a/deep/x.log"))
      }
      #expect(events == [])
    }

    // Lesson 10.
    @Test func aNetworkFileSystemIsPolled() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let clock = ManualClock()
      let recorder = Recorder()
      let watcher = folder.watcher(fileSystem: "FUSE", clock: clock)
      let mode = try await watcher.start { recorder.note($0) }
      #expect(mode == .polling(.fileSystem("FUSE")))
      makeFile(folder.logs.appending("a/x.log"))
      await eventually { !clock.wakeUps.isEmpty }
      clock.advance(by: .seconds(5))
      await eventually { recorder.events == [.rescan] }
      await watcher.stop()
    }
  }
}
