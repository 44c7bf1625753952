import FeedSync
import Foundation
import Testing

/// `Codable` values as documents: what is written is read back, in the form that others read.
@Suite struct CodableTests {
  let place: Place
  let store: DocumentStore

  init() throws {
    place = try Place()
    store = try place.store()
  }

  struct Everything: Codable, Equatable {
    enum Color: String, Codable { case red, green }
    struct Inner: Codable, Equatable {
      var name: String
      var numbers: [Int]
    }

    var small: Int8 = -8
    var large: UInt64 = .max
    var double = 1.0
    var float: Float = 0.1
    var flag = true
    var text = "a\u{301}"
    var none: Int?
    var color = Color.green
    var date = Date(timeIntervalSince1970: 1_700_000_000.125)
    var data = Data([0, 255])
    var url = URL(string: "https://example.org/a?b=c")
    var id = UUID(uuidString: "5B5C5D5E-0000-4000-8000-000000000001")
    var inner = [Inner(name: "x", numbers: [1, 2]), Inner(name: "", numbers: [])]
    var byName = ["é": 1, "e": 2]
    var optionals: [Int?] = [1, nil]
    var extra: JSON = ["deep": [1, 2.5, "s", false, .null, ["a": []]]]
  }

  @Test func everythingComesBackAsItWas() throws {
    let value = Everything()
    try store.write { try $0.put(value, at: "a", in: "notes") }
    #expect(try store.read { try $0.get(Everything.self, at: "a", in: "notes") } == value)
  }

  @Test func theFormIsTheOneThatOthersRead() throws {
    try store.write { try $0.put(Everything(), at: "a", in: "notes") }
    let body = try #require(try store.read { try $0.document("a", in: "notes") }).body
    guard case .object(let object) = body else {
      Issue.record("no object")
      return
    }
    #expect(object["date"] == "2023-11-14T22:13:20.125Z")
    #expect(object["data"] == "AP8=")
    #expect(object["url"] == "https://example.org/a?b=c")
    #expect(object["double"] == 1.0)
    #expect(object["float"] == 0.1)
    #expect(object["large"]?.canonical == "18446744073709551615")
    #expect(object["none"] == nil)
    #expect(object["optionals"] == [1, .null])
  }

  @Test func aDateThatWasReadIsWrittenAsItStood() throws {
    struct Dated: Codable { var date: Date }
    for millisecond in stride(from: 0, to: 1000, by: 7) {
      let text = "2023-11-14T22:13:20.\(String("00\(millisecond)".suffix(3)))Z"
      try store.write {
        try $0.put(["date": .string(ByteString(text))] as JSON, at: "a", in: "notes")
      }
      let read = try #require(try store.read { try $0.get(Dated.self, at: "a", in: "notes") })
      let isChanged = try store.write { try $0.put(read, at: "a", in: "notes") }.value
      #expect(!isChanged, "\(text)")
    }
  }

  class Base: Codable { var base = 1 }
  final class Derived: Base {
    var own = 2
    enum Keys: String, CodingKey { case own, parts }

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      try super.init(from: try decoder.container(keyedBy: Keys.self).superDecoder())
      let container = try decoder.container(keyedBy: Keys.self)
      own = try container.decode(Int.self, forKey: .own)
      var parts = try container.nestedUnkeyedContainer(forKey: .parts)
      #expect(try parts.decode(Int.self) == 3)
      #expect(try parts.nestedUnkeyedContainer().isAtEnd)
      #expect(parts.isAtEnd)
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try super.encode(to: container.superEncoder())
      try container.encode(own, forKey: .own)
      var parts = container.nestedUnkeyedContainer(forKey: .parts)
      try parts.encode(3)
      _ = parts.nestedUnkeyedContainer()
    }
  }

  @Test func nestedContainersAndSuperclassesWork() throws {
    let value = Derived()
    value.own = 7
    value.base = 8
    try store.write { try $0.put(value, at: "a", in: "notes") }
    let body = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(body.canonical == #"{"own":7,"parts":[3,[]],"super":{"base":8}}"#)
    let read = try #require(try store.read { try $0.get(Derived.self, at: "a", in: "notes") })
    #expect(read.own == 7)
    #expect(read.base == 8)
  }

  /// As a class and its subclass do that share an object.
  struct InParts: Encodable {
    enum Keys: String, CodingKey { case place, list, x, y }

    func encode(to encoder: any Encoder) throws {
      for (key, number) in [(Keys.x, 1), (.y, 2)] {
        var container = encoder.container(keyedBy: Keys.self)
        var place = container.nestedContainer(keyedBy: Keys.self, forKey: .place)
        try place.encode(number, forKey: key)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(number)
      }
    }
  }

  @Test func aNestedContainerThatIsAskedForAgainGoesOn() throws {
    try store.write { try $0.put(InParts(), at: "a", in: "notes") }
    let body = try #require(try store.read { try $0.document("a", in: "notes") }).body
    #expect(body.canonical == #"{"list":[1,2],"place":{"x":1,"y":2}}"#)
  }

  @Test(arguments: [
    (#"{"n":300}"#, false), (#"{"n":1.5}"#, false), (#"{"n":"1"}"#, false), (#"{}"#, false),
    (#"{"n":null}"#, false), (#"{"n":2.0}"#, true), (#"{"n":-128,"other":1}"#, true),
  ])
  func numbersMustFitWhatIsAskedFor(_ text: String, _ fits: Bool) throws {
    struct Small: Codable { var n: Int8 }
    try store.write { try $0.put(try JSON(parsing: Array(text.utf8)), at: "a", in: "notes") }
    let document = try #require(try store.read { try $0.document("a", in: "notes") })
    if fits {
      _ = try document.decode(Small.self)
    } else {
      #expect(throws: DecodingError.self) { try document.decode(Small.self) }
    }
  }

  @Test func infinityAndValuesThatAreNoObjectAreRefused() throws {
    #expect(throws: EncodingError.self) {
      try store.write { try $0.put(["a": Double.infinity], at: "a", in: "notes") }
    }
    let error = #expect(throws: FeedSyncError.self) {
      try store.write { try $0.put([1, 2] as [Int], at: "a", in: "notes") }
    }
    #expect(error?.code == .badInput)
  }

  // As seconds: Foundation ends a process that describes an infinite date.
  @Test(arguments: [Double.infinity, .nan, 1e15, -62_170_000_000])
  func aDateThatCouldNotBeReadAgainIsRefused(_ seconds: Double) throws {
    let date = Date(timeIntervalSince1970: seconds)
    let error = #expect(throws: EncodingError.self) {
      try store.write { try $0.put(["date": date], at: "a", in: "notes") }
    }
    #expect(String(describing: error).contains("ISO 8601"))
  }

  @Test(arguments: [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: -0.001)])
  func datesFarAwayComeBack(_ date: Date) throws {
    try store.write { try $0.put(["date": date], at: "a", in: "notes") }
    let read = try store.read { try $0.get([String: Date].self, at: "a", in: "notes") }
    let found = try #require(read?["date"])
    #expect(abs(found.timeIntervalSince(date)) < 0.001)
  }
}
