import FeedSync
import Foundation

// What the documentation shows of key-value storage, live queries and identity, to be compiled and
// not to be run: see `ExampleTests`.

private func show(_ keys: [String]) {}
private func show(_ reason: KeyValueChange.Reason, _ keys: [String]) {}
private func show(_ contents: KeyValueContents) {}
private func show(_ documents: [LiveResult.Document]) {}
private func show(isAvailable: Bool) {}

// MARK: - Key-value storage

private func store(in store: DocumentStore) async throws {
  let settings = try KeyValueStore(store)
  try await settings.set("dark", forKey: "theme")
  let theme = try await settings.value(forKey: "theme")?.string
  for try await change in settings.changes { show(change.keys) }
  _ = theme
}

private func page(in store: DocumentStore) async throws {
  let settings = try KeyValueStore(store, name: "reader")
  try await settings.set(["width": 800, "height": 600], forKey: "window")
  let theme = try await settings.value(forKey: "theme")?.string ?? "light"
  for try await change in settings.changes { show(change.reason, change.keys) }
  _ = theme
}

private func changes(of settings: KeyValueStore) async throws {
  let changes = settings.changes  // From here on nothing is missed.
  show(try await settings.contents())
  for try await change in changes { show(change.keys) }
}

private func values(in settings: KeyValueStore) throws {
  try settings.set("dark", forKey: "theme")
  try settings.set(["width": 800, "height": 600], forKey: "window")
  try settings.set(.date(.now), forKey: "opened")
  let theme = try settings.value(forKey: "theme")?.string
  _ = theme
}

// MARK: - Live queries

private func unread(of feed: ByteString, in store: DocumentStore) async throws {
  let query = DocumentQuery("articles")
    .filtered(by: "body ->> '$.feed' = ? AND NOT body ->> '$.read'", [.text(feed)])
    .ordered(by: "/date", descending: true)
    .limited(to: 50)
  for try await result in store.observe(query) { show(result.documents) }
}

private func unreadOnce(of feed: ByteString) {
  let unread = DocumentQuery("articles")
    .filtered(by: "body ->> '$.feed' = ? AND NOT body ->> '$.read'", [.text(feed)])
    .ordered(by: "/date", descending: true)
    .limited(to: 50)
  _ = unread
}

private func notes(in store: DocumentStore) async throws {
  let query = DocumentQuery("notes").ordered(by: "/title").limited(to: 20)
  for try await result in store.observe(query) { show(result.documents) }
}

private func results(of query: DocumentQuery, in store: DocumentStore) async throws {
  for try await result in store.observe(query) {
    show(result.documents)
  }
}

// MARK: - Identity

private func identity() async throws {
  let container = try UbiquityContainer.join("/home/ann/Sync/notes")
  show(isAvailable: container.identityToken == container.ownIdentityToken)
  for await token in container.identityChanges {
    show(isAvailable: token == container.ownIdentityToken)
  }
}

private func token(after lastToken: UbiquityIdentityToken?) {
  let token = UbiquityContainer.identityToken(at: "/home/ann/Sync/notes")
  if token != lastToken { show(isAvailable: false) }  // Another container, another user, or none.
}

private func transitions(of store: DocumentStore) async throws {
  for try await transition in store.transitions where transition == .accountRemoved { print() }
}

private func detaching(_ store: DocumentStore) throws {
  try store.detach(to: "/home/ann/notes.jsonl")
}
