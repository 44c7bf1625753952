import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A loss of power") struct PowerLossTests {
  private let bytes: [UInt8] = (0..<5000).map { UInt8(truncatingIfNeeded: $0 % 255 + 1) }

  /// What is found under a name after each of many losses of power.
  private func outcomes(
    _ path: FilePath, _ prepare: (InMemoryFileSystem) throws -> Void
  ) throws -> Set<[UInt8]?> {
    var found: Set<[UInt8]?> = []
    for seed in 0..<200 as Range<UInt64> {
      let files = InMemoryFileSystem()
      try prepare(files)
      var generator = SeededGenerator(seed: seed)
      files.powerLoss(using: &generator)
      found.insert(files.bytes(at: path))
    }
    return found
  }

  @Test("keeps what was synchronized")
  func synchronized() throws {
    let found = try outcomes("/f") { try $0.publish(bytes, at: "/f", temporaryName: "t") }
    #expect(found == [bytes])
  }

  @Test("loses, tears or keeps a file that was not synchronized")
  func unsynchronizedFile() throws {
    let found = try outcomes("/f") { files in
      let file = try files.createTemporary(in: "/", fallbackName: "t")
      try files.write(bytes, to: file)
      try files.place(file, at: "/f")
      try files.synchronizeDirectory("/")
    }
    #expect(found.contains([]))
    #expect(found.contains(bytes))
    #expect(!found.contains(nil))
    #expect(found.contains { ($0?.count == bytes.count) && $0 != bytes })
  }

  @Test("loses or keeps a name whose directory was not synchronized")
  func unsynchronizedName() throws {
    let found = try outcomes("/f") { files in
      let file = try files.createTemporary(in: "/", fallbackName: "t")
      try files.write(bytes, to: file)
      try files.synchronize(file)
      try files.place(file, at: "/f")
    }
    #expect(found == [nil, bytes])
  }

  @Test("leaves a directory that was renamed under one of its names")
  func renamedDirectory() throws {
    var found: Set<[Bool]> = []
    for seed in 0..<200 as Range<UInt64> {
      let files = InMemoryFileSystem()
      files.put("/a/f", bytes)
      try files.rename("/a", to: "/b")
      try files.rename("/b", to: "/c")
      var generator = SeededGenerator(seed: seed)
      files.powerLoss(using: &generator)
      found.insert(["/a/f", "/b/f", "/c/f"].map { files.bytes(at: $0) != nil })
    }
    #expect(found.allSatisfy { $0.count(where: \.self) == 1 })
    #expect(found.contains([true, false, false]))
    #expect(found.contains([false, false, true]))
  }

  @Test("brings back or loses a file whose removal was not synchronized")
  func removal() throws {
    let found = try outcomes("/f") { files in
      files.put("/f", bytes)
      try files.remove("/f")
    }
    #expect(found == [nil, bytes])
  }

  @Test("takes a new directory with all that is in it")
  func directory() throws {
    let found = try outcomes("/d/f") { files in
      try files.makeDirectory("/d", mode: 0o777)
      try files.publish(bytes, at: "/d/f", temporaryName: "t")
    }
    #expect(found == [nil, bytes])
  }

  @Test("repeats itself with the same seed")
  func repeats() throws {
    let trees = try (0..<2).map { _ in
      let files = InMemoryFileSystem()
      for number in 0..<50 {
        let file = try files.createTemporary(in: "/", fallbackName: "t")
        try files.write(bytes, to: file)
        try files.place(file, at: FilePath("/\(number)"))
      }
      var generator = SeededGenerator(seed: 1)
      files.powerLoss(using: &generator)
      return files.tree
    }
    #expect(trees[0] == trees[1])
  }
}
