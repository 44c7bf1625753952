import Replication
import SegmentFormat
import SystemFiles
import SystemPackage

/// The shared folder: its marker, and the segments under `logs/`.
///
/// Named for what iCloud gives an app (coordination.md U). It never creates the folder itself, and
/// never removes or rewrites what it did not write.
///
///     let container = ContainerFolder(root: "/home/ann/Sync/notes", files: LinuxFileSystem())
///     let marker = try container.marker()
package struct ContainerFolder: Sendable {
  package let root: FilePath
  package let files: any FileSystem

  package init(root: FilePath, files: any FileSystem) {
    self.root = root
    self.files = files
  }

  package var logs: FilePath { root.appending("logs") }
  package var markerFile: FilePath { root.appending(Marker.name) }

  package func directory(of stream: StreamID) -> FilePath {
    logs.appending(stream.description)
  }

  /// Reads the marker.
  ///
  /// - throws: ``ContainerError/folderMissing(_:)``, ``ContainerError/markerMissing(_:)`` and
  ///   others of that type, or a ``FileError`` if it cannot be read.
  package func marker() throws -> Marker {
    let contents: FileContents
    do {
      contents = try files.contents(of: markerFile, limit: Marker.maximumBytes)
    } catch {
      throw explain(error)
    }
    return try Marker(parsing: contents.bytes, file: markerFile)
  }

  /// Whether it is the folder that is missing, or the marker in it, or something else is wrong.
  private func explain(_ error: FileError) -> any Error {
    // What has its name is left alone, and is no reason to do without what is local.
    if let kind = error.foundKind {
      return ContainerError.markerDamaged(markerFile, detail: "it is no regular file but: \(kind)")
    }
    if error.isTooLarge {
      return ContainerError.markerDamaged(markerFile, detail: "it is larger than any marker")
    }
    return switch error.errno {
    case .noSuchFileOrDirectory:
      (try? files.status(of: root)) == nil
        ? ContainerError.folderMissing(root) : whyMissing()
    case .notDirectory: ContainerError.folderMissing(root)
    case _ where error.meansUnreachable: ContainerError.unreachable(markerFile, error.errno)
    default: error
    }
  }

  private func whyMissing() -> ContainerError {
    // Only looked at for what to say: a folder that cannot be listed has no marker, either.
    let names = (try? files.list(root)) ?? []
    guard let name = names.first(where: { UnarrivedName.isOfMarker($0.bytes) })?.name else {
      return .markerMissing(root)
    }
    return .markerUnarrived(root.appending(name))
  }

  /// Makes the folder a container, unless another device or process has just done so.
  ///
  /// - returns: the marker that stands there now.
  package func create(_ marker: Marker, temporaryName: FilePath.Component) throws -> Marker {
    _ = try place(marker.bytes, at: markerFile, temporaryName: temporaryName)
    // Read back: where a file system can neither link nor rename without replacing, two who do this
    // at once both place theirs, and one of them stays.
    return try self.marker()
  }

  /// How a segment came to be in the folder.
  package enum Publication: Equatable, Sendable {
    case written
    /// The same content was there already.
    case present
    /// Its name is taken by something else, so it stands under another one.
    case renamed(FilePath)
  }

  /// Writes a segment's file durably under its own name.
  ///
  /// Whoever publishes it again, and whenever, finds it there and changes nothing.
  ///
  /// - parameter isDurable: Whether the name of the stream's directory is known to be on the disk.
  package func publish(
    _ file: SegmentFile.Encoded, of range: Segment.Range, temporaryName: FilePath.Component,
    inDurable isDurable: Bool = false
  ) throws -> Publication {
    let name = SegmentName(first: range.first, last: range.last, digest: file.digest)
    let directory = try makeDirectory(of: range.stream, isDurable: isDurable)
    for copy in 0..<Self.maximumCopies {
      guard let component = name.component(copy: copy) else { continue }
      let path = directory.appending(component)
      if try place(file.bytes, at: path, temporaryName: temporaryName) {
        return copy == 0 ? .written : .renamed(path)
      }
      guard holds(path, range: range, digest: file.digest) else { continue }
      // Whoever wrote it may have lost power before the name was on disk.
      try files.synchronizeDirectory(directory)
      return copy == 0 ? .present : .renamed(path)
    }
    throw FileError(.link, directory.appending(name.text), .fileExists)
  }

  /// Whether the folder has a segment's content, under its name or beside what has taken that; read
  /// back, though whoever wrote it may lose power before its name is on disk.
  package func keeps(_ digest: UInt64, of range: Segment.Range) -> Bool {
    let name = SegmentName(first: range.first, last: range.last, digest: digest)
    let directory = directory(of: range.stream)
    for copy in 0..<Self.maximumCopies {
      guard let component = name.component(copy: copy),
        (try? files.status(of: directory.appending(component))) != nil
      else { continue }
      if holds(directory.appending(component), range: range, digest: digest) { return true }
    }
    return false
  }

  /// Writes a file durably; false if its name is taken.
  private func place(
    _ bytes: [UInt8], at path: FilePath, temporaryName: FilePath.Component
  ) throws(FileError) -> Bool {
    do {
      try files.publish(bytes, at: path, temporaryName: temporaryName)
      return true
    } catch {
      guard error.errno == .fileExists else { throw error }
      return false
    }
  }

  package static let maximumCopies = 9

  /// Whether the file has this very content; another compression of it counts as the same.
  private func holds(_ path: FilePath, range: Segment.Range, digest: UInt64) -> Bool {
    guard let contents = try? files.contents(of: path, limit: SegmentFile.maximumFileBytes),
      let found = try? SegmentFile.decode(contents.bytes)
    else { return false }
    return found.segment.range == range && found.digest == digest
  }

  /// Makes the directory of a stream, with its name on the disk.
  ///
  /// Also where it stands already: it may have been made by a process that ended before its name
  /// was on the disk, or by a syncer, which need not see to that.
  private func makeDirectory(
    of stream: StreamID, isDurable: Bool
  ) throws(FileError) -> FilePath {
    let directory = directory(of: stream)
    for (path, parent) in [(logs, root), (directory, logs)] {
      do {
        try files.makeDirectory(path, mode: 0o777)
      } catch {
        guard error.errno == .fileExists else { throw error }
        // A link would lead all that is written to where no syncer and no import looks.
        guard try files.status(of: path).kind == .directory else {
          throw FileError(.makeDirectory, path, .notDirectory)
        }
        if isDurable { continue }
      }
      try files.synchronizeDirectory(parent)
    }
    return directory
  }
}
