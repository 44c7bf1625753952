import SystemFiles
import SystemPackage

/// Hands out what blobs hold, and never anything else.
package struct BlobReader {
  private let folder: BlobFolder
  private let isStopping: () -> Bool
  private var files: any FileSystem { folder.files }

  /// What came of an attempt to read a blob.
  package enum Outcome: Hashable, Sendable {
    /// A copy is whole, and was read.
    case read(BlobCopy)
    /// None is; what each of them is worth, if there are any.
    case none([BlobCopy])
  }

  /// - parameter isStopping: asked between pieces whether to give up.
  package init(_ folder: BlobFolder, isStopping: @escaping () -> Bool = { false }) {
    self.folder = folder
    self.isStopping = isStopping
  }

  /// Reads the copies until one is whole.
  package func verify(_ copies: [BlobCopy], of reference: BlobReference) throws -> Outcome {
    try first(of: copies) { copy in
      try folder.verify(copy, of: reference, isStopping: isStopping)
    }
  }

  /// Writes the content into a file, which gets its name once it is whole and on the disk.
  ///
  /// - parameters:
  ///   - temporaryName: what it may be called until then, in the same directory.
  ///   - replaces: whether a file of that name may be replaced.
  /// - throws: ``BlobError/destinationTaken(_:)``; ``BlobError/destinationIsNoFile(_:_:)``, since a
  ///   rename would take away a device or a link, such as /dev/stdout, and write nothing into it; a
  ///   ``FileError`` if the file cannot be written; `CancellationError`.
  package func write(
    _ copies: [BlobCopy], of reference: BlobReference, to path: FilePath,
    temporaryName: () -> FilePath.Component, replaces: Bool
  ) throws -> Outcome {
    try requireRoom(at: path, replaces: replaces)
    return try first(of: copies) { copy in
      let temporary = try files.createTemporary(
        in: path.parentOrHere, fallbackName: temporaryName())
      let placed: FilePath
      do {
        let verified = try folder.verified(copy, of: reference) { piece in
          if isStopping() { throw CancellationError() }
          try files.write(Array(piece), to: temporary)
        }
        guard verified.condition == .whole else {
          files.discard(temporary)
          return verified
        }
        try files.synchronize(temporary)
        placed = try place(temporary, at: path, besides: temporaryName(), replaces: replaces)
      } catch {
        files.discard(temporary)
        throw error
      }
      if placed != path { try replace(path, by: placed) }
      try files.synchronizeDirectory(path.parentOrHere)
      return copy
    }
  }

  private func requireRoom(at path: FilePath, replaces: Bool) throws(BlobError) {
    guard let status = try? files.status(of: path) else { return }
    guard replaces else { throw .destinationTaken(path) }
    guard status.kind == .regular else { throw .destinationIsNoFile(path, status.kind) }
  }

  /// Puts the file in the place of another, if that is still one.
  private func replace(_ path: FilePath, by staged: FilePath) throws {
    do {
      try requireRoom(at: path, replaces: true)
    } catch {
      // What failed first is what is told.
      try? files.remove(staged)
      throw error
    }
    try files.replace(path, by: staged)
  }

  /// Gives a file its name, or one beside it where that is taken and may be replaced.
  private func place(
    _ temporary: TemporaryFile, at path: FilePath, besides name: FilePath.Component,
    replaces: Bool
  ) throws -> FilePath {
    do throws(FileError) {
      try files.place(temporary, at: path)
      return path
    } catch {
      guard error.errno == .fileExists else { throw error }
      guard replaces else { throw BlobError.destinationTaken(path) }
    }
    let staged = path.parentOrHere.appending(name)
    try files.place(temporary, at: staged)
    return staged
  }

  /// Calls `body` with the content, piece by piece, once a copy was read and found whole.
  ///
  /// - throws: ``BlobError/copyChanged(_:)``, after some pieces, if the copy was changed between;
  ///   what `body` throws; `CancellationError`.
  package func read(
    _ copies: [BlobCopy], of reference: BlobReference, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> Outcome {
    let outcome = try verify(copies, of: reference)
    guard case .read(let copy) = outcome else { return outcome }
    let again = try folder.verified(copy, of: reference) { piece in
      if isStopping() { throw CancellationError() }
      try body(piece)
    }
    guard again.condition == .whole else {
      throw BlobError.copyChanged(folder.file(reference.hash, of: copy.stream))
    }
    return outcome
  }

  private func first(
    of copies: [BlobCopy], _ attempt: (BlobCopy) throws -> BlobCopy
  ) throws -> Outcome {
    var judged: [BlobCopy] = []
    for copy in copies {
      guard copy.condition == .whole else {
        judged.append(copy)
        continue
      }
      let found = try attempt(copy)
      if found.condition == .whole { return .read(found) }
      judged.append(found)
    }
    return .none(judged)
  }
}

extension FilePath {
  /// The directory that it is in; the current one for a bare name.
  fileprivate var parentOrHere: FilePath {
    let parent = removingLastComponent()
    return parent.isEmpty ? "." : parent
  }
}
