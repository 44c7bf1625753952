import Dispatch
import Glibc
import Synchronization
import SystemFiles
import SystemPackage

/// Tells which of many folders may have changed, by one inotify instance.
///
/// Like ``DirectorySignal`` it needs no libinotifytools. Where inotify does not see all (NFS, SMB,
/// FUSE), or is not to be had, ``seesAll`` is false and nothing is hinted at. A folder inside that
/// is mounted from elsewhere is not told apart. Once the root is watched, so are the folders that
/// lead to it, as far as they can be read, for being moved: then another one may have its path.
///
///     let signal = TreeSignal("/home/ann/Sync/notes/Documents") { wake() }
///     signal.watch("/home/ann/Sync/notes/Documents/letters")
package final class TreeSignal: FolderHints {
  private struct State {
    var paths: [Int32: FilePath] = [:]
    var watches: [FilePath: Int32] = [:]
    /// What should be watched, and is not.
    var unwatched: Set<FilePath> = []
    var hint = FolderHint.nothing
  }
  /// How many folders are watched at most, lest a hostile folder take the watches of all the user's
  /// programs.
  private static let limit = 8192
  private static let events = UInt32(
    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
      | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)

  /// What is heard of the folders that lead to the root.
  private static let moves = UInt32(
    IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)

  private let root: FilePath
  private let state = Mutex(State())
  private let descriptor: Int32?
  private let source: Mutex<(any DispatchSourceProtocol)?>

  /// Watches nothing yet.
  ///
  /// - parameters:
  ///   - root: Where the folders are; its file system decides whether inotify is of use.
  ///   - wake: Is called on a thread of Dispatch's when there is something to take.
  package init(_ root: FilePath, wake: @escaping @Sendable () -> Void) {
    self.root = root
    let descriptor = LinuxFileSystem.isLocal(root) ? try? InotifyInstance.make() : nil
    self.descriptor = descriptor
    let readable = Readable()
    source = Mutex(descriptor.flatMap { Self.source($0, readable) })
    readable.connect { [weak self] in
      if self?.read() == true { wake() }
    }
  }

  deinit { source.withLock { $0?.cancel() } }

  /// What is called when the kernel has something to tell.
  private final class Readable: Sendable {
    private let call = Mutex<@Sendable () -> Void>({})
    func connect(_ body: @escaping @Sendable () -> Void) { call.withLock { $0 = body } }
    func fire() { call.withLock { $0 }() }
  }

  private static func source(
    _ descriptor: Int32, _ readable: Readable
  ) -> sending (any DispatchSourceProtocol)? {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor)
    source.setEventHandler { readable.fire() }
    source.setCancelHandler { InotifyInstance.end(descriptor) }
    source.resume()
    return source
  }

  package var seesAll: Bool {
    descriptor != nil && state.withLock { $0.unwatched.isEmpty }
  }

  package func watch(_ folder: FilePath) {
    guard let descriptor else { return }
    state.withLock { state in
      // First, so that what the root's path leads to is watched, or the move is heard of.
      if folder == root {
        for path in foldersAbove { Self.add(path, Self.moves, descriptor, &state) }
      }
      guard state.watches[folder] != nil || state.watches.count < Self.limit else {
        state.unwatched.insert(folder)
        return
      }
      guard let failure = Self.add(folder, Self.events, descriptor, &state) else {
        state.unwatched.remove(folder)
        return
      }
      // What is gone, no folder, or closed to us says so when it is looked at.
      let answers = [ENOENT, ENOTDIR, ELOOP, EACCES]
      if !answers.contains(failure) { state.unwatched.insert(folder) }
    }
  }

  /// The folders that lead to the root, the uppermost first.
  private var foldersAbove: [FilePath] {
    var (above, path): ([FilePath], FilePath) = ([], root)
    while path.removeLastComponent(), !path.isEmpty { above.append(path) }
    return above.reversed()
  }

  /// Watches a folder; returns what keeps it from that, if so.
  @discardableResult
  private static func add(
    _ folder: FilePath, _ events: UInt32, _ descriptor: Int32, _ state: inout State
  ) -> Int32? {
    let watch = folder.withPlatformString { inotify_add_watch(descriptor, $0, events) }
    guard watch >= 0 else { return errno }
    if let old = state.watches[folder], old != watch, state.paths[old] == folder {
      state.paths[old] = nil
      inotify_rm_watch(descriptor, old)
    }
    // A folder that was moved has the number it had.
    state.paths[watch] = folder
    state.watches[folder] = watch
    return nil
  }

  package func forget(_ folder: FilePath) {
    state.withLock { state in
      state.unwatched.remove(folder)
      guard let watch = state.watches.removeValue(forKey: folder),
        // It may be the number of that folder under another path by now.
        state.paths[watch] == folder, let descriptor
      else { return }
      state.paths[watch] = nil
      inotify_rm_watch(descriptor, watch)
    }
  }

  package func take() -> FolderHint {
    state.withLock { state in
      defer { state.hint = .nothing }
      return state.hint
    }
  }

  /// Reads what the kernel tells; returns whether that is a hint.
  private func read() -> Bool {
    guard let descriptor else { return false }
    var found = FolderHint.nothing
    InotifyRecord.take(from: descriptor) { records in
      found = found.union(state.withLock { Self.hint(of: records, below: root, &$0) })
    }
    guard found != .nothing else { return false }
    state.withLock { $0.hint = $0.hint.union(found) }
    return true
  }

  private static func hint(
    of records: [InotifyRecord], below root: FilePath, _ state: inout State
  ) -> FolderHint {
    var folders: Set<FilePath> = []
    var isMoved = false
    for record in records {
      if record.says(IN_Q_OVERFLOW) { return .everything }
      guard let path = state.paths[record.watch] else { continue }
      if path.starts(with: root) { folders.insert(path) } else { isMoved = true }
      // The kernel has ended the watch: the folder is gone, or its file system.
      guard record.says(IN_IGNORED) else { continue }
      state.paths[record.watch] = nil
      if state.watches[path] == record.watch { state.watches[path] = nil }
    }
    return isMoved ? .everything : .folders(folders)
  }
}
