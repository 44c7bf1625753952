import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// protocol.md 25.
@Suite("The look for others who write one's stream") struct ForkLookTests {
  private struct Scene {
    let world: World
    let fake: InMemoryFileSystem
    let ann: Peer
    /// A file in its directory that says nothing of anybody else.
    let strange: FilePath

    init(isStrange: Bool, clock: (@Sendable () -> Int64)? = nil) throws {
      fake = InMemoryFileSystem(clock: clock)
      world = try World(.fake, fake: fake)
      ann = try world.peer("ann", in: try world.folder("folder"))
      for number in 0..<3 {
        try ann.put("a\(number)", "{}")
        try ann.publish()
      }
      let first = try #require(try world.logs(in: ann.folder).first)
      strange = first.path(in: ann.folder).parent.appending("strange.log")
      guard isStrange else { return }
      try world.place([1, 2, 3], at: strange)
      try world.deliver(first, to: ann.folder, name: "copy.log")
    }

    /// What a clone of her writes, published elsewhere.
    func foreign() throws -> LogFile {
      let twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
      try twin.put("b", "{}")
      try twin.publish()
      return try #require(try world.logs(in: twin.folder).first)
    }

    /// How many files are opened meanwhile.
    func opened(_ body: () throws -> Void) rethrows -> Int {
      let before = fake.callCount(.open)
      try body()
      return fake.callCount(.open) - before
    }
  }

  @Test("opens no file again that is as it was")
  func remembered() throws {
    let (plain, scene) = (try Scene(isStrange: false), try Scene(isStrange: true))
    let (control, importer) = (
      Importer(device: plain.ann.device), Importer(device: scene.ann.device)
    )
    for _ in 1...2 {
      _ = try control.importAll()
      _ = try importer.importAll()
      // What is damaged is read again until it is beyond doubt.
      scene.world.advance(milliseconds: 3000)
    }
    _ = try importer.importAll()
    let wanted = try plain.opened { _ = try control.importAll() }
    #expect(try scene.opened { _ = try importer.importAll() } == wanted)
    // Another process, which knows what the import has noted.
    let published = try plain.opened { try plain.ann.publish() }
    #expect(try scene.opened { try scene.ann.publish() } == published)
    // Within one process, also what no import has looked at.
    try scene.world.place([4, 5, 6], at: scene.strange)
    #expect(try scene.opened { try scene.ann.publish() } == published + 1)
  }

  @Test("takes a directory that cannot be listed for none that is empty")
  func unlistable() throws {
    let scene = try Scene(isStrange: false)
    let directory = scene.strange.parent
    try scene.ann.put("b", "{}")
    scene.fake.setRefused(true, directory)
    #expect(throws: FileError.self) { try scene.ann.publish() }
    #expect(try scene.ann.importAll().publishingFailure is FileError)
    #expect(throws: FileError.self) { try scene.ann.device.missingOwnTransactions() }
    scene.fake.setRefused(false, directory)
    #expect(try scene.ann.publish().transactions == 1)
  }

  @Test("opens one again that has changed, and finds what another has written under its name")
  func changed() throws {
    let scene = try Scene(isStrange: true)
    let importer = Importer(device: scene.ann.device)
    for _ in 1...2 { _ = try importer.importAll() }
    #expect(try scene.ann.device.database.device()?.stream == scene.ann.stream)
    let foreign = try scene.foreign()
    try scene.world.place(foreign.bytes, at: scene.strange)
    try scene.ann.publish()
    #expect(try scene.ann.device.database.device()?.stream != scene.ann.stream)
  }

  @Test("finds the file of a clone beside those that the same process has published")
  func beside() throws {
    let scene = try Scene(isStrange: false)
    let (publisher, memory) = (Publisher(device: scene.ann.device), Publisher.Memory())
    for _ in 1...2 {
      #expect(try !publisher.publishOwn(remembering: memory))
    }
    let foreign = try scene.foreign()
    try scene.world.deliver(foreign, to: scene.ann.folder)
    #expect(try publisher.publishOwn(remembering: memory))
  }

  @Test("lists no directory again that looks as it did a moment ago")
  func listed() throws {
    let scene = try Scene(isStrange: false)
    let (publisher, memory) = (Publisher(device: scene.ann.device), Publisher.Memory())
    func lists(_ id: String) throws -> Int {
      let before = scene.fake.callCount(.list)
      try scene.ann.put(id, "{}")
      #expect(try !publisher.publishOwn(remembering: memory))
      return scene.fake.callCount(.list) - before
    }
    #expect(try lists("b") == 1)
    #expect(try lists("c") == 0)
    #expect(try lists("d") == 0)
    scene.world.advance(milliseconds: 1_000)
    #expect(try lists("e") == 1)
    try scene.world.place([1, 2, 3], at: scene.strange)
    #expect(try lists("f") == 1)
    #expect(try lists("g") == 0)
  }

  @Test("finds the file of a clone that left the directory looking the same")
  func sameTick() throws {
    let scene = try Scene(isStrange: false, clock: { 0 })
    let (publisher, memory) = (Publisher(device: scene.ann.device), Publisher.Memory())
    #expect(try !publisher.publishOwn(remembering: memory))
    try scene.world.deliver(try scene.foreign(), to: scene.ann.folder)
    scene.world.advance(milliseconds: 1_000)
    #expect(try publisher.publishOwn(remembering: memory))
  }
}
