import BlobStorage
import Syncing
import SystemFiles
import SystemPackage
import TestSupport
import Testing

/// Since when nothing refers to a device's copies (protocol.md 30).
@Suite("The notes about copies that nothing refers to") struct BlobNotesTests {
  @Test("last when power goes after something has referred to them again")
  func powerLoss() throws {
    for seed in 1...8 {
      let files = InMemoryFileSystem()
      let world = try World(.fake, fake: files)
      let ann = try world.loner("ann")
      for path in [world.root, ann.folder] { try files.synchronizeDirectory(path) }
      let hash = try ann.attach("text", to: "n")
      try ann.detach(from: "n")
      #expect(try ann.look().waiting == 1)
      // As if the disk had got to that by itself meanwhile.
      try files.synchronizeDirectory(ann.blobs.directory(of: ann.stream))
      world.advance(milliseconds: CompactionLimits.week)
      #expect(try ann.attach("text", to: "other") == hash)
      var chance = SeededGenerator(seed: UInt64(seed))
      files.powerLoss(using: &chance)
      try ann.detach(from: "other")
      #expect(try ann.look().waiting == 1)
      #expect(try ann.keeps(hash), "seed \(seed)")
    }
  }

  @Test("take no copy away, nor end the upkeep, where they are damaged")
  func damaged() throws {
    let files = InMemoryFileSystem()
    let world = try World(.fake, fake: files)
    let ann = try world.loner("ann")
    let hash = try ann.attach("text", to: "n")
    let copy = ann.blobs.file(hash, of: ann.stream)
    files.setModified(ann.device.ambient.now() * 1_000_000, copy)
    try ann.detach(from: "n")
    #expect(try ann.look().waiting == 1)
    let notes = ann.blobs.directory(of: ann.stream).appending(UnusedNotes.name)
    for since in [.min, -1, 0, 1] as [Int64] {
      files.put(notes, Array(#"{"\#(hash.text)":\#(since)}"#.utf8))
      #expect(try ann.look().waiting == 1, "\(since)")
      #expect(try ann.keeps(hash), "\(since)")
    }
    world.advance(milliseconds: CompactionLimits.week - 1)
    #expect(try ann.look().waiting == 1)
    #expect(try ann.keeps(hash))
  }

  @Test("begin anew where a document has referred to the copy between two looks, and no more does")
  func referredToMeanwhile() throws {
    let files = InMemoryFileSystem()
    let world = try World(.fake, fake: files)
    let ann = try world.loner("ann")
    let hash = try ann.attach("text", to: "n")
    let body = try #require(try ann.body("n"))
    try ann.detach(from: "n")
    #expect(try ann.look().waiting == 1)
    world.advance(milliseconds: CompactionLimits.week - 1)
    try ann.put("copy", body)
    try ann.put("copy", "{}")
    try ann.publish()
    world.advance(milliseconds: 1)
    #expect(try ann.look().waiting == 1)
    #expect(try ann.keeps(hash))
    world.advance(milliseconds: CompactionLimits.week)
    #expect(try ann.look().removed == [ann.blobs.file(hash, of: ann.stream)])
  }
}
