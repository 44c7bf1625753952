import SystemPackage

/// Tries out what publishing needs, in a directory of its own that is removed again.
///
///     let outcome = FolderTrial(files: files).run(in: "/home/ann/Sync/notes", name: name)
package struct FolderTrial {
  /// What a file system does that it must not.
  package enum Fault: Hashable, Sendable {
    /// A step failed.
    case failed(FileError)
    /// A name that is taken was given away again: a file could be overwritten.
    case replaces
    /// What was read is not what was written.
    case altersContent
    /// A name that was made is not listed as it was made.
    case altersNames
  }

  package struct Outcome: Hashable, Sendable {
    package var faults: [Fault] = []
    /// Whether "a" and "A" are one file.
    package var foldsCase = false
    /// What could not be removed again, if so.
    package var leftover: FilePath?

    package init() {}
  }

  private let files: any FileSystem
  private static let bytes = Array("feedsync tries out this folder\n".utf8)
  /// As long as a segment's name, and with a capital's small letter.
  private static let name: FilePath.Component =
    "0000000000000001-0000000000000001-feedfeedfeedfeed.log"
  private static let capital: FilePath.Component =
    "0000000000000001-0000000000000001-FEEDFEEDFEEDFEED.log"
  private static let temporary: FilePath.Component = ".feedsync-trial.nosync"

  package init(files: any FileSystem) { self.files = files }

  /// Makes a directory of the given name, which must be free, and removes it with its content.
  package func run(in root: FilePath, name: FilePath.Component) -> Outcome {
    let directory = root.appending(name)
    var outcome = Outcome()
    do throws(FileError) {
      try files.makeDirectory(directory, mode: 0o700)
    } catch {
      outcome.faults = [.failed(error)]
      return outcome
    }
    do throws(FileError) {
      try examine(directory, &outcome)
    } catch {
      outcome.faults.append(.failed(error))
    }
    remove(directory, &outcome)
    return outcome
  }

  private func examine(_ directory: FilePath, _ outcome: inout Outcome) throws(FileError) {
    let path = directory.appending(Self.name)
    try files.publish(Self.bytes, at: path, temporaryName: Self.temporary)
    if try !isRefused(path) { outcome.faults.append(.replaces) }
    let limit = Self.bytes.count * 2
    if try files.contents(of: path, limit: limit).bytes != Self.bytes {
      outcome.faults.append(.altersContent)
    }
    let names = try files.list(directory).map(\.name)
    if !names.contains(Self.name) { outcome.faults.append(.altersNames) }
    outcome.foldsCase = (try? files.status(of: directory.appending(Self.capital))) != nil
    // The syncer's ignore file is replaced in this way.
    try files.rename(path, to: directory.appending("renamed"))
    try files.synchronizeDirectory(directory)
  }

  /// Whether a second file of the same name is refused, as a segment's must be.
  private func isRefused(_ path: FilePath) throws(FileError) -> Bool {
    do throws(FileError) {
      try files.publish([0], at: path, temporaryName: Self.temporary)
      return false
    } catch {
      guard error.errno == .fileExists else { throw error }
      return true
    }
  }

  private func remove(_ directory: FilePath, _ outcome: inout Outcome) {
    let names = (try? files.list(directory))?.map(\.name) ?? []
    for name in names { try? files.remove(directory.appending(name)) }
    do throws(FileError) {
      try files.removeDirectory(directory)
    } catch {
      outcome.leftover = directory
    }
  }
}
