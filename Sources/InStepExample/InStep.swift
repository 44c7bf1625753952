import FeedSync
import Foundation

struct Note: Codable {
  var text: String
  var written = Date()
}

/// `InStepExample FOLDER STATE`: what is typed becomes a note; all notes are shown as they come.
@main
struct InStep {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { return print("usage: InStepExample FOLDER STATE") }
    let container = try UbiquityContainer.join(arguments[1], state: arguments[2])
    let store = DocumentStore(container)
    let changes = store.changes  // From here on, nothing is missed.
    Thread.detachNewThread { type(into: store) }
    try show(store)
    for try await change in changes where change.affects("notes") { try show(store) }
  }

  static func type(into store: DocumentStore) {
    while let line = readLine() {
      do {
        try store.write { try $0.put(Note(text: line), at: UUID().uuidString, in: "notes") }
      } catch { print("not written: \(error)") }
    }
  }

  static func show(_ store: DocumentStore) throws {
    let notes = try store.read { reader in
      try reader.ids(in: "notes").compactMap { try reader.get(Note.self, at: $0, in: "notes") }
    }
    let inOrder = notes.sorted { ($0.written, $0.text) < ($1.written, $1.text) }
    let line = inOrder.map(\.text).joined(separator: " · ") + "\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }
}
