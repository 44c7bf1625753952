import DocumentStorage
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("Files under names that nobody gave them", .serialized) struct StrangeNamesTests {
  // Lesson 9.
  @Test("A conflict copy is a duplicate, and nothing is wrong", arguments: World.Kind.allCases)
  func conflictCopy(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver(scene.annFiles)
    let original = scene.annFiles[0]
    let stem = String(original.name.string.dropLast(4))
    let name = try #require(
      FilePath.Component(stem + ".sync-conflict-20260101-000000-ABCDEFG.log"))
    try scene.world.deliver(original, to: scene.reader.folder, name: name)
    for _ in 1...2 {
      let report = try scene.reader.importAll()
      #expect(report.setAside.isEmpty)
      #expect(report.gaps.isEmpty)
      #expect(report.duplicates == 1)
    }
    #expect(try scene.reader.body("a3") == #"{"n":3}"#)
  }

  // Lesson 9.
  @Test("A duplicate directory is imported as well as the original", arguments: World.Kind.allCases)
  func duplicateDirectory(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    let copy = try #require(FilePath.Component(scene.ann.directory.string + " (1)"))
    for file in scene.annFiles {
      try scene.world.deliver(file, to: scene.reader.folder, directory: copy)
    }
    let first = try scene.reader.importAll()
    #expect(first.segments == 3)
    #expect(first.setAside.isEmpty)
    #expect(try scene.reader.body("a3") == #"{"n":3}"#)
    try scene.deliver(scene.annFiles)
    let second = try scene.reader.importAll()
    #expect(second.segments == 0)
    #expect(second.setAside.isEmpty)
    #expect(second.duplicates == 3)
    #expect(try scene.reader.importAll().duplicates == 3)
  }

  // Lesson 20.
  @Test("A foreign file is counted and left alone", arguments: World.Kind.allCases)
  func foreign(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver(scene.annFiles)
    let logs = scene.reader.folder.appending("logs")
    let directory = logs.appending(scene.ann.directory)
    let paths = [
      logs.appending("stray.log"), directory.appending("photo.jpg"),
      directory.appending("deeper").appending("x.log"), logs.appending("Thumbs.db"),
    ]
    for path in paths { try scene.world.place([1, 2, 3], at: path) }
    let report = try scene.reader.importAll()
    #expect(report.foreign == 4)
    #expect(report.setAside.isEmpty)
    #expect(report.segments == 3)
    for path in paths {
      let found = try scene.world.files.contents(of: path, limit: 10)
      #expect(found.bytes == [1, 2, 3], "\(path)")
    }
  }

  // Lesson 10.
  @Test("Temporaries and hidden files are not even counted", arguments: World.Kind.allCases)
  func temporaries(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver(scene.annFiles)
    let logs = scene.reader.folder.appending("logs")
    let names: [FilePath.Component] = [
      ".syncthing.1.log.tmp", "~syncthing~1.log.tmp", ".nfs0001", ".hidden.log", "a.nosync",
      "b.nosync.log", ".feedsync-0123.nosync", ".DS_Store",
    ]
    for name in names {
      try scene.world.place([1], at: logs.appending(scene.ann.directory).appending(name))
      try scene.world.place([1], at: logs.appending(name))
      try scene.world.place([1], at: logs.appending(name.string + ".d").appending("1.log"))
    }
    let report = try scene.reader.importAll()
    #expect(report.segments == 3)
    #expect(report.setAside.isEmpty)
    #expect(report.foreign == 0)
    #expect(report.duplicates == 0)
  }

  @Test("A name with a newline, or that is not UTF-8, is read all the same")
  func strangeBytes() throws {
    for kind in World.Kind.allCases {
      let scene = try TwoAuthors(kind)
      let newline = try #require(FilePath.Component(bytes: Array("a\nb\u{1B}[1m.log".utf8)))
      let notUTF8 = try #require(FilePath.Component(bytes: [0xFF, 0xFE] + Array(".log".utf8)))
      let directory = try #require(FilePath.Component(bytes: [0xC3, 0x0A]))
      try scene.world.deliver(scene.annFiles[0], to: scene.reader.folder, name: newline)
      try scene.world.deliver(
        scene.annFiles[1], to: scene.reader.folder, directory: directory, name: notUTF8)
      try scene.world.place(
        [1], at: scene.reader.folder.appending("logs").appending(directory).appending(newline))
      let report = try scene.reader.importAll()
      #expect(report.segments == 2)
      #expect(
        report.setAside.map(\.key) == [FileKey(directory: directory.bytes, name: newline.bytes)])
      #expect(try scene.reader.body("a2") == #"{"n":2}"#)
    }
  }

  @Test("A segment under another's name is imported, and that name does not count as imported")
  func swapped() throws {
    for kind in World.Kind.allCases {
      let scene = try TwoAuthors(kind)
      let (first, second) = (scene.annFiles[0], scene.annFiles[1])
      try scene.world.deliver(first, to: scene.reader.folder, name: second.name)
      let report = try scene.reader.importAll()
      #expect(report.segments == 1)
      #expect(report.setAside.isEmpty)
      let names = try scene.reader.device.database.importedNames().segments
      #expect(names.isEmpty)
      try scene.deliver([second])
      #expect(try scene.reader.importAll().segments == 1)
      #expect(try scene.reader.body("a2") == #"{"n":2}"#)
      try scene.deliver([first])
      #expect(try scene.reader.importAll().setAside.isEmpty)
      #expect(try scene.reader.device.database.importedNames().segments.count == 2)
    }
  }

  @Test("A segment under another device's directory belongs to who wrote it")
  func wrongDirectory() throws {
    let scene = try TwoAuthors()
    try scene.world.deliver(
      scene.annFiles[0], to: scene.reader.folder, directory: scene.bob.directory)
    let report = try scene.reader.importAll()
    #expect(report.segments == 1)
    let streams = try scene.reader.device.database.streamSummaries()
    #expect(streams.first { $0.stream == scene.ann.stream }?.applied == 1)
    #expect(streams.allSatisfy { $0.stream != scene.bob.stream })
  }

  // Lesson 5.
  @Test("A file from 1999 is as new as any other", arguments: World.Kind.allCases)
  func oldTime(kind: World.Kind) throws {
    let scene = try TwoAuthors(kind)
    try scene.deliver([scene.bobFile])
    _ = try scene.reader.importAll()
    try scene.deliver(scene.annFiles)
    for file in scene.annFiles {
      let path = file.path(in: scene.reader.folder)
      if let fake = scene.world.fake {
        fake.setModified(915_148_800_000_000_000, path)
      } else {
        try RealFiles.setModified(seconds: 915_148_800, path)
      }
    }
    #expect(try scene.reader.importAll().segments == 3)
    #expect(try scene.reader.dump() == scene.complete)
  }
}
