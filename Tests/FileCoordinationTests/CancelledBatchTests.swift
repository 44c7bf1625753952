import Dispatch
import FileCoordination
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// C18, C19: a batch whose coordinator is cancelled.
@Suite struct CancelledBatchTests {
  @Test func c19_aBatchThatIsCancelledAsItIsGrantedDoesNotRunItsAccessor() throws {
    let workshop = try Workshop()
    let file = try workshop.file("f", "")
    let domain = try workshop.domain()
    let rounds = 50
    var begun = 0
    for _ in 0..<rounds {
      let coordinator = try FileCoordinator(domain)
      let isCancelled = Mutex(false)
      let presenter = AnsweringPresenter(file) {
        // By then the batch has its turn, and the thread that waits for it is about to hear so.
        coordinator.cancel()
        isCancelled.withLock { $0 = true }
      }
      try domain.addFilePresenter(presenter)
      do {
        try coordinator.prepare(reading: [file]) { batch in
          if isCancelled.withLock(\.self) { begun += 1 }
          batch.complete()
        }
      } catch {
        #expect(error as? CoordinationError == .cancelled(path: file.string))
      }
      presenter.presentedItemQueue.sync {}
      domain.removeFilePresenter(presenter)
    }
    // One that has passed the last look for it may be overtaken before its first statement.
    #expect(begun < rounds / 2)
    #expect(try domain.report().claims.isEmpty)
  }

  @Test func c19_oneOfACancelledCoordinatorIsCancelled() throws {
    let workshop = try Workshop()
    let file = try workshop.file("f", "")
    let domain = try workshop.domain()
    let coordinator = try FileCoordinator(domain)
    coordinator.cancel()
    #expect(throws: CoordinationError.cancelled(path: file.string)) {
      try coordinator.prepare(writing: [file]) { _ in _ = Issue.record("the accessor was run") }
    }
  }
}

/// Does something as soon as it has answered.
private final class AnsweringPresenter: FilePresenter {
  let presentedItemPath: FilePath?
  let presentedItemQueue = DispatchQueue(label: "answering")
  private let answered: @Sendable () -> Void

  init(_ path: FilePath, answered: @escaping @Sendable () -> Void) {
    presentedItemPath = path
    self.answered = answered
  }

  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    done(nil)
    answered()
  }
}
