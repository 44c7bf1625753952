import FolderWatching
import Glibc
import SystemPackage
import Testing

extension RealInotify {
  /// Starting, stopping, and what a running watcher costs the process.
  @Suite struct InotifyLifetimeTests {
    private func inotifyDescriptors() -> [String] {
      names("/proc/self/fd").filter { name in
        var target = [CChar](repeating: 0, count: 256)
        readlink("/proc/self/fd/\(name)", &target, 255)
        return String(decoding: target.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
          == "anon_inode:inotify"
      }
    }

    private func text(_ path: String) -> String {
      guard let file = fopen(path, "r") else { return "" }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = fread(&bytes, 1, 4096, file)
      return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func watcherThreads() -> [String] {
      names("/proc/self/task").filter { text("/proc/self/task/\($0)/comm") == "feedsync-watch\n" }
    }

    @Test func stoppingEndsTheThreadAndLetsAnotherWatcherStart() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      for round in 0..<20 {
        let recorder = Recorder()
        let watcher = folder.watcher()
        _ = try await watcher.start { recorder.note($0) }
        #expect(!watcherThreads().isEmpty)
        makeFile(folder.logs.appending("a/\(round).log"))
        #expect(await watcher.barrier(deadline: .seconds(10)) == .seen)
        #expect(Set(recorder.events) == [.changed("a")])
        let duration = await ContinuousClock().measure { await watcher.stop() }
        // No timer would end it: the clock stands still.
        #expect(duration < .seconds(30))
        await eventually { watcherThreads().isEmpty }
        #expect(inotifyDescriptors().isEmpty)
      }
      #expect(names(folder.cookies).isEmpty)
    }

    @Test func aSecondWatcherInTheProcessIsRefused() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let watcher = folder.watcher()
      _ = try await watcher.start { _ in }
      let second = folder.watcher()
      await #expect(throws: WatchError.alreadyRunning) { try await second.start { _ in } }
      await watcher.stop()
      #expect(try await second.start { _ in } == .inotify)
      await second.stop()
    }

    @Test func childrenDoNotInheritTheDescriptor() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let watcher = folder.watcher()
      _ = try await watcher.start { _ in }
      let descriptors = inotifyDescriptors()
      #expect(descriptors.count == 1)
      for descriptor in descriptors {
        #expect(fcntl(Int32(descriptor) ?? -1, F_GETFD) & FD_CLOEXEC != 0)
      }
      await watcher.stop()
    }

    @Test func eventsLeftUnreadAreNotDeliveredToTheNextWatcher() async throws {
      let folder = try TemporaryContainer(streams: ["a", "b"])
      defer { folder.remove() }
      let gate = Gate()
      let first = folder.watcher()
      _ = try await first.start { _ in gate.pass() }
      for number in 0..<100 { makeFile(folder.logs.appending("a/\(number).log")) }
      await eventually { gate.arrivals == 1 }
      // The library has the rest in its buffer, or the kernel in its queue, when stop() comes.
      let stopping = Task { await first.stop() }
      await eventually { !names(folder.cookies).isEmpty }
      gate.open()
      await stopping.value
      let recorder = Recorder()
      let second = folder.watcher()
      _ = try await second.start { recorder.note($0) }
      makeFile(folder.logs.appending("b/1.log"))
      #expect(await second.barrier(deadline: .seconds(10)) == .seen)
      #expect(Set(recorder.events) == [.changed("b")])
      await second.stop()
    }

    @Test func aWatcherWhoseStateIsUnusablePolls() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let backend = InotifyToolsBackend(
        container: folder.container, cookies: folder.root.appending("no/such/directory"))
      let watcher = FolderWatcher(backend: backend, clock: ManualClock())
      let mode = try await watcher.start { _ in }
      #expect(mode == .polling(.cookies(.noSuchFileOrDirectory)))
      #expect(inotifyDescriptors().isEmpty)
      await watcher.stop()
    }

    @Test func aWatcherStopsWhereNoCookieCanBeTouched() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let watcher = folder.watcher()
      _ = try await watcher.start { _ in }
      removeTree(folder.cookies)
      let duration = await ContinuousClock().measure { await watcher.stop() }
      #expect(duration < .seconds(30))
    }
  }
}
