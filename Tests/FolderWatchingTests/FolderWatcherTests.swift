import FolderWatching
import SystemPackage
import Testing

@Suite struct FolderWatcherTests {
  private let clock = ManualClock()
  private let backend = FakeBackend()
  private let recorder = Recorder()

  private func started() async throws -> FolderWatcher {
    let watcher = FolderWatcher(backend: backend, clock: clock)
    #expect(try await watcher.start { recorder.note($0) } == .inotify)
    return watcher
  }

  @Test func eventsArePassedOnInOrder() async throws {
    let watcher = try await started()
    backend.send(.event(.changed("a")))
    backend.send(.event(.appeared("b")))
    #expect(recorder.events == [.changed("a"), .appeared("b")])
    await watcher.stop()
    backend.send(.event(.changed("c")))
    #expect(recorder.events.count == 2)
  }

  @Test func aBarrierWaitsForTheEventsBeforeIt() async throws {
    let watcher = try await started()
    backend.hold()
    backend.send(.event(.changed("a")))
    async let outcome = watcher.barrier(deadline: .seconds(1))
    await eventually { backend.queued == 2 }
    backend.release(1)
    #expect(recorder.events == [.changed("a")])
    backend.release(1)
    #expect(await outcome == .seen)
    await watcher.stop()
  }

  @Test func twoBarriersAreNotMistakenForEachOther() async throws {
    let watcher = try await started()
    backend.hold()
    async let first = watcher.barrier(deadline: .seconds(1))
    await eventually { backend.queued == 1 }
    backend.send(.event(.changed("a")))
    async let second = watcher.barrier(deadline: .seconds(2))
    await eventually { backend.queued == 3 }
    backend.release(1)
    #expect(await first == .seen)
    clock.advance(by: .seconds(2))
    #expect(await second == .deadline)
    await watcher.stop()
  }

  @Test func aBarrierEndsByOverflowWhenItsCookieIsLost() async throws {
    let watcher = try await started()
    backend.hold()
    for number in 0..<20 { backend.send(.event(.changed(number % 2 == 0 ? "a" : "b"))) }
    async let outcome = watcher.barrier(deadline: .seconds(1))
    await eventually { clock.wakeUps.contains(.seconds(1)) }
    backend.release(.max)
    #expect(await outcome == .overflow)
    #expect(recorder.events.last == .overflow)
    await watcher.stop()
  }

  @Test func aBarrierEndsByAnErrorOrByTheEndOfTheWatcher() async throws {
    let watcher = try await started()
    backend.hold()
    async let first = watcher.barrier(deadline: .seconds(1))
    await eventually { backend.queued == 1 }
    backend.reorder { [.event(.failed(.ioError))] + $0 }
    backend.release(1)
    #expect(await first == .failed(.ioError))
    async let second = watcher.barrier(deadline: .seconds(1))
    await eventually { backend.queued == 2 }
    await watcher.stop()
    #expect(await second == .stopped)
    #expect(await watcher.barrier(deadline: .seconds(1)) == .stopped)
  }

  @Test func aBarrierWhoseCookieCannotBeTouchedSaysSo() async throws {
    let watcher = try await started()
    backend.failTouches(.readOnlyFileSystem)
    #expect(await watcher.barrier(deadline: .seconds(1)) == .failed(.readOnlyFileSystem))
    await watcher.stop()
  }

  @Test func aBarrierIsGivenUpWithTheTaskThatWaits() async throws {
    let watcher = try await started()
    backend.hold()
    let waiting = Task { await watcher.barrier(deadline: .seconds(1)) }
    await eventually { backend.queued == 1 }
    waiting.cancel()
    #expect(await waiting.value == .stopped)
    await watcher.stop()
  }

  @Test func anIdleWatcherWakesForTheSafetyRescanAlone() async throws {
    let watcher = try await started()
    await eventually { !clock.wakeUps.isEmpty }
    #expect(clock.wakeUps == [.seconds(300)])
    clock.advance(by: .seconds(299))
    #expect(recorder.events == [])
    clock.advance(by: .seconds(1))
    await eventually { recorder.events == [.rescan] }
    await eventually { clock.wakeUps == [.seconds(600)] }
    await watcher.stop()
    #expect(clock.wakeUps.isEmpty)
  }

  @Test func aBackendThatCannotStartGivesWayToPolling() async throws {
    let reason = PollingReason.fileSystem("NFS")
    let backend = FakeBackend(failure: .unavailable(reason))
    let watcher = FolderWatcher(backend: backend, clock: clock)
    #expect(try await watcher.start { recorder.note($0) } == .polling(reason))
    for count in 1...3 {
      await eventually { !clock.wakeUps.isEmpty }
      clock.advance(by: .seconds(5))
      await eventually { recorder.events.count == count }
    }
    #expect(recorder.events == [.rescan, .rescan, .rescan])
    #expect(await watcher.barrier(deadline: .seconds(1)) == .failed(.notSupported))
    await watcher.stop()
  }

  @Test func aBackendThatEndsByItselfGivesWayToPolling() async throws {
    let watcher = try await started()
    await eventually { clock.wakeUps == [.seconds(300)] }
    backend.hold()
    async let outcome = watcher.barrier(deadline: .seconds(9))
    await eventually { backend.queued == 1 }
    backend.reorder { _ in [.ended(.watchesExhausted)] }
    backend.release(1)
    #expect(await outcome == .overflow)
    #expect(watcher.mode == .polling(.watchesExhausted))
    #expect(recorder.events == [.mode(.polling(.watchesExhausted)), .rescan])
    await eventually { clock.wakeUps == [.seconds(5)] }
    await watcher.stop()
  }

  @Test func aChangeOfModeChangesTheInterval() async throws {
    let watcher = try await started()
    backend.send(.event(.mode(.polling(.folderMissing))))
    await eventually { clock.wakeUps == [.seconds(5)] }
    backend.send(.event(.mode(.inotify)))
    await eventually { clock.wakeUps == [.seconds(300)] }
    await watcher.stop()
  }

  @Test func aWatcherStartsOnce() async throws {
    let watcher = try await started()
    await #expect(throws: WatchError.alreadyRunning) {
      try await watcher.start { recorder.note($0) }
    }
    await watcher.stop()
  }
}
