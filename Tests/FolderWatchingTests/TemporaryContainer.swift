import FolderWatching
import Glibc
import SystemPackage
import TestSupport
import Testing

/// The tests that use libinotifytools, which is global to the process: one after another.
@Suite(.watchesAlone, .serialized, .timeLimit(.minutes(5))) enum RealInotify {}

/// A container, and a state beside it, on the local file system; removed by ``remove()``.
struct TemporaryContainer {
  let root: FilePath
  let container: FilePath
  var logs: FilePath { container.appending("logs") }
  var cookies: FilePath { root.appending("cookies") }

  /// Makes the container with `logs/` and these stream directories.
  init(streams: [String] = ["a"], name: FilePath.Component = "container") throws {
    root = try TemporaryDirectory.make()
    container = root.appending(name)
    makeDirectory(container)
    makeDirectory(logs)
    for stream in streams { makeDirectory(logs.appending(stream)) }
  }

  func watcher(fileSystem: String? = nil, clock: any Clock<Duration> = ManualClock())
    -> FolderWatcher
  {
    let backend = InotifyToolsBackend(
      container: container, cookies: cookies, fileSystem: { _ in fileSystem })
    return FolderWatcher(backend: backend, clock: clock)
  }

  func remove() { TemporaryDirectory.removeTree(root) }
}

func makeDirectory(_ path: FilePath) {
  if path.withPlatformString({ mkdir($0, 0o755) }) != 0 {
    Issue.record("mkdir \(path): \(Errno(rawValue: errno))")
  }
}

func makeFile(_ path: FilePath) {
  let flags = O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC
  let file = path.withPlatformString { open($0, flags, 0o644) }
  if file < 0 { Issue.record("open \(path): \(Errno(rawValue: errno))") }
  write(file, "x", 1)
  close(file)
}

func move(_ old: FilePath, _ new: FilePath) {
  if rename(old.string, new.string) != 0 {
    Issue.record("rename \(old) \(new): \(Errno(rawValue: errno))")
  }
}

func names(_ path: FilePath) -> [String] {
  guard let directory = opendir(path.string) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

func removeTree(_ path: FilePath) {
  for name in names(path) {
    let child = path.appending(name)
    if unlink(child.string) != 0 { removeTree(child) }
  }
  rmdir(path.string)
}
