import Replication
import SystemFiles
import SystemPackage

/// What a blob is made of: read once or twice, from its start to its end.
package struct BlobSource {
  /// The file that is read; nil where there is none, as for a pipe, which can be read only once.
  let file: FilePath?
  private let stream: ((ArraySlice<UInt8>) throws -> Void) throws -> Void

  /// The content of a file, whose last component must be no link.
  package init(file: FilePath, in files: any FileSystem) {
    self.file = file
    stream = { body in
      guard try !files.read(file, body).changedWhileRead else {
        throw BlobError.sourceChanged(file)
      }
    }
  }

  /// What `stream` calls its argument with, piece by piece.
  package init(stream: @escaping ((ArraySlice<UInt8>) throws -> Void) throws -> Void) {
    file = nil
    self.stream = stream
  }

  /// Whether it gives the same once more.
  package var canBeReadAgain: Bool { file != nil }

  func read(_ body: (ArraySlice<UInt8>) throws -> Void) throws {
    try withoutActuallyEscaping(body) { try stream($0) }
  }
}

/// Stores blobs as one device's own.
///
/// When it returns, the blob is on the disk under its name, so that a transaction may refer to it.
/// Until then it has no name, or a temporary one, which no syncer carries; whatever fails, nothing
/// of it stays behind.
package struct BlobWriter {
  private let folder: BlobFolder
  private let stream: StreamID
  private let temporaryName: () -> FilePath.Component
  private let isStopping: () -> Bool
  private var files: any FileSystem { folder.files }

  /// What was stored.
  package struct Stored: Hashable, Sendable {
    package let hash: BlobHash
    package let size: Int64
    /// Whether it was written; a whole copy that was there already is kept.
    package let isNew: Bool

    /// What was stored, as told.
    package init(hash: BlobHash, size: Int64, isNew: Bool) {
      self.hash = hash
      self.size = size
      self.isNew = isNew
    }
  }

  /// - parameter isStopping: asked between pieces whether to give up.
  package init(
    _ folder: BlobFolder, stream: StreamID,
    temporaryName: @escaping () -> FilePath.Component, isStopping: @escaping () -> Bool = { false }
  ) {
    self.folder = folder
    self.stream = stream
    self.temporaryName = temporaryName
    self.isStopping = isStopping
  }

  /// Stores what a source gives; what is there already, whole, is not written again.
  ///
  /// - throws: ``BlobError``; a ``FileError`` if the source cannot be read, or the folder not be
  ///   written; what the source throws; `CancellationError`.
  package func store(_ source: BlobSource) throws -> Stored {
    try makeDirectory()
    if let present = try present(source) { return present }
    return try write(source, expecting: nil)
  }

  /// Stores a copy of what another device keeps, if that is whole.
  ///
  /// - returns: nil if it is not.
  package func store(_ hash: BlobHash, from other: StreamID) throws -> Stored? {
    try store(hash, from: folder.file(hash, of: other))
  }

  /// Stores a copy of a file, if it has the content that is asked for.
  ///
  /// - returns: nil if it has not, or is no file.
  package func store(_ hash: BlobHash, from file: FilePath) throws -> Stored? {
    try makeDirectory()
    do {
      return try write(BlobSource(file: file, in: files), expecting: hash)
    } catch BlobError.sourceChanged(file) {
      return nil
    } catch let error as FileError where error.path == file && error.isNotAFile {
      return nil
    }
  }

  /// Looks through the source first where a blob of its size is there, which may be the same.
  private func present(_ source: BlobSource) throws -> Stored? {
    guard let file = source.file, let size = try? files.status(of: file).size else { return nil }
    let sizes = try folder.hashes(of: stream).map { hash in
      (try? files.status(of: folder.file(hash, of: stream)))?.size
    }
    guard sizes.contains(size) else { return nil }
    var hasher = BlobHasher()
    try source.read { piece in
      if isStopping() { throw CancellationError() }
      hasher.update(piece)
    }
    guard try isWhole(hasher.result, hasher.count) else { return nil }
    try files.synchronizeDirectory(folder.directory(of: stream))
    return Stored(hash: hasher.result, size: hasher.count, isNew: false)
  }

  /// Whether there is a copy already that has the content which its name promises; it is read.
  package func isWhole(_ hash: BlobHash) throws -> Bool {
    guard let status = try? files.status(of: folder.file(hash, of: stream)) else { return false }
    return try isWhole(hash, status.size)
  }

  private func isWhole(_ hash: BlobHash, _ size: Int64) throws -> Bool {
    let reference = BlobReference(hash: hash, size: size, name: "", type: nil)
    let copy = BlobCopy(stream: stream, condition: .whole)
    return try folder.verify(copy, of: reference, isStopping: isStopping).condition == .whole
  }

  private func write(_ source: BlobSource, expecting expected: BlobHash?) throws -> Stored {
    let temporary = try files.createTemporary(
      in: folder.directory(of: stream), fallbackName: temporaryName())
    var hasher = BlobHasher()
    let placed: FilePath?
    do {
      try source.read { piece in
        if isStopping() { throw CancellationError() }
        hasher.update(piece)
        try files.write(Array(piece), to: temporary)
      }
      guard expected == nil || expected == hasher.result else {
        throw BlobError.sourceChanged(source.file ?? temporary.path)
      }
      try files.synchronize(temporary)
      placed = try place(temporary, hasher)
    } catch {
      files.discard(temporary)
      throw error
    }
    let path = folder.file(hasher.result, of: stream)
    // A damaged copy, which only this device writes. In one step: another process may have replaced
    // it meanwhile, and refer to what it stored.
    if let placed, placed != path { try files.replace(path, by: placed) }
    try files.synchronizeDirectory(folder.directory(of: stream))
    return Stored(hash: hasher.result, size: hasher.count, isNew: placed != nil)
  }

  /// Gives a file its name, or one beside it where a damaged copy has that; nil if a whole copy
  /// has it, and the file is not needed.
  private func place(_ temporary: TemporaryFile, _ hasher: BlobHasher) throws -> FilePath? {
    let path = folder.file(hasher.result, of: stream)
    do throws(FileError) {
      try files.place(temporary, at: path)
      return path
    } catch {
      guard error.errno == .fileExists else { throw error }
    }
    guard try !isWhole(hasher.result, hasher.count) else {
      files.discard(temporary)
      return nil
    }
    let kind = try files.status(of: path).kind
    guard kind == .regular else { throw BlobError.inTheWay(path, kind) }
    let staged = folder.directory(of: stream).appending(temporaryName())
    try files.place(temporary, at: staged)
    return staged
  }

  private func makeDirectory() throws {
    let steps = [
      (folder.root, folder.container.root), (folder.directory(of: stream), folder.root),
    ]
    for (path, parent) in steps {
      do throws(FileError) {
        try files.makeDirectory(path, mode: 0o777)
      } catch {
        guard error.errno == .fileExists else { throw error }
        let kind = try files.status(of: path).kind
        // A link would lead all that is written to somewhere else.
        guard kind == .directory else { throw BlobError.inTheWay(path, kind) }
      }
      // Whoever made it may have lost power before its name was on disk.
      try files.synchronizeDirectory(parent)
    }
  }
}
