import Dispatch
import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// C12, C19: the asynchronous form blocks none of the threads that all tasks share, and ends when
/// it is cancelled.
@Suite struct LookingUpTests {
  /// The same path on every thread, by which each finds another file: its own.
  private static let ownFile: FilePath = "/proc/thread-self/comm"

  @Test func c12_pathsAreLookedUpOnNoThreadThatAllTasksShare() async throws {
    let workshop = try Workshop()
    let coordinator = try FileCoordinator(try workshop.domain())
    let thread = TaskThread()
    let (own, found) = try await withTaskExecutorPreference(thread) {
      let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      let found = try await coordinator.coordinate([.reading(Self.ownFile)]) { $0 }
      return (own, found)
    }
    thread.end()
    let item = try #require(found.first?.string)
    #expect(item.hasPrefix("/proc/") && item.hasSuffix("/comm"))
    #expect(item != "/proc/\(own)/comm")
  }

  @Test func c19_anAccessEndsThoughAFileSystemDoesNotSayWhatItsPathMeans() async throws {
    let workshop = try Workshop()
    let file = try workshop.file("f", "")
    let journal = Journal()
    let answer = DispatchSemaphore(value: 0)
    // As one whose server is gone.
    let resolver = try ItemResolver(folder: nil) { (path) throws(FileError) in
      journal.note("asked")
      answer.wait()
      answer.signal()
      return path
    }
    let domain = try workshop.domain()
    let coordinator = try FileCoordinator(domain, resolver: resolver)
    let task = Task {
      try await coordinator.coordinate([.writing(file)], timeout: .seconds(20)) { _ in
        Issue.record("the accessor was run")
      }
    }
    while journal.all.isEmpty { await Task.yield() }
    coordinator.cancel()
    await #expect(throws: CoordinationError.cancelled(path: file.string)) { try await task.value }
    answer.signal()
    try FileCoordinator(domain).write(file, timeout: .seconds(30)) { _ in }
  }

  /// More than the system's queues have threads for.
  private static let many = 100

  /// A coordinator that finds no item as long as `answer` is not signalled, as where a file
  /// system's server is gone.
  private static func hungCoordinator(
    _ domain: CoordinationDomain, until answer: DispatchSemaphore
  ) throws -> FileCoordinator {
    let resolver = try ItemResolver(folder: nil) { (path) throws(FileError) in
      answer.wait()
      answer.signal()
      return path
    }
    return try FileCoordinator(domain, resolver: resolver)
  }

  @Test func c19_timeOutsComeHoweverManyAccessesAFileSystemKeeps() async throws {
    let workshop = try Workshop()
    let file = try workshop.file("f", "")
    let answer = DispatchSemaphore(value: 0)
    defer { answer.signal() }
    let coordinator = try Self.hungCoordinator(try workshop.domain(), until: answer)
    let ended = Journal()
    for _ in 0..<Self.many {
      Task {
        do {
          try await coordinator.coordinate([.writing(file)], timeout: .zero) { _ in }
        } catch {
          ended.note("\(error)")
        }
      }
    }
    try await waitUntil(orSay: "no time-out comes") { ended.all.count == Self.many }
    let timedOut = CoordinationError.timedOut(path: file.string, waitedFor: [])
    #expect(Set(ended.all) == ["\(timedOut)"])
  }

  @Test func c12_noneWaitsForOthersWhosePathsAFileSystemDoesNotExplain() async throws {
    let workshop = try Workshop()
    let (file, other) = (try workshop.file("f", ""), try workshop.file("other", ""))
    let answer = DispatchSemaphore(value: 0)
    defer { answer.signal() }
    let domain = try workshop.domain()
    let coordinator = try Self.hungCoordinator(domain, until: answer)
    for _ in 0..<Self.many {
      Task { try? await coordinator.coordinate([.reading(file)]) { _ in } }
    }
    let journal = Journal()
    Task {
      try await FileCoordinator(domain).coordinate([.writing(other)]) { _ in }
      journal.note("over")
    }
    try await waitUntil(orSay: "it waits for others") { journal.all == ["over"] }
    coordinator.cancel()
  }

  @Test func c12_theArbiterIsLookedForOnNoThreadThatAllTasksShare() async throws {
    let workshop = try Workshop()
    let file = try workshop.file("f", "")
    _ = try CoordinationPlace(workshop.coordination)
    let path = workshop.coordination.appending("arbiter.lock")
    let lock = try LinuxFileSystem().lock(path, exclusive: true, wait: false, holder: [])
    let coordinator = try FileCoordinator(try workshop.domain(isSilent: true))
    let search = try OpeningSignal(of: path)
    let thread = TaskThread()
    let found = try await withTaskExecutorPreference(thread) {
      async let found = coordinator.coordinate([.reading(file)]) { $0 }
      // On the same thread: were that looking, nothing would let go of the lock before it gave up.
      #expect(await search.arrives())
      lock.release()
      return try await found
    }
    thread.end()
    #expect(found == [file])
  }
}
