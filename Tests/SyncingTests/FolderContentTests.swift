import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What devices leave in the folder, seen by a syncer that looks after each step.
private struct Witness {
  private let world: World
  private let folder: FilePath
  /// Of each file what it was when it was first seen.
  private(set) var seen: [FilePath: [UInt8]] = [:]
  private var looks: [FilePath: FileStatus] = [:]

  init(_ world: World, _ folder: FilePath) {
    self.world = world
    self.folder = folder
  }

  /// Sees that nothing that was there has changed, moved or gone.
  mutating func look() throws {
    var present: Set<FilePath> = []
    try visit(folder, &present)
    #expect(present.isSuperset(of: seen.keys), "gone: \(Set(seen.keys).subtracting(present))")
  }

  /// What has no name of a segment.
  var others: [FilePath] {
    seen.keys.filter { SegmentName($0.lastComponent?.bytes ?? []) == nil }
  }

  private mutating func visit(_ directory: FilePath, _ present: inout Set<FilePath>) throws {
    for entry in try world.files.list(directory) {
      let path = directory.appending(entry.name)
      guard try world.files.status(of: path).kind == .regular else {
        try visit(path, &present)
        continue
      }
      present.insert(path)
      let contents = try world.files.contents(of: path, limit: 1 << 26)
      if let before = seen[path], let look = looks[path] {
        #expect(before == contents.bytes && look == contents.status, "\(path) was rewritten")
      }
      seen[path] = contents.bytes
      looks[path] = contents.status
    }
  }
}

@Suite("The folder's files") struct FolderContentTests {
  /// Lessons 1, 17 and 20: each is made once by its author, and stays as it is.
  @Test(
    "are never rewritten or moved, and none is removed without compaction",
    arguments: World.Kind.allCases)
  func immutable(kind: World.Kind) throws {
    let world = try World(kind)
    let folder = try world.folder("shared")
    let (ann, bob) = (try world.peer("ann", in: folder), try world.peer("bob", in: folder))
    var witness = Witness(world, folder)
    for number in 1...6 {
      for peer in [ann, bob] {
        try peer.importAll()
        try peer.put("shared", #"{"n":\#(number),"by":"\#(peer.stream)"}"#)
        if number.isMultiple(of: 2) { try peer.delete("own-\(peer.stream)") }
        try peer.put("own-\(peer.stream)", #"{"n":\#(number)}"#)
        try peer.publish()
        try witness.look()
      }
      _ = try ann.device.database.renameDevice(
        to: "ann\(number)", now: ann.device.ambient.time, nonce: 1)
      try ann.importAll()
      try witness.look()
    }
    let files = witness.seen.keys.filter { $0.extension == "log" }
    #expect(files.count > 20)
    // Each in its author's own directory.
    for file in files {
      let segment = try world.logs(in: folder).first { $0.path(in: folder) == file }?.decoded()
      let author = segment?.segment.range.stream.description
      #expect(file.removingLastComponent().lastComponent?.string == author)
    }
  }

  /// Lesson 2: no index, manifest or "latest" file, so that no order of arrival can lose one.
  @Test("are the marker and segments, and nothing else")
  func nothingElse() throws {
    let world = try World()
    let folder = try world.folder("shared")
    let ann = try world.peer("ann", in: folder)
    try ann.publish(1...3, to: "a")
    var witness = Witness(world, folder)
    try witness.look()
    let marker = folder.appending(Marker.name)
    #expect(witness.others == [marker])
    #expect(witness.seen.count == 4)
    // Whatever else is done there: imports, acknowledgements, what is joined, dropped and removed.
    let bob = try world.peer("bob", in: folder)
    var removed = 0
    for number in 4...20 {
      try ann.put("a", #"{"n":\#(number)}"#)
      try ann.publish()
      for peer in [bob, ann] {
        try peer.hearAndSay()
        let report = try Compactor(device: peer.device, limits: .small(fanOut: 4)).run()
        removed += report.removed.count
      }
      try bob.put("b", #"{"n":\#(number)}"#)
      try bob.publish()
      world.advance(milliseconds: CompactionLimits.week)
    }
    #expect(removed > 0)
    var later = Witness(world, folder)
    try later.look()
    #expect(later.others == [marker])
  }

  /// Lesson 7: what folds capitals, normalises or shortens names finds nothing to do.
  @Test("have names of small ASCII letters, digits, points and hyphens, at most 60 bytes")
  func names() throws {
    let fake = InMemoryFileSystem(features: .renameOnly)
    let world = try World(fake: fake)
    let folder = try world.folder("shared")
    let ann = try world.peer("Ännchen's LAPTOP", in: folder)
    try ann.put("Ünïcode ID", "{}")
    // Temporaries, too, which a crash leaves behind.
    for call in 1...8 {
      fake.kill(at: call)
      #expect(throws: (any Error).self) { try ann.publish() }
      fake.reboot()
    }
    try ann.publish()
    var names: Set<[UInt8]> = []
    func visit(_ directory: FilePath) throws {
      for entry in try fake.list(directory) {
        names.insert(entry.name.bytes)
        let path = directory.appending(entry.name)
        if try fake.status(of: path).kind == .directory { try visit(path) }
      }
    }
    try visit(folder)
    #expect(names.contains { $0.starts(with: ".feedsync-".utf8) })
    #expect(names.count >= 5)
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789.-".utf8)
    for name in names {
      #expect(
        name.count <= 60 && allowed.isSuperset(of: name), "\(String(decoding: name, as: UTF8.self))"
      )
    }
  }
}
