import DocumentFiles
import FileCoordination
import Foundation
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage

extension UbiquityContainer {
  /// The user's own files in the container: the folder `Documents`, which is made if it is missing.
  ///
  ///     let documents = try container.documents()
  ///     for entry in try documents.documents() where entry.conflicts > 0 { print(entry.path) }
  ///
  /// Versions that lost a conflict are kept in the local state, under `versions`, and stay there
  /// when this device leaves the container.
  ///
  /// - parameters:
  ///   - onWait: Hears, on any thread, whom an access to one of the files waits for, if it has to
  ///     wait.
  ///   - onLapse: Hears likewise of programs that have a file open and did not answer in time.
  /// - throws: ``FeedSyncError``: `.noContainer` if the folder is missing, or another one.
  public func documents(
    onWait: (@Sendable ([CoordinationHolder]) -> Void)? = nil,
    onLapse: (@Sendable (PresenterLapse) -> Void)? = nil
  ) throws -> DocumentFolder {
    let operation = "open the documents"
    do {
      let device = device.asked()
      if let absence = try device.absence() { throw absence }
      let root = device.container.documents
      let files = LinuxFileSystem()
      do throws(FileError) {
        try files.makeDirectory(root, mode: 0o777)
      } catch {
        guard error.errno == .fileExists else { throw error }
        // A link would lead all that is done with documents to somewhere else.
        let kind = try files.status(of: root).kind
        guard kind == .directory else { throw FileError.notAFile(root, found: kind) }
      }
      // Also where it is there: whoever made it may have ended before its name was on the disk.
      try files.synchronizeDirectory(device.container.root)
      let state = device.database.file.parent.parent
      var folder = try DocumentFolder(
        root, keeping: device.keptVersions,
        domain: try UserCoordination.domain(state: state.string), onWait: onWait, onLapse: onLapse)
      folder.absence = { [device] in
        do {
          return try device.asked().absence().map {
            FeedSyncError($0, operation: operation).message
          }
        } catch {
          let cause = FeedSyncError(error, operation: operation)
          // A marker that cannot be read now does not say that it is another container's.
          guard case ContainerError.otherContainer = error else { return cause.message }
          throw cause
        }
      }
      return folder
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }
}

extension ContainerFolder {
  /// The user's own files.
  var documents: FilePath { root.appending("Documents") }
}

extension DocumentFolder {
  /// The document that a user means: by a path from the current directory that leads into the
  /// folder, else by one from the folder.
  package func document(named text: String) -> FilePath {
    let typed = FilePath(text)
    guard typed.isRelative else { return typed }
    let here = StateLocation.absolute(text)
    let parent = try? LinuxFileSystem().canonicalPath(of: here.removingLastComponent())
    guard let parent, parent.starts(with: path) else { return path.appending(typed.components) }
    return here
  }
}
