import FeedSync
import Foundation

struct Bookmark: Codable {
  var title: String
  var host: String
  var added = Date()
  var visits = 0
}

/// A small program on a store: `Codable` documents, an index, a query, and an update that leaves
/// alone what other versions of the program have written.
@main
struct Bookmarks {
  static let usage =
    "usage: BookmarksExample FOLDER STATE add URL TITLE | visit URL | host NAME | list"

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 3 else { return print(usage) }
    let container = try UbiquityContainer.join(
      arguments[1], identifier: "org.example.bookmarks", state: arguments[2])
    let store = DocumentStore(container)
    try store.createIndex(on: "/host", of: "bookmarks")
    // What other machines wrote; without the folder, the program works on what is here.
    if try container.absence() == nil { try store.importAll() }
    try run(Array(arguments.dropFirst(2)), on: store)
  }

  static func run(_ words: [String], on store: DocumentStore) throws {
    switch (words[0], words.count) {
    case ("add", 3):
      let host = URL(string: words[1])?.host() ?? ""
      let bookmark = Bookmark(title: words[2], host: host)
      try store.write { try $0.put(bookmark, at: words[1], in: "bookmarks") }
    case ("visit", 2):
      let isThere = try store.write { writer in
        try writer.update(Bookmark.self, at: words[1], in: "bookmarks") { $0.visits += 1 }
      }
      if !isThere.value { print("no such bookmark") }
    case ("host", 2):
      let rows = try store.rows(
        "SELECT id FROM documents WHERE collection = 'bookmarks' AND body ->> '$.host' = ?",
        arguments: [.text(ByteString(words[1]))])
      for case .text(let url)? in rows.map({ $0["id"] }) { print(url) }
    case ("list", 1):
      try store.read { reader in
        for url in try reader.ids(in: "bookmarks") {
          guard let bookmark = try reader.get(Bookmark.self, at: url, in: "bookmarks") else {
            continue
          }
          print("\(bookmark.visits) \(bookmark.title) <\(url)>")
        }
      }
    default: print(usage)
    }
  }
}
