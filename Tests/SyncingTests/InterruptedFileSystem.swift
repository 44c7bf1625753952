import Synchronization
import SystemFiles
import SystemPackage

/// A file system to which something happens before a change or a look, or right after a file got
/// its name.
///
/// What unmounts, moves or replaces the folder at the worst moment, refuses, or kills.
final class InterruptedFileSystem: FileSystem {
  typealias Check = @Sendable (_ path: FilePath) throws(FileError) -> Void

  private let base: any FileSystem
  private let countdown: Mutex<Int>
  private let event: @Sendable () -> Void
  private let check: Check
  private let reading: Check
  private let look: Check
  private let listing: Check

  /// - parameter places: how many files are to get their names before `event`.
  init(_ base: any FileSystem, afterPlaces places: Int, event: @escaping @Sendable () -> Void) {
    self.base = base
    countdown = Mutex(places)
    self.event = event
    check = { (_) throws(FileError) in }
    reading = { (_) throws(FileError) in }
    look = { (_) throws(FileError) in }
    listing = { (_) throws(FileError) in }
  }

  /// - parameter reading: called before a file is read as a whole; what it throws, that throws.
  init(_ base: any FileSystem, beforeReading reading: @escaping Check) {
    self.base = base
    countdown = Mutex(0)
    event = {}
    check = { (_) throws(FileError) in }
    self.reading = reading
    look = { (_) throws(FileError) in }
    listing = { (_) throws(FileError) in }
  }

  /// - parameter check: called before each change; what it throws, the change throws, and does
  ///   nothing.
  init(_ base: any FileSystem, beforeChange check: @escaping Check) {
    self.base = base
    countdown = Mutex(0)
    event = {}
    self.check = check
    reading = { (_) throws(FileError) in }
    look = { (_) throws(FileError) in }
    listing = { (_) throws(FileError) in }
  }

  /// - parameter look: called before it is looked what stands at a path; what it throws, that
  ///   throws.
  init(_ base: any FileSystem, beforeLooking look: @escaping Check) {
    self.base = base
    countdown = Mutex(0)
    event = {}
    check = { (_) throws(FileError) in }
    reading = { (_) throws(FileError) in }
    self.look = look
    listing = { (_) throws(FileError) in }
  }

  /// - parameter listing: called before a directory is listed; what it throws, that throws.
  init(_ base: any FileSystem, beforeListing listing: @escaping Check) {
    self.base = base
    countdown = Mutex(0)
    event = {}
    check = { (_) throws(FileError) in }
    reading = { (_) throws(FileError) in }
    look = { (_) throws(FileError) in }
    self.listing = listing
  }

  func place(_ file: TemporaryFile, at path: FilePath) throws(FileError) {
    try check(path)
    try base.place(file, at: path)
    let isNow = countdown.withLock { count in
      count -= 1
      return count == 0
    }
    if isNow { event() }
  }

  func status(of path: FilePath) throws(FileError) -> FileStatus {
    try look(path)
    return try base.status(of: path)
  }

  func list(_ directory: FilePath) throws(FileError) -> [DirectoryEntry] {
    try listing(directory)
    return try base.list(directory)
  }

  func contents(of path: FilePath, limit: Int) throws(FileError) -> FileContents {
    try reading(path)
    return try base.contents(of: path, limit: limit)
  }

  func read(
    _ path: FilePath, _ body: (ArraySlice<UInt8>) throws -> Void
  ) throws -> FileReading {
    try base.read(path, body)
  }

  func makeDirectory(_ path: FilePath, mode: UInt32) throws(FileError) {
    try check(path)
    try base.makeDirectory(path, mode: mode)
  }

  func createTemporary(
    in directory: FilePath, fallbackName: FilePath.Component, mode: UInt32
  ) throws(FileError) -> TemporaryFile {
    try check(directory)
    return try base.createTemporary(in: directory, fallbackName: fallbackName, mode: mode)
  }

  func write(_ bytes: [UInt8], to file: TemporaryFile) throws(FileError) {
    try check(file.directory)
    try base.write(bytes, to: file)
  }

  func synchronize(_ file: TemporaryFile) throws(FileError) {
    try check(file.directory)
    try base.synchronize(file)
  }

  func discard(_ file: TemporaryFile) { base.discard(file) }

  func synchronizeDirectory(_ directory: FilePath) throws(FileError) {
    try check(directory)
    try base.synchronizeDirectory(directory)
  }

  func remove(_ path: FilePath) throws(FileError) {
    try check(path)
    try base.remove(path)
  }

  func removeDirectory(_ path: FilePath) throws(FileError) {
    try check(path)
    try base.removeDirectory(path)
  }

  func makeSymbolicLink(_ path: FilePath, to target: FilePath) throws(FileError) {
    try check(path)
    try base.makeSymbolicLink(path, to: target)
  }

  func rename(_ source: FilePath, to destination: FilePath) throws(FileError) {
    try check(source)
    try base.rename(source, to: destination)
  }

  func setMode(_ mode: UInt32, of file: TemporaryFile) throws(FileError) {
    try base.setMode(mode, of: file)
  }

  func checkWriting(to directory: FilePath) throws(FileError) {
    try base.checkWriting(to: directory)
  }

  func hasAccessList(_ path: FilePath) -> Bool { base.hasAccessList(path) }

  func kind(of path: FilePath) throws(FileError) -> FileSystemKind { try base.kind(of: path) }

  func canonicalPath(of path: FilePath) throws(FileError) -> FilePath {
    try base.canonicalPath(of: path)
  }

  func linkTarget(of path: FilePath) throws(FileError) -> FilePath {
    try base.linkTarget(of: path)
  }

  func lock(
    _ path: FilePath, exclusive: Bool, wait: Bool, holder: [UInt8]
  ) throws(FileError) -> FileLock {
    try base.lock(path, exclusive: exclusive, wait: wait, holder: holder)
  }
}
