import CanonicalJSON
import Replication
import SystemFiles
import SystemPackage

extension DocumentStore {
  /// Writes all documents into a new file, without identity: nothing of devices, versions or
  /// positions, and nothing that is synced.
  ///
  ///     try store.detach(to: "/home/ann/notes.jsonl")
  ///
  /// For a program that goes on without the container, or moves to another one. The file has what
  /// `feedsync dump` prints, a line of canonical JSON for each document, from one consistent state;
  /// `feedsync load` reads it. It is for its owner alone, and comes to be whole or not at all.
  /// - parameter file: A path that is free, outside of the container's folder.
  /// - returns: How many documents it has.
  /// - throws: ``FeedSyncError``: `.usage` for a path in the container's folder, from where it
  ///   would be carried to other machines; `.cannotWrite` if something has that name or the disk
  ///   is full.
  @discardableResult
  public func detach(to file: String) throws -> Int {
    let operation = "write a detached copy"
    return try transaction(operation) {
      let path = StateLocation.absolute(file).lexicallyNormalized()
      let files = LinuxFileSystem()
      let directory = try files.canonicalPath(of: path.removingLastComponent())
      guard let name = path.lastComponent, !directory.starts(with: device.container.root) else {
        throw FeedSyncError(
          .usage, operation: operation, file: path.string,
          message: "it would be carried to other machines, as all that is in the folder",
          hint: "choose a place outside of \(device.container.root.string)")
      }
      let copy = try files.createTemporary(
        in: directory, fallbackName: device.ambient.temporaryName(), mode: 0o600)
      let count: Int
      do {
        count = try writeLines(to: copy, files)
        try files.synchronize(copy)
        try files.place(copy, at: directory.appending(name))
      } catch {
        files.discard(copy)
        throw error
      }
      try files.synchronizeDirectory(directory)
      return count
    }
  }

  /// Writes a copy without blocking the caller's thread.
  @discardableResult
  public func detach(to file: String) async throws -> Int {
    try await run { try self.detach(to: file) }
  }

  private func writeLines(to copy: TemporaryFile, _ files: LinuxFileSystem) throws -> Int {
    var (count, lines) = (0, [UInt8]())
    try database.readSnapshot { snapshot in
      try snapshot.forEachDocument { key, body in
        DumpLine.append(key, body, to: &lines)
        count += 1
        guard lines.count >= DumpLine.bufferBytes else { return }
        try files.write(lines, to: copy)
        lines.removeAll(keepingCapacity: true)
      }
    }
    try files.write(lines, to: copy)
    return count
  }
}

/// A document as `feedsync dump` prints it.
package enum DumpLine {
  /// Lines are gathered up to this many bytes before they are written.
  static let bufferBytes = 1 << 16

  /// Appends the line, with its end.
  package static func append(_ key: DocumentKey, _ body: [UInt8], to output: inout [UInt8]) {
    output.append(contentsOf: #"{"body":"#.utf8)
    output.append(contentsOf: body)
    output.append(contentsOf: #","collection":"#.utf8)
    JSON.writeString(key.collection, into: &output)
    output.append(contentsOf: #","id":"#.utf8)
    JSON.writeString(key.id, into: &output)
    output.append(contentsOf: "}\n".utf8)
  }
}
