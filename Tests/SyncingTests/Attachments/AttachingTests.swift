import BlobStorage
import DocumentStorage
import Replication
import SharedFolder
import Synchronization
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Attaching a file") struct AttachingTests {
  /// A world with a device, the same each time.
  private static func scene(
    _ features: InMemoryFileSystem.Features = InMemoryFileSystem.Features()
  ) throws -> (InMemoryFileSystem, World, Peer) {
    let files = InMemoryFileSystem(features: features)
    let world = try World(.fake, fake: files)
    let ann = try world.loner("ann")
    try files.synchronizeDirectory(world.root)
    try files.synchronizeDirectory(ann.folder)
    return (files, world, ann)
  }

  @Test("that is killed at any call leaves no reference without its blob")
  func killed() throws {
    for features in [InMemoryFileSystem.Features(), .renameOnly] {
      var kills = 0
      for call in 1... {
        let (files, _, ann) = try Self.scene(features)
        files.kill(at: call)
        let isAcknowledged = (try? ann.attach("text", to: "n")) != nil
        guard files.wasKilled else {
          #expect(isAcknowledged)
          break
        }
        kills += 1
        files.reboot()
        let isThere = try ann.body("n") != nil
        #expect(!isAcknowledged || isThere)
        for found in try ann.availability(of: "n") {
          guard case .here = found else {
            Issue.record("a kill at call \(call) left \(found)")
            continue
          }
        }
      }
      // The blob alone takes five: create, write, synchronize, place, synchronize the directory.
      #expect(kills >= 5)
    }
  }

  @Test("and losing power at any call, or once it is done, loses no blob that is referred to")
  func powerLoss() throws {
    var acknowledged = 0
    for call in 1...24 {
      for seed in 1...3 {
        let (files, _, ann) = try Self.scene()
        files.kill(at: call)
        let isAcknowledged = (try? ann.attach("text", to: "n")) != nil
        if isAcknowledged { acknowledged += 1 }
        var chance = SeededGenerator(seed: UInt64(seed))
        files.powerLoss(using: &chance)
        let all = try ann.availability(of: "n")
        #expect(!isAcknowledged || all.count == 1)
        for found in all {
          guard case .here = found else {
            Issue.record("power lost at call \(call) left \(found)")
            continue
          }
        }
      }
    }
    #expect(acknowledged > 0)
  }

  /// A device whose user takes a blob away right after it is stored, so many times.
  private static func robbed(
    _ ann: Peer, of hash: BlobHash, in files: InMemoryFileSystem, times: Int
  ) -> Device {
    let rest = Mutex(times)
    let file = ann.blobs.file(hash, of: ann.stream)
    let robbed = InterruptedFileSystem(
      files,
      beforeReading: { path in
        // Asked for between the two.
        guard path.lastComponent?.string == UnusedNotes.name, files.bytes(at: file) != nil else {
          return
        }
        let isNow = rest.withLock { rest in
          rest -= 1
          return rest >= 0
        }
        if isNow { files.removeTree(file) }
      })
    return Device(
      record: ann.device.record, database: ann.device.database,
      container: ContainerFolder(root: ann.folder, files: robbed), ambient: ann.device.ambient)
  }

  @Test("begins anew where the blob is taken away before the transaction refers to it")
  func vanishing() throws {
    let (files, _, ann) = try Self.scene()
    files.put("/world/f", Array("text".utf8))
    let source = BlobSource(file: "/world/f", in: files)
    let hash = try ann.attach("text", to: "before")
    try files.remove(ann.blobs.file(hash, of: ann.stream))
    let once = Self.robbed(ann, of: hash, in: files, times: 1)
    var commits = 0
    try Attaching(device: once).attach(source) { blob, check in
      #expect(blob.hash == hash)
      commits += 1
      try ann.write { try check($0) }
    }
    #expect(commits == 1)
    #expect(try ann.keeps(hash))
    // Whoever takes it away again and again is told of.
    let always = Self.robbed(ann, of: hash, in: files, times: .max)
    #expect(throws: BlobError.vanished(ann.blobs.file(hash, of: ann.stream))) {
      try Attaching(device: always).attach(source) { _, _ in commits += 1 }
    }
    #expect(commits == 1)
  }

  @Test("asks nothing of the folder while others wait for the database")
  func unasked() throws {
    let (files, _, ann) = try Self.scene()
    files.put("/world/f", Array("text".utf8))
    let attaching = try Attaching(device: ann.device)
    try attaching.attach(BlobSource(file: "/world/f", in: files)) { _, check in
      // It does not answer any more.
      files.removeTree(ann.folder)
      try ann.write { try check($0) }
    }
  }

  @Test("under one name on two devices shows one whole, and lists the other as a conflict")
  func concurrent() throws {
    let (_, world, ann) = try Self.scene()
    let bob = try world.loner("bob")
    try ann.put("n", "{}")
    try world.send(from: ann, to: bob)
    let first = try ann.attach("one", to: "n")
    let second = try bob.attach("another", to: "n")
    try world.give(ann, to: bob)
    try world.give(bob, to: ann)
    for peer in [ann, bob] {
      var found: [AttachmentSurvey.Found] = []
      try AttachmentSurvey(device: peer.device).forEach(at: Peer.key("n")) { found.append($0) }
      #expect(Set(found.map(\.reference.hash)) == [first, second])
      #expect(found.map(\.isShown) == [true, false])
      for one in found {
        #expect(one.reference.size == (one.reference.hash == first ? 3 : 7))
        #expect(one.authors == [one.reference.hash == first ? ann.stream : bob.stream])
      }
    }
    #expect(try ann.body("n") == bob.body("n"))
    #expect(try ann.device.database.counts().conflicts == 1)
  }

  @Test("is told apart elsewhere: not arrived, here, damaged, and lost once its author is retired")
  func states() throws {
    let (files, world, ann) = try Self.scene()
    let bob = try world.loner("bob")
    let hash = try ann.attach("text", to: "n")
    try world.give(ann, to: bob)
    #expect(try bob.availability(of: "n") == [.awaited(from: [ann.stream])])
    try world.giveBlobs(ann, to: bob)
    let whole = BlobCopy(stream: ann.stream, condition: .whole)
    #expect(try bob.availability(of: "n") == [.here(whole)])
    let path = bob.blobs.file(hash, of: ann.stream)
    files.truncate(path, to: 2)
    let cut = BlobCopy(stream: ann.stream, condition: .short(2))
    #expect(try bob.availability(of: "n") == [.damaged([cut], awaitedFrom: [ann.stream])])
    files.put(path, Array("tex!".utf8))
    let other = BlobCopy(stream: ann.stream, condition: .otherContent)
    #expect(try bob.availability(of: "n") == [.damaged([other], awaitedFrom: [ann.stream])])
    try files.remove(path)
    #expect(try bob.availability(of: "n") == [.awaited(from: [ann.stream])])
    try bob.device.database.retire(ann.stream, now: bob.device.ambient.now())
    #expect(try bob.availability(of: "n") == [.lost])
    try files.remove(ann.blobs.file(hash, of: ann.stream))
    #expect(try ann.availability(of: "n") == [.lost])
  }
}

/// Another process has the device go on in a copy of its folder, and the old one stays.
@Suite("Attaching while the device is moved") struct MovedAttachingTests {
  enum Moment: CaseIterable, Sendable {
    case before
    case storing
    case committing
  }

  @Test("refers to nothing whose content the new folder would not get", arguments: Moment.allCases)
  func moved(at moment: Moment) throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old)
    let new = house.root.appending("new")
    try house.copy(old, to: new)
    let process = try house.open()
    func move(_ now: Moment) throws { if now == moment { try house.initialise(new) } }
    try move(.before)
    #expect(throws: ContainerError.moved(old)) {
      let attaching = try Attaching(device: process.device)
      let source = BlobSource(stream: { piece in
        try move(.storing)
        try piece(ArraySlice("text".utf8))
      })
      try attaching.attach(source) { _, check in
        try move(.committing)
        try process.write { writer in
          _ = try writer.put(.object([:]), at: Peer.key("n"))
          try check(writer)
        }
      }
    }
    let moved = try house.open()
    #expect(moved.folder == new)
    #expect(try moved.body("n") == nil)
    #expect(try moved.device.database.unpublishedCount() == 0)
  }

  @Test("goes on where the folder is only known by another path since")
  func otherPath() throws {
    let house = try Household()
    let folder = try house.makeFolder("folder")
    try house.initialise(folder)
    let process = try house.open()
    let above = house.root.appending("above")
    try house.files.makeSymbolicLink(above, to: house.root)
    try process.device.database.rejoin(at: above.appending("folder"))
    try process.attach("text", to: "n")
    #expect(try process.body("n") != nil)
  }
}
