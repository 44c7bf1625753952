import DocumentStorage
import Synchronization
import Syncing
import SystemFiles
import SystemPackage

/// The directories of a machine's local state, with a database in memory for each.
///
/// The file of a database holds its number, so that it goes where its directory goes.
final class PretendedState: Sendable {
  static let root: FilePath = "/machine/state"

  private let files: InMemoryFileSystem
  private let databases = Mutex<[StoreDatabase]>([])

  init(files: InMemoryFileSystem) { self.files = files }

  private func file(in directory: FilePath) -> FilePath { directory.appending("store.sqlite") }

  /// Makes a database the one in a directory.
  func place(_ database: StoreDatabase, in directory: FilePath) {
    guard self.database(in: directory) !== database else { return }
    files.putDirectory(directory)
    files.put(file(in: directory), bytes(of: database))
  }

  /// The database in a directory; nil if there is none.
  func database(in directory: FilePath) -> StoreDatabase? {
    guard let bytes = files.bytes(at: file(in: directory)),
      let number = Int(String(decoding: bytes, as: UTF8.self))
    else { return nil }
    return databases.withLock { $0[number] }
  }

  private func bytes(of database: StoreDatabase) -> [UInt8] {
    databases.withLock { databases in
      if let known = databases.firstIndex(where: { $0 === database }) {
        return Array("\(known)".utf8)
      }
      databases.append(database)
      return Array("\(databases.count - 1)".utf8)
    }
  }

  /// Opens the database in a directory, or makes one there.
  func open(
    _ directory: FilePath, temporaryName: FilePath.Component,
    _ make: () throws -> StoreDatabase
  ) throws -> StoreDatabase {
    if let database = database(in: directory) { return database }
    let made = try make()
    try files.publish(
      bytes(of: made), at: file(in: directory), temporaryName: temporaryName, mode: 0o600)
    return made
  }
}
