import BlobStorage
import Replication
import Testing

@Suite("Which copies may go") struct BlobKeepingTests {
  private static func hash(_ digit: Character) throws -> BlobHash {
    try #require(BlobHash(String(repeating: digit, count: 64)))
  }

  @Test("those to which nothing has referred for the grace, counted from when that was noticed")
  func grace() throws {
    let (used, unused) = (try Self.hash("a"), try Self.hash("b"))
    func keeping(_ noted: [BlobHash: Int64], now: Int64) -> BlobKeeping {
      BlobKeeping(own: [used, unused], needed: [used], noted: noted, now: now, grace: 100)
    }
    let first = keeping([:], now: 1000)
    #expect(first.due == [] && first.unused == [unused: 1000])
    let second = keeping(first.unused, now: 1099)
    #expect(second.due == [] && second.unused == [unused: 1000])
    #expect(keeping(second.unused, now: 1100).due == [unused])
  }

  @Test("not one that was needed again meanwhile, nor by a note from the future")
  func again() throws {
    let hash = try Self.hash("a")
    let needed = BlobKeeping(
      own: [hash], needed: [hash], noted: [hash: 0], now: 1000, grace: 100)
    #expect(needed.due == [] && needed.unused == [:])
    let ahead = BlobKeeping(own: [hash], needed: [], noted: [hash: 5000], now: 1000, grace: 100)
    #expect(ahead.due == [] && ahead.unused == [hash: 1000])
  }

  @Test("not one by a note from before it was there, unless its own time is one of the future")
  func early() throws {
    let hash = try Self.hash("a")
    func keeping(arrival: Int64?) -> BlobKeeping {
      var keeping = BlobKeeping(
        own: [hash], needed: [], noted: [hash: 500], now: 1000, grace: 100)
      keeping.beginAnew(now: 1000) { _ in arrival }
      return keeping
    }
    #expect(keeping(arrival: 501).due == [] && keeping(arrival: 501).unused == [hash: 1000])
    for arrival in [nil, 500, 1001] as [Int64?] {
      #expect(keeping(arrival: arrival).due == [hash])
      #expect(keeping(arrival: arrival).unused == [hash: 500])
    }
  }

  @Test("none by a time that is beyond all reckoning, which ends nothing")
  func reckoning() throws {
    let hash = try Self.hash("a")
    let keeping = BlobKeeping(
      own: [hash], needed: [], noted: [hash: .min], now: 1000, grace: 100)
    #expect(keeping.due == [] && keeping.unused == [hash: .min])
  }

  @Test("of more notes than a file may have the earliest are kept, so that some of them go")
  func many() throws {
    var unused: [BlobHash: Int64] = [:]
    for number in 0..<200_000 {
      let digits = String(number)
      let hash = BlobHash(String(repeating: "0", count: 64 - digits.utf8.count) + digits)
      unused[try #require(hash)] = .max - Int64(number)
    }
    let bytes = UnusedNotes.encode(unused)
    #expect(bytes.count <= UnusedNotes.maximumBytes)
    let noted = UnusedNotes.decode(bytes)
    #expect(noted.count > 190_000 && noted.count < unused.count)
    #expect(noted.values.max() == (.max - Int64(unused.count - noted.count)))
  }

  @Test("notes of no time that has been are none")
  func impossible() throws {
    let hash = try Self.hash("a")
    for since in [.min, -1, 0] as [Int64] {
      #expect(UnusedNotes.decode(UnusedNotes.encode([hash: since])) == [:])
    }
    #expect(UnusedNotes.decode(UnusedNotes.encode([hash: 1])) == [hash: 1])
  }

  @Test("notes are read as they were written, and whatever else stands there is none")
  func notes() throws {
    let notes = [try Self.hash("a"): Int64(7), try Self.hash("b"): 9]
    #expect(UnusedNotes.decode(UnusedNotes.encode(notes)) == notes)
    for text in ["", "{", "[]", #"{"x":1}"#, #"{"\#(String(repeating: "a", count: 64))":"1"}"#] {
      #expect(UnusedNotes.decode(Array(text.utf8)) == [:])
    }
  }
}

@Suite("Whether a blob is here") struct BlobAvailabilityTests {
  private static let ann = BlobScene.ann
  private static let bob = BlobScene.bob
  private static let short = BlobCopy(stream: bob, condition: .short(1))
  private static let whole = BlobCopy(stream: ann, condition: .whole)

  private func judge(
    _ copies: [BlobCopy], by authors: Set<StreamID>, silent: Set<StreamID> = [ann]
  ) -> BlobAvailability {
    BlobAvailability(copies: copies, authors: authors, silent: silent)
  }

  @Test("it is, if any copy is whole")
  func here() {
    #expect(judge([Self.short, Self.whole], by: [Self.bob]) == .here(Self.whole))
  }

  @Test("it is awaited from those who refer to it and may still send something")
  func awaited() {
    #expect(judge([], by: [Self.ann, Self.bob]) == .awaited(from: [Self.bob]))
  }

  @Test("it is lost where those are this device and the retired")
  func lost() {
    #expect(judge([], by: [Self.ann]) == .lost)
    #expect(judge([], by: [Self.ann, Self.bob], silent: [Self.ann, Self.bob]) == .lost)
  }

  @Test("it is damaged where all that is here is, whoever may still send it")
  func damaged() {
    #expect(
      judge([Self.short], by: [Self.bob]) == .damaged([Self.short], awaitedFrom: [Self.bob]))
    #expect(judge([Self.short], by: [Self.ann]) == .damaged([Self.short], awaitedFrom: []))
  }
}
