import FeedSync
import Foundation

// What the documentation shows of coordination, to be compiled and not to be run, with no more
// imported than a program has that uses the library: see `ExampleTests`.

private let bytes = Array("Groceries".utf8)
private let path: FilePath = "/home/ann/Sync/notes.txt"
private func save() {}

private func paths() throws {
  let path: FilePath = "/home/ann/Sync/notes.txt"
  let text = try String(contentsOfFile: path.string, encoding: .utf8)
  _ = text
}

private func domains() throws {
  let domain = try CoordinationDomain.inState("/home/ann/.local/share/feedsync")
  let coordinator = try FileCoordinator(domain)
  _ = coordinator
}

private func coordinators() throws {
  let coordinator = try FileCoordinator(UserCoordination.domain())
  try coordinator.read("/home/ann/Sync/notes.txt") { path in print(path) }
}

private func userCoordination() throws {
  let domain = try UserCoordination.domain()
  let coordinator = try FileCoordinator(domain)
  try coordinator.write("/home/ann/Sync/notes.txt") { path in print(path) }
}

private func page() throws {
  let domain = try UserCoordination.domain()
  let coordinator = try FileCoordinator(domain)
  try coordinator.write("/home/ann/Sync/notes.txt") { path in
    try coordinator.withOpen(path, .writeOnly, options: [.create, .truncate]) {
      try $0.writeAll(bytes)
    }
  }
}

private func writing(_ text: String, by domain: CoordinationDomain) throws {
  let coordinator = try FileCoordinator(domain)
  try coordinator.write("/home/ann/Sync/notes.txt") { path in
    try text.write(toFile: path.string, atomically: false, encoding: .utf8)
  }
}

private func reading(by coordinator: FileCoordinator) throws {
  let text = try coordinator.read("/home/ann/Sync/notes.txt") { path in
    try String(contentsOfFile: path.string, encoding: .utf8)
  }
  _ = text
}

private func opening(by coordinator: FileCoordinator) throws {
  try coordinator.write(path) { path in
    try coordinator.withOpen(path, .writeOnly, options: [.create, .truncate]) {
      try $0.writeAll(bytes)
    }
  }
}

private func intents(of coordinator: FileCoordinator, on queue: DispatchQueue) async throws {
  try await coordinator.coordinate(
    [.reading("/home/ann/Sync/a"), .writing("/home/ann/Sync/b", .forReplacing)]
  ) { paths in print(paths) }
  try await coordinator.coordinate([.writing(path)], on: queue) { paths in print(paths) }
}

private func batches(
  of folder: FilePath, with files: [FilePath], by coordinator: FileCoordinator
) throws {
  try coordinator.prepare(reading: [folder]) { batch in
    defer { batch.complete() }
    for file in files { try coordinator.read(file) { print($0) } }
  }
}

private final class Editor: FilePresenter {
  let presentedItemPath: FilePath? = "/home/ann/Sync/notes.txt"
  let presentedItemQueue = DispatchQueue(label: "editor")
  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    save()
    done(nil)
  }
}
