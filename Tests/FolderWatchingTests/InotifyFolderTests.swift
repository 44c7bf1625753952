import FolderWatching
import Glibc
import SystemPackage
import Testing

extension RealInotify {
  /// Directories that come, go and come back.
  @Suite struct InotifyFolderTests {
    private let clock = ManualClock()
    private let recorder = Recorder()

    private func watching(
      _ folder: TemporaryContainer, _ body: (FolderWatcher) async throws -> Void
    ) async throws {
      let watcher = folder.watcher(clock: clock)
      _ = try await watcher.start { recorder.note($0) }
      try await body(watcher)
      await watcher.stop()
      folder.remove()
    }

    /// Waits until the barriers that an overflow ends are ended: that comes after it is told, and
    /// would end one that begins in between.
    private func outlast(_ watcher: FolderWatcher) async {
      _ = await watcher.barrier(deadline: .seconds(10))
    }

    /// Whether a file put into the stream is reported.
    private func sees(_ stream: FilePath, _ watcher: FolderWatcher) async -> Bool {
      recorder.clear()
      makeFile(stream.appending("probe-\(clock.now.offset).log"))
      clock.advance(by: .nanoseconds(1))
      #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
      guard let name = stream.lastComponent else { return false }
      return recorder.events.contains(.changed(name))
    }

    /// A container whose marker has gone is away; where it comes back, nothing else may tell of it.
    @Test func theMarkersReturnHasAllLookedAtAgain() async throws {
      let folder = try TemporaryContainer()
      try await watching(folder) { watcher in
        let marker = folder.container.appending("feedsync.container")
        makeFile(folder.root.appending("marker"))
        move(folder.root.appending("marker"), marker)
        await eventually { recorder.events == [.overflow] }
        await outlast(watcher)
        #expect(await sees(folder.logs.appending("a"), watcher))
      }
    }

    @Test func aNewStreamIsReportedAndWatched() async throws {
      let folder = try TemporaryContainer()
      try await watching(folder) { watcher in
        makeDirectory(folder.logs.appending("b"))
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(recorder.events == [.appeared("b")])
        #expect(await sees(folder.logs.appending("b"), watcher))
      }
    }

    /// Such as ‘Übung’ in Latin-1.
    @Test func aNewStreamIsReportedAndWatchedInAFolderWhoseNameIsNotUTF8() async throws {
      let bytes = [CChar(bitPattern: 0xDC)] + "bung".utf8CString
      let folder = try TemporaryContainer(
        name: try #require(FilePath.Component(platformString: bytes)))
      try await watching(folder) { watcher in
        makeDirectory(folder.logs.appending("b"))
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(recorder.events == [.appeared("b")])
        #expect(await sees(folder.logs.appending("b"), watcher))
      }
    }

    @Test func aStreamMadeAnewUnderTheSameNameIsWatched() async throws {
      let folder = try TemporaryContainer()
      let stream = folder.logs.appending("a")
      try await watching(folder) { watcher in
        for _ in 0..<3 {
          removeTree(stream)
          makeDirectory(stream)
          #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
          #expect(recorder.events.suffix(2) == [.changed("a"), .appeared("a")])
          #expect(await sees(stream, watcher))
        }
      }
    }

    @Test func aStreamThatIsRenamedIsReportedUnderItsNewName() async throws {
      let folder = try TemporaryContainer()
      try await watching(folder) { watcher in
        move(folder.logs.appending("a"), folder.logs.appending("b"))
        await eventually { recorder.events.contains(.overflow) }
        await outlast(watcher)
        #expect(await sees(folder.logs.appending("b"), watcher))
      }
    }

    @Test func aNameThatIsNotUTF8IsKept() async throws {
      let folder = try TemporaryContainer()
      try await watching(folder) { watcher in
        let bytes = [CChar](arrayLiteral: 0x62, -1, 0)
        let name = try #require(FilePath.Component(platformString: bytes))
        folder.logs.appending(name).withPlatformString { _ = mkdir($0, 0o755) }
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        folder.logs.appending(name).appending("x").withPlatformString {
          _ = close(open($0, O_CREAT | O_WRONLY, 0o644))
        }
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(recorder.events.first == .appeared(name))
        #expect(recorder.events.last == .changed(name))
        folder.logs.appending(name).appending("x").withPlatformString { _ = unlink($0) }
        folder.logs.appending(name).withPlatformString { _ = rmdir($0) }
      }
    }

    /// A mount on it makes no event.
    @Test func aFolderWithNothingInItMayBeWhereSomethingIsToBeMounted() async throws {
      let folder = try TemporaryContainer(streams: [])
      rmdir(folder.logs.string)
      try await watching(folder) { watcher in
        #expect(watcher.mode == .polling(.folderMissing))
        // Something else than the marker, so that no event tells.
        makeFile(folder.container.appending("other"))
        await eventually { clock.wakeUps == [.seconds(5)] }
        clock.advance(by: .seconds(5))
        await eventually { watcher.mode == .inotify }
        await outlast(watcher)
        makeDirectory(folder.logs)
        makeDirectory(folder.logs.appending("b"))
        await eventually { recorder.events.last == .overflow }
        await outlast(watcher)
        #expect(await sees(folder.logs.appending("b"), watcher))
      }
    }

    @Test func logsThatAppearLaterAreWatched() async throws {
      let folder = try TemporaryContainer(streams: [])
      rmdir(folder.logs.string)
      makeFile(folder.container.appending("feedsync.container"))
      try await watching(folder) { watcher in
        #expect(watcher.mode == .inotify)
        makeDirectory(folder.logs)
        await eventually { recorder.events == [.overflow] }
        await outlast(watcher)
        makeDirectory(folder.logs.appending("b"))
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(await sees(folder.logs.appending("b"), watcher))
      }
    }

    @Test func logsThatAreRemovedAndMadeAnewAreWatched() async throws {
      let folder = try TemporaryContainer()
      // Whoever has the directory open keeps it from being deleted for good.
      let open = open(folder.logs.string, O_RDONLY | O_CLOEXEC)
      defer { close(open) }
      try await watching(folder) { watcher in
        removeTree(folder.logs)
        await eventually { recorder.events.contains(.rootGone) }
        #expect(watcher.mode == .polling(.folderMissing))
        makeDirectory(folder.logs)
        await eventually { recorder.events.last == .overflow }
        await outlast(watcher)
        #expect(watcher.mode == .inotify)
        makeDirectory(folder.logs.appending("a"))
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(await sees(folder.logs.appending("a"), watcher))
      }
    }

    @Test func aContainerThatGoesAndComesBackIsFoundByTheTick() async throws {
      let folder = try TemporaryContainer()
      try await watching(folder) { watcher in
        let away = folder.root.appending("away")
        move(folder.container, away)
        await eventually { recorder.events.contains(.rootGone) }
        await eventually { clock.wakeUps == [.seconds(5)] }
        move(away, folder.container)
        clock.advance(by: .seconds(5))
        await eventually { recorder.events.last == .overflow }
        await outlast(watcher)
        #expect(watcher.mode == .inotify)
        #expect(await sees(folder.logs.appending("a"), watcher))
      }
    }

    @Test func aContainerReplacedUnseenIsFoundByTheSafetyRescan() async throws {
      let folder = try TemporaryContainer()
      let outer = folder.root
      try await watching(folder) { watcher in
        // The directory above the container moves, of which the container has no event.
        let other = FilePath(outer.string + "-other")
        move(outer, other)
        makeDirectory(outer)
        makeDirectory(folder.cookies)
        makeDirectory(folder.container)
        makeDirectory(folder.logs)
        makeDirectory(folder.logs.appending("a"))
        await eventually { !clock.wakeUps.isEmpty }
        clock.advance(by: .seconds(300))
        await eventually { recorder.events.contains(.overflow) }
        await outlast(watcher)
        #expect(await sees(folder.logs.appending("a"), watcher))
        removeTree(other)
      }
    }

    @Test func aStateDirectoryThatIsRemovedIsMadeAnew() async throws {
      let folder = try TemporaryContainer()
      try await watching(folder) { watcher in
        removeTree(folder.cookies)
        #expect(await watcher.barrier(deadline: .seconds(10)) != .seen)
        await eventually { recorder.events.contains(.overflow) }
        await outlast(watcher)
        #expect(await sees(folder.logs.appending("a"), watcher))
      }
    }

    @Test func aLinkInLogsIsNotFollowed() async throws {
      let folder = try TemporaryContainer()
      let outside = folder.root.appending("outside")
      makeDirectory(outside)
      symlink(outside.string, folder.logs.appending("b").string)
      try await watching(folder) { watcher in
        makeFile(outside.appending("x.log"))
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(recorder.events == [])
        #expect(watcher.mode == .inotify)
      }
    }
  }
}
