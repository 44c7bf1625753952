import FeedSync
import Foundation

// What the documentation shows of conflicts, the past, devices and looking after a store, to be
// compiled and not to be run: see `ExampleTests`.

// MARK: - Conflicts and the past

private func conflicts(in store: DocumentStore) throws {
  for conflict in try store.conflicts(of: "groceries", in: "notes") {
    print(conflict.path, conflict.values.map { $0.content?.canonical ?? "deleted" })
  }
  for document in try store.conflictedDocuments() {
    print(document.collection, document.id, document.conflicts.map(\.path))
  }
  if let conflict = try store.conflicts(of: "groceries", in: "notes").first {
    try store.resolve(conflict, by: .shown)
  }
}

private func history(in store: DocumentStore) throws {
  let history = try store.history(of: "groceries", in: "notes")
  for change in history.entries.last?.changes ?? [] {
    print(change.path, change.old as Any, change.new as Any)
  }
  for entry in try store.history(of: "groceries", in: "notes").entries {
    print(entry.time, entry.device.name ?? entry.device.id, entry.event, entry.changes)
  }
}

private func past(in store: DocumentStore) throws {
  let yesterday = Date.now.addingTimeInterval(-86_400)
  let body = try store.body(at: "groceries", in: "notes", asOf: yesterday)
  _ = body
  let result = try store.write { try $0.delete(at: "groceries", in: "notes") }
  if let transaction = result.transaction { try store.undo(transaction) }
}

// MARK: - Queries

private func rows(in store: DocumentStore) throws {
  let feed = "https://example.org/feed"
  let rows = try store.rows(
    "SELECT id FROM documents WHERE collection = 'articles' AND body ->> '$.feed' = ?",
    arguments: [.text(ByteString(feed))])
  _ = rows
  try store.createIndex(on: "/feed", of: "articles")
}

// MARK: - Devices

private func devices(of store: DocumentStore) throws {
  for device in try store.status().devices {
    if let clock = device.clock { print(device.device.id, clock.ahead) }
  }
  try store.renameThisDevice(to: "ann's laptop")
  let copied = try store.status().devices.filter { $0.branches > 1 }
  let mine = try store.status().devices.filter { $0.isThisDevice || $0.isFormer }
  let lost = try store.status().devices.filter { $0.retiredAt != nil }
  _ = (copied, mine, lost)
  if try store.status().unpublished > 0 { print("not everything is in the folder yet") }
}

private func leaving(_ lostPhone: DeviceDescription, of store: DocumentStore) throws {
  try store.retire(lostPhone.id)
}

private func missing(from store: DocumentStore) throws {
  let missing = try store.missing(from: "old phone")
  print(missing.transactions, missing.waitingRemovals.count)
  try store.skip(missing)
  for range in try store.missing(from: "old phone").transactions { print(range) }
  try store.skip(store.missing(from: "old phone"))
}

// MARK: - Looking after a store

private func compacting(_ store: DocumentStore) throws {
  let summary = try store.compact(for: .seconds(1))
  if !summary.isFinished { print("more to do") }
  try store.importAll()
  try store.compactIfDue()
  var settings = try store.compactionSettings()
  settings.horizon = .seconds(30 * 86_400)
  try store.setCompactionSettings(settings)
  let usage = try store.folderUsage()
  print(usage.files, "files,", usage.deadBytes, "bytes of them dead")
}

private func importing(_ store: DocumentStore) throws {
  let summary = try store.importAll()
  print("\(summary.documents) documents changed")
  if summary.revived > 0 { print("deleted elsewhere, and kept for your edits") }
}

private func diagnosing(_ store: DocumentStore) {
  let findings = UbiquityContainer.diagnose("/home/ann/Sync/notes")
  for finding in findings { print("\(finding.severity): \(finding.message)") }
  for finding in UbiquityContainer.diagnose() where finding.severity != .note {
    print(finding.message, finding.hint ?? "")
  }
  let isWell = store.diagnose().allSatisfy { $0.severity == .note }
  _ = isWell
}

private func rebuilding() throws {
  let summary = try UbiquityContainer.rebuild("/home/ann/Sync/notes")
  let store = DocumentStore(summary.container)
  _ = store
}

private func adopting() throws {
  let summary = try UbiquityContainer.adopt("/home/ann/Sync/notes")
  let store = DocumentStore(summary.container)
  _ = store
}
