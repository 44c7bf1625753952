import Glibc
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// Files are written through a link in the place of a directory; no syncer and no import follows
/// it.
@Suite("A link in the place of the directory to publish into") struct LinkedDirectoryTests {
  @Test(
    "is refused, and what waits is published once it is gone",
    arguments: World.Kind.allCases, [0, 1])
  func refused(kind: World.Kind, published: Int) throws {
    for isLogs in [true, false] {
      let world = try World(kind)
      let ann = try world.peer("ann", in: try world.folder("ann"))
      for number in 0..<published {
        try ann.put("before\(number)", "{}")
        try ann.publish()
      }
      let logs = ann.folder.appending("logs")
      let path = isLogs ? logs : logs.appending(ann.directory)
      let elsewhere = world.root.appending("elsewhere")
      try world.makeDirectories(path.parent)
      if published > 0 {
        try world.files.rename(path, to: elsewhere)
      } else {
        try world.makeDirectories(elsewhere)
      }
      try world.link(path, to: elsewhere)
      try ann.put("a", "{}")
      #expect(throws: FileError(.makeDirectory, path, .notDirectory)) { try ann.publish() }
      #expect(try ann.device.database.unpublishedCount() == 1)

      try world.files.remove(path)
      if published > 0 { try world.files.rename(elsewhere, to: path) }
      #expect(try ann.publish().transactions == 1)
      #expect(try world.logs(in: ann.folder).count == published + 1)
    }
  }
}

extension World {
  /// Makes a symbolic link.
  fileprivate func link(_ path: FilePath, to target: FilePath) throws {
    if let fake { return fake.putLink(path, to: target) }
    try #require(symlink(target.string, path.string) == 0)
  }
}
