import CanonicalJSON
import DocumentStorage
import FeedSync
import FolderWatching
import Replication
import Synchronization
import Syncing

/// Prints what `watch` finds: a line an event, flushed after the commit that it reports.
///
/// Once its lines cannot be written, or nobody reads them any more, it cancels the task that it is
/// called in, which ends as at a signal: what is committed by then is told to no later watch, and
/// is `--exec`'s to get.
final class WatchPrinter: Sendable {
  private let device: Device
  private let command: ExecQueue?

  private let format: OutputFormat
  /// What ends the command, since a line could not be written; 0 before.
  private let status = Atomic<Int32>(0)
  /// Held by who prints: who has the process leave may do so beside the watch.
  private let turn = Mutex(())

  /// - parameter format: how failures are told on standard error; events are JSON in either.
  init(device: Device, command: ExecQueue?, format: OutputFormat) {
    self.device = device
    self.format = format
    self.command = command
  }

  func print(_ event: WatchEvent) { turn.withLock { _ in tell(event) } }

  /// Prints what the first look has imported, where the watch does not come to do so.
  func print(_ held: HeldEvents) {
    // Once it is nobody else's, nothing may come before its first line.
    turn.withLock { _ in for event in held.releaseImported() { tell(event) } }
  }

  private func tell(_ event: WatchEvent) {
    switch event {
    case .watching(let mode): line("watching", modeMembers(mode))
    case .mode(let mode): line("mode", modeMembers(mode))
    case .imported(let from): line("import", members(from))
    case .gap(let gap): line("gap", ReportJSON.gap(gap))
    case .setAside(let record): line("set_aside", ReportJSON.setAside(record))
    case .restored(let file): line("restored", ["file": .text(file.path)])
    case .revived(let count): line("revived", ["documents": .number(count)])
    case .removalsGivenUp(let count): line("removals_given_up", ["removals": .number(count)])
    case .failed(let error):
      Output.error(FeedSyncError(error, operation: "watch"), format: format)
    case .recovered: Output.warn("feedsync: watch: the last look succeeded again")
    }
  }

  private func line(_ event: String, _ members: JSONObject) {
    var members = members
    members["event"] = .text(event)
    let json = JSON.object(members)
    do {
      try Output.following(json)
    } catch {
      end(with: error)
    }
    command?.run(json.canonicalBytes())
  }

  private func end(with failure: ExitStatus) {
    // Whom a signal has asked to end does so with 0, whoever reads; a full disk is a failure still.
    if Task.isCancelled, failure == .readerHasGone { return }
    status.store(failure.rawValue, ordering: .relaxed)
    withUnsafeCurrentTask { $0?.cancel() }
  }

  /// - throws: What ends the command if it was ended since a line could not be written.
  func requireOutput() throws(ExitStatus) {
    let status = status.load(ordering: .relaxed)
    if status != 0 { throw ExitStatus(rawValue: status) }
  }

  private func modeMembers(_ mode: WatchMode) -> JSONObject {
    var members: JSONObject = [
      "container": .text(device.record.container.description),
      "device": ReportJSON.device(device.record.stream, name: device.record.name),
    ]
    switch mode {
    case .inotify: members["mode"] = .text("inotify")
    case .polling(let reason):
      members["mode"] = .text("polling")
      members["reason"] = .text(reason.description)
    }
    return members
  }

  private func members(_ from: ImportedPart.FromDevice) -> JSONObject {
    let documents = from.documents.map { document in
      JSON.object([
        "collection": .string(document.key.collection), "id": .string(document.key.id),
        "deleted": .bool(document.isDeleted),
        "fields": .array(document.paths.map { .text($0.pointer) }),
      ])
    }
    return [
      "device": ReportJSON.device(from.stream, name: from.name),
      "transactions": .number(from.transactions),
      "document_count": .number(from.documentCount), "documents": .array(documents),
      "truncated": .bool(from.documentCount > from.documents.count),
    ]
  }
}
