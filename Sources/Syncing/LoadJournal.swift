import CanonicalJSON
import DocumentStorage
import Replication
import Synchronization
import SystemFiles
import SystemPackage

/// How far the last loads of a few files came, so that the same command can go on there.
///
/// Going on, instead of comparing from the start, is what keeps an edit made meanwhile: loaded
/// documents are not put back to what the file says. An entry is written after the commit that it
/// tells of, so it may lag behind, and never runs ahead. It is not synchronized: one that a loss of
/// power took away only means to begin at the start.
///
///     let journal = LoadJournal(directory: state, files: LinuxFileSystem())
///     if let start = journal.entry(for: look, device: device) { … }
package final class LoadJournal: Sendable {
  /// What tells that a file is still the one that it was.
  package struct Look: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    package let size: Int64
    package let modified: Int64
    package let changed: Int64

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
      self.device = device
      self.inode = inode
      self.size = size
      self.modified = modified
      self.changed = changed
    }
  }

  /// Where to go on.
  package struct Entry: Hashable, Sendable {
    package let look: Look
    /// The lines that need not be read again, and their bytes.
    package let line: Int
    package let offset: Int64

    package init(look: Look, line: Int, offset: Int64) {
      self.look = look
      self.line = line
      self.offset = offset
    }
  }

  /// So many files are known at a time: of more, those that were loaded last.
  private static let mostEntries = 8
  private static let fileBytes = 1024
  private let directory: FilePath
  private let files: any FileSystem
  /// The note that was written last: one is written with each transaction.
  private let open = Mutex<OpenFile?>(nil)

  /// - parameter directory: the device's directory in the state.
  /// - parameter files: the file system of the state; the folder's may be out of reach.
  package init(directory: FilePath, files: any FileSystem) {
    self.directory = directory
    self.files = files
  }

  /// Where the last load of this very file ended, if it did not come to the end.
  ///
  /// - throws: also where the entry cannot be read: to begin at the start would undo edits.
  package func entry(for look: Look, device: Device) throws -> Entry? {
    guard let stored = try stored(in: note(of: look)), stored.entry.look == look else { return nil }
    // A database that was put back to an older state has not got what the entry tells of, whatever
    // it has written since.
    if let tip = stored.tip, try !device.database.holds(tip) { return nil }
    return stored.entry
  }

  /// Notes how far a load has come, all of it committed.
  ///
  /// - parameter tip: its last transaction, or the last before it where it changed nothing; nil
  ///   where there is none.
  package func note(_ entry: Entry, writtenBy tip: Context.Entry?) throws {
    let file = note(of: entry.look)
    // One write of always the same length: whoever is killed leaves the old entry or the new.
    let text = Stored(entry: entry, tip: tip).json.canonicalBytes()
    let padding = max(Self.fileBytes - text.count, 0)
    let bytes = text + [UInt8](repeating: UInt8(ascii: " "), count: padding)
    // Another load may have removed it to make room.
    if let kept = open.withLock(\.self), kept.path == file, try kept.status().links > 0 {
      return try kept.overwrite(with: bytes)
    }
    let opened = try opened(file)
    open.withLock { $0 = opened }
    try opened.overwrite(with: bytes)
  }

  private func opened(_ file: FilePath) throws(FileError) -> OpenFile {
    do {
      return try OpenFile(writing: file)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      try makeRoom()
      return try OpenFile(writing: file, isNew: true)
    }
  }

  /// Forgets a file: its load came to its end, or shall begin anew.
  package func clear(_ look: Look) throws {
    try remove(note(of: look))
  }

  /// The note of a file: each has one of its own, so that loads at the same time leave one
  /// another's alone.
  private func note(of look: Look) -> FilePath {
    let number = "\(String(look.device, radix: 16))-\(String(look.inode, radix: 16))"
    return directory.appending("\(Self.prefix)\(number)\(Self.suffix)")
  }

  private static let prefix = "load-"
  private static let suffix = ".json"

  /// Lets go of the oldest notes where there are as many as may be.
  private func makeRoom() throws(FileError) {
    let names = try files.list(directory).map(\.name.string).filter {
      $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix)
    }
    guard names.count >= Self.mostEntries else { return }
    var notes: [(time: Int64, name: String)] = []
    for name in names {
      if let time = try time(of: name) { notes.append((time, name)) }
    }
    for note in notes.sorted(by: <).dropLast(Self.mostEntries - 1) {
      try remove(directory.appending(note.name))
    }
  }

  /// When a note was written; nil where another load has removed it meanwhile.
  private func time(of name: String) throws(FileError) -> Int64? {
    do {
      return try files.status(of: directory.appending(name)).modified
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }

  private func remove(_ note: FilePath) throws(FileError) {
    do {
      try files.remove(note)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
    }
  }

  /// - returns: nil if there is no entry, or something else has its place.
  private func stored(in note: FilePath) throws(FileError) -> Stored? {
    do {
      let bytes = try files.contents(of: note, limit: Self.fileBytes).bytes
      return (try? JSON(parsing: bytes)).flatMap { Stored($0) }
    } catch {
      guard error.errno == .noSuchFileOrDirectory || error.isTooLarge else { throw error }
      return nil
    }
  }
}

/// An entry as it stands in its file.
private struct Stored {
  let entry: LoadJournal.Entry
  let tip: Context.Entry?

  init(entry: LoadJournal.Entry, tip: Context.Entry?) {
    self.entry = entry
    self.tip = tip
  }

  init?(_ json: JSON) {
    guard case .object(let object) = json else { return nil }
    func text(_ name: ByteString) -> String? {
      if case .string(let value) = object[name] { value.description } else { nil }
    }
    func number(_ name: ByteString) -> Int64? {
      if case .integer(let value) = object[name] { value } else { nil }
    }
    guard let device = number("device"), let inode = number("inode"), let size = number("size"),
      let modified = number("modified"), let changed = number("changed"),
      let line = number("line"), let offset = number("offset"), let sequence = number("sequence"),
      line >= 0, (0...size).contains(offset)
    else { return nil }
    if sequence == 0 {
      tip = nil
    } else {
      // What an older program wrote does not tell which transaction it was.
      guard let stream = text("stream").flatMap({ StreamID($0) }),
        let fingerprint = text("fingerprint").flatMap({ Fingerprint($0) })
      else { return nil }
      tip = Context.Entry(
        stream: stream, sequence: UInt64(bitPattern: sequence), fingerprint: fingerprint)
    }
    let look = LoadJournal.Look(
      device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode), size: size,
      modified: modified, changed: changed)
    entry = LoadJournal.Entry(look: look, line: Int(line), offset: offset)
  }

  var json: JSON {
    func number(_ value: UInt64) -> JSON { .integer(Int64(bitPattern: value)) }
    let look = entry.look
    var object: JSONObject = [
      "device": number(look.device), "inode": number(look.inode), "size": .integer(look.size),
      "modified": .integer(look.modified), "changed": .integer(look.changed),
      "line": .integer(Int64(entry.line)), "offset": .integer(entry.offset),
      "sequence": number(tip?.sequence ?? 0),
    ]
    guard let tip else { return .object(object) }
    object["stream"] = .string(ByteString(tip.stream.description))
    object["fingerprint"] = .string(ByteString(tip.fingerprint.description))
    return .object(object)
  }
}
