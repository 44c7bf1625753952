import CanonicalJSON
import SystemFiles
import SystemPackage

/// How far a rebuild has come that has not come to its end, noted beside the new database.
enum RebuildProgress: String {
  /// The new device may lack what hides and holds back in the old database: nobody may see it.
  case made
  /// It lacks nothing but what is still to be published into the folder.
  case handedOver = "handed-over"
}

extension DeviceDirectory {
  private static let maximumProgressBytes = 4 << 10

  private func progressFile(in directory: FilePath) -> FilePath {
    directory.appending("rebuilding.json")
  }

  /// Nil where no rebuild is to be gone on with.
  func rebuildProgress(in directory: FilePath) -> RebuildProgress? {
    let bytes: [UInt8]
    do {
      let file = progressFile(in: directory)
      bytes = try files.contents(of: file, limit: Self.maximumProgressBytes).bytes
    } catch {
      // What cannot be read says at least that it was begun; handing over twice does no harm.
      return error.errno == .noSuchFileOrDirectory ? nil : .made
    }
    guard case .object(let object)? = try? JSON(parsing: bytes),
      case .string(let text)? = object["progress"]
    else { return .made }
    return RebuildProgress(rawValue: text.description) ?? .made
  }

  /// For whoever goes on with it.
  func noteRebuilding(_ directory: FilePath) throws {
    guard rebuildProgress(in: directory) == nil else { return }
    try note(.made, in: directory)
  }

  func noteHandedOver(_ directory: FilePath) throws {
    guard rebuildProgress(in: directory) == .made else { return }
    try note(.handedOver, in: directory)
  }

  /// Not for use within ``exclusively(_:)``.
  func forgetRebuilding(_ directory: FilePath) throws {
    guard rebuildProgress(in: directory) == .handedOver else { return }
    try exclusively {
      // Another process may have begun a rebuild.
      guard rebuildProgress(in: directory) == .handedOver else { return }
      try files.remove(progressFile(in: directory))
      try files.synchronizeDirectory(directory)
    }
  }

  private func note(_ progress: RebuildProgress, in directory: FilePath) throws {
    try replace(
      progressFile(in: directory), with: ["progress": .string(ByteString(progress.rawValue))])
  }
}
