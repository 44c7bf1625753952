import SystemFiles
import SystemPackage

/// Versions that are kept on this machine alone: what lost a conflict that was settled, what a
/// version took the place of, edits of a document that was deleted.
///
/// In the local state, as `<document's path in its folder>/<id>/<name>`, one file in each.
struct KeptVersions: Sendable {
  /// A version as it is listed.
  struct Entry {
    let id: FilePath.Component
    let name: FilePath.Component
    let path: FilePath
    let status: FileStatus
  }

  let root: FilePath
  let ambient: DocumentAmbient
  private static let idLength = 16

  /// The versions of a document, the oldest first.
  func list(_ document: [FilePath.Component]) throws(FileError) -> [Entry] {
    guard let directory = try open(document) else { return [] }
    var result: [Entry] = []
    for entry in try directory.list() where Self.isID(entry.name) {
      // A folder that another document is in has such a name hardly ever, and no document.
      guard let version = try open(document + [entry.name]) else { continue }
      for file in try version.list() where !DocumentPlace.isHidden(file.name) {
        // One that has just been discarded is no version.
        guard let status = try version.statusIfPresent(of: file.name), status.kind == .regular
        else { continue }
        result.append(
          Entry(
            id: entry.name, name: file.name, path: version.path.appending(file.name),
            status: status))
      }
    }
    return result.sorted { $0.id.bytes.lexicographicallyPrecedes($1.id.bytes) }
  }

  /// Opens a version's directory; nil if it is not there.
  func open(_ names: [FilePath.Component]) throws(FileError) -> OpenDirectory? {
    do {
      return try OpenDirectory.walk(from: root, names)
    } catch {
      guard error.errno == .noSuchFileOrDirectory || error.errno == .notDirectory else {
        throw error
      }
      return nil
    }
  }

  /// Keeps what `write` writes, durably; only then it returns.
  func keep(
    _ document: [FilePath.Component], name: FilePath.Component, modified: Int64?,
    _ write: (OpenFile) throws -> Void
  ) throws -> FilePath.Component {
    try LinuxFileSystem().makeOwnDirectories(root)
    let id = try newID(of: document)
    let directory = try OpenDirectory.make(from: root, document + [id], mode: 0o700)
    let temporary = try ambient.temporaryName()
    do {
      let file = try directory.create(temporary, mode: 0o600)
      try write(file)
      // A disk without times is no reason to lose a version.
      if let modified { try? file.setModified(modified) }
      try file.synchronize()
      // The last that a file system says of what it could not write; and some rename nothing that
      // is open.
      try file.close()
      try directory.renameExclusively(temporary, to: name)
      try directory.synchronize()
    } catch {
      try? directory.remove(temporary)
      try? OpenDirectory.walk(from: root, document).removeDirectory(id)
      throw error
    }
    return id
  }

  /// Deletes a version for good.
  func remove(_ document: [FilePath.Component], _ id: FilePath.Component) throws {
    guard let directory = try open(document + [id]) else { return }
    for file in try directory.list() { try directory.remove(file.name) }
    let parent = try OpenDirectory.walk(from: root, document)
    try parent.removeDirectory(id)
    try parent.synchronize()
  }

  /// Sorted by when they were made: after those of the same second that are there.
  private func newID(
    of document: [FilePath.Component]
  ) throws(DocumentFileError) -> FilePath.Component {
    let second = (UInt64(clamping: ambient.now()) & 0xFFFF_FFFF_FF) << 24
    let end = second | 0xFF_FFFF
    // Better out of order than nowhere, where they cannot be looked at.
    let entries = (try? open(document)?.list()) ?? []
    let last = entries.compactMap { Self.isID($0.name) ? UInt64($0.name.string, radix: 16) : nil }
      .filter { (second..<end).contains($0) }.max()
    // Not the very next number, which somebody else may make at the same time.
    let number = last.map { $0 + 1 + ambient.random() % max((end - $0) / 16, 1) }
    let text = ambient.hexadecimal(number ?? second | ambient.random() & 0x7F_FFFF)
    guard let id = FilePath.Component(text) else { throw .notADocument(path: text) }
    return id
  }

  static func isID(_ name: FilePath.Component) -> Bool {
    let bytes = name.bytes
    return bytes.count == idLength
      && bytes.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
