import Dispatch
import FileCoordination
import Glibc
import SystemPackage

/// Presents an item, and says what it is asked and told.
///
/// KIND is `plain`; `mute`, which never answers; `refusing`, which cannot save; or `writing:PATH`,
/// which writes another item, as anybody would, before it gives way.
final class Presenting: FilePresenter {
  let presentedItemPath: FilePath?
  let presentedItemQueue = DispatchQueue(label: "peer")
  private let domain: CoordinationDomain
  private let kind: String

  init(_ domain: CoordinationDomain, _ words: [String]) throws {
    guard words.count == 2 else { throw CoordinationPeer.Complaint.usage }
    self.domain = domain
    presentedItemPath = FilePath(words[0])
    kind = words[1]
  }

  func run() throws {
    try domain.addFilePresenter(self)
    say("ready")
    while readLine() != nil {}
    domain.removeFilePresenter(self)
    say("removed")
  }

  func relinquishPresentedItem(
    to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
  ) {
    say("relinquish \(accessor)")
    if kind == "mute" { return }
    if kind.hasPrefix("writing:") { writeElsewhere(String(kind.dropFirst("writing:".count))) }
    done { say("reacquire") }
  }

  private func writeElsewhere(_ path: String) {
    // On another thread, since a presenter's queue must not wait for others.
    let finished = DispatchSemaphore(value: 0)
    let (domain, item) = (domain, FilePath(path))
    let task = Task {
      do {
        try await FileCoordinator(domain).coordinate([.writing(item)], timeout: .seconds(20)) { _ in
        }
        say("wrote")
      } catch {
        say("could not write: \(error)")
      }
      finished.signal()
    }
    finished.wait()
    _ = task
  }

  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    say("save")
    done(kind == "refusing" ? CoordinationPeer.Complaint.file : nil)
  }

  func presentedItemDidChange() { say("changed") }
  func presentedItemDidMove(to path: FilePath) { say("moved \(path)") }
}
