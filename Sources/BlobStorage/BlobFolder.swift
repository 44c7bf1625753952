import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// The blobs in a container's folder: `blobs/<stream>/<hash>`, each device its own copy.
///
/// No link is followed on the way: whatever stands where a directory should, but is none, counts as
/// not there when it is read, and is refused when it is written to.
///
///     let blobs = BlobFolder(container)
///     let copies = try blobs.copies(of: reference)
package struct BlobFolder: Sendable {
  package let container: ContainerFolder
  var files: any FileSystem { container.files }

  package init(_ container: ContainerFolder) { self.container = container }

  /// Where the blobs of all devices are.
  package var root: FilePath { container.root.appending("blobs") }

  /// Where one device keeps its copies.
  package func directory(of stream: StreamID) -> FilePath { root.appending(stream.description) }

  /// Where a device's copy of a blob is, or would be.
  package func file(_ hash: BlobHash, of stream: StreamID) -> FilePath {
    directory(of: stream).appending(hash.fileName)
  }

  // MARK: Looking

  /// The devices that keep blobs here, sorted.
  package func streams() throws(FileError) -> [StreamID] {
    try list(root).compactMap { StreamID($0.name.string) }.sorted()
  }

  /// The names of a device's blobs, whatever stands under them.
  package func hashes(of stream: StreamID) throws(FileError) -> Set<BlobHash> {
    Set(try entries(of: stream).compactMap { BlobHash($0.name.string) })
  }

  /// The temporaries of feedsync's in a device's directory, in use or left behind.
  package func leftovers(of stream: StreamID) throws(FileError) -> [FilePath.Component] {
    try entries(of: stream).filter { LeftoverName.matches($0.bytes) }.map(\.name)
  }

  /// All that stands in a device's directory.
  private func entries(of stream: StreamID) throws(FileError) -> [DirectoryEntry] {
    guard try isDirectory(root) else { return [] }
    return try list(directory(of: stream))
  }

  private func list(_ directory: FilePath) throws(FileError) -> [DirectoryEntry] {
    do throws(FileError) {
      return try files.list(directory)
    } catch {
      guard error.meansNoDirectory else { throw error }
      return []
    }
  }

  /// Whether a directory has this name; what cannot be looked at is not taken for none.
  private func isDirectory(_ path: FilePath) throws(FileError) -> Bool {
    do throws(FileError) {
      return try files.status(of: path).kind == .directory
    } catch {
      guard error.meansNoDirectory else { throw error }
      return false
    }
  }

  /// What stands where each device would keep its copy of a blob, by a look at their sizes alone.
  ///
  /// - parameter preferred: whose copies come first; the others are sorted.
  package func copies(
    of reference: BlobReference, preferring preferred: Set<StreamID> = []
  ) throws(FileError) -> [BlobCopy] {
    let all = try streams()
    let ordered =
      all.filter { preferred.contains($0) } + all.filter { !preferred.contains($0) }
    return ordered.compactMap { copy(of: reference, stream: $0) }
  }

  private func copy(of reference: BlobReference, stream: StreamID) -> BlobCopy? {
    do throws(FileError) {
      guard try isDirectory(directory(of: stream)) else { return nil }
      let status = try files.status(of: file(reference.hash, of: stream))
      return BlobCopy(stream: stream, condition: Self.condition(status, reference))
    } catch {
      guard error.errno != .noSuchFileOrDirectory else { return nil }
      return BlobCopy(stream: stream, condition: .unreadable(error))
    }
  }

  private static func condition(
    _ status: FileStatus, _ reference: BlobReference
  ) -> BlobCopy.Condition {
    guard status.kind == .regular else { return .notAFile(status.kind) }
    guard status.size == reference.size else {
      return status.size < reference.size ? .short(status.size) : .long(status.size)
    }
    return .whole
  }

  // MARK: Verifying

  /// Reads a copy, and tells what it is worth.
  ///
  /// - parameter isStopping: asked between pieces whether to give up.
  /// - throws: `CancellationError` when it was given up.
  package func verify(
    _ copy: BlobCopy, of reference: BlobReference, isStopping: () -> Bool = { false }
  ) throws -> BlobCopy {
    guard copy.condition == .whole else { return copy }
    return try verified(copy, of: reference) { _ in
      if isStopping() { throw CancellationError() }
    }
  }

  /// Reads a copy through `body`, and tells what it was worth once all has gone by.
  ///
  /// - throws: what `body` throws.
  func verified(
    _ copy: BlobCopy, of reference: BlobReference, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> BlobCopy {
    var hasher = BlobHasher()
    var failure: (any Error)?
    do {
      try files.read(file(reference.hash, of: copy.stream)) { piece in
        hasher.update(piece)
        do { try body(piece) } catch {
          failure = error
          throw error
        }
      }
    } catch let error as FileError where failure == nil {
      if let kind = error.foundKind { return copy.being(.notAFile(kind)) }
      return copy.being(.unreadable(error))
    }
    guard hasher.count == reference.size else {
      return copy.being(
        hasher.count < reference.size ? .short(hasher.count) : .long(hasher.count))
    }
    return copy.being(hasher.result == reference.hash ? .whole : .otherContent)
  }
}

extension FileError {
  /// Whether there is no directory of this name, or something else has it.
  fileprivate var meansNoDirectory: Bool {
    [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(errno)
  }
}

/// What stands where a device would keep its copy of a blob.
package struct BlobCopy: Hashable, Sendable {
  /// What it is worth.
  package enum Condition: Hashable, Sendable {
    /// It has the right size; and the right content, once it has been read.
    case whole
    /// It ends early: it may be on its way, or have been cut.
    case short(Int64)
    /// It has more bytes than it should.
    case long(Int64)
    /// It has the right size, and other content.
    case otherContent
    /// No regular file has its name.
    case notAFile(FileKind)
    /// It cannot be read.
    case unreadable(FileError)
  }

  /// Whose copy it is.
  package let stream: StreamID
  package let condition: Condition

  package init(stream: StreamID, condition: Condition) {
    self.stream = stream
    self.condition = condition
  }

  func being(_ condition: Condition) -> BlobCopy {
    BlobCopy(stream: stream, condition: condition)
  }
}
