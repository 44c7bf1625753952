import FolderWatching
import Glibc
import Synchronization
import SystemPackage
import Testing

extension RealInotify {
  /// Bursts of files, found through the watcher and scans together.
  @Suite struct NothingIsLostTests {
    /// Follows the container with a scan loop while `body` runs, and until all is found.
    private func found(
      _ expected: Int, in folder: TemporaryContainer, recorder: Recorder = Recorder(),
      through gate: Gate? = nil, _ body: (FolderWatcher) async throws -> Void
    ) async throws -> (files: Set<String>, scans: Int) {
      let (events, continuation) = AsyncStream.makeStream(of: FolderEvent.self)
      let loop = ScanLoop(logs: folder.logs)
      let following = Task { await loop.follow(events) }
      let watcher = folder.watcher()
      _ = try await watcher.start { event in
        recorder.note(event)
        gate?.pass()
        continuation.yield(event)
      }
      try await body(watcher)
      let deadline = ContinuousClock.now + .seconds(20)
      while await loop.found.count < expected, .now < deadline {
        try await Task.sleep(for: .milliseconds(5))
      }
      await watcher.stop()
      continuation.finish()
      await following.value
      return (await loop.found, await loop.scans)
    }

    @Test func aBurstThatOverflowsTheQueueLosesNothing() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let gate = Gate()
      let recorder = Recorder()
      let (files, scans) = try await found(20_000, in: folder, recorder: recorder, through: gate) {
        watcher in
        // Two events a file are more than the queue holds, and nobody reads.
        for number in 0..<20_000 { makeFile(folder.logs.appending("a/\(number).log")) }
        #expect(gate.arrivals == 1)
        gate.open()
        #expect(await watcher.barrier(deadline: .seconds(20)) == .overflow)
      }
      #expect(recorder.events.filter { $0 == .overflow }.count == 1)
      #expect(files.count == 20_000)
      print("20,000 files with the reader stalled: \(scans) scans")
    }

    @Test func aBurstWhileTheReaderKeepsUpLosesNothing() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let (files, scans) = try await found(5_000, in: folder) { _ in
        for number in 0..<5_000 {
          let temporary = folder.logs.appending("a/.syncthing.\(number).log.tmp")
          makeFile(temporary)
          move(temporary, folder.logs.appending("a/\(number).log"))
        }
      }
      #expect(files.count == 5_000)
      print("5,000 files with the reader at work: \(scans) scans")
    }

    @Test func aStreamThatAppearsWithFilesInsideIsFound() async throws {
      let folder = try TemporaryContainer(streams: [])
      defer { folder.remove() }
      let (files, _) = try await found(900, in: folder) { _ in
        for stream in 0..<300 {
          let directory = folder.logs.appending("s\(stream)")
          makeDirectory(directory)
          for file in 0..<3 { makeFile(directory.appending("\(file).log")) }
        }
      }
      #expect(files.count == 900)
    }

    @Test func aStreamMovedInWithFilesInsideIsFound() async throws {
      let folder = try TemporaryContainer(streams: [])
      defer { folder.remove() }
      makeDirectory(folder.root.appending("s"))
      makeFile(folder.root.appending("s/x.log"))
      let (files, _) = try await found(1, in: folder) { _ in
        move(folder.root.appending("s"), folder.logs.appending("s"))
      }
      #expect(files == ["s/x.log"])
    }

    @Test func threeHundredRenamesOneAfterAnotherAreSeenSoon() async throws {
      let folder = try TemporaryContainer()
      defer { folder.remove() }
      let recorder = Recorder()
      let watcher = folder.watcher()
      let seenAt = Mutex<ContinuousClock.Instant?>(nil)
      _ = try await watcher.start { event in
        recorder.note(event)
        seenAt.withLock { $0 = .now }
      }
      var latencies: [Duration] = []
      for number in 0..<300 {
        let source = folder.root.appending("x")
        makeFile(source)
        let before = ContinuousClock.now
        move(source, folder.logs.appending("a/\(number).log"))
        await eventually { recorder.events.count > number }
        if let seen = seenAt.withLock({ $0 }) { latencies.append(before.duration(to: seen)) }
      }
      await watcher.stop()
      latencies.sort()
      print("rename to event: median \(latencies[150]), p99 \(latencies[297])")
      #expect(recorder.events.count == 300)
      #expect(latencies[297] < .milliseconds(100))
    }
  }
}
