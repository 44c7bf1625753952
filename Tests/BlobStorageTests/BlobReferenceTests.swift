import BlobStorage
import CanonicalJSON
import Testing

@Suite("A reference to a blob") struct BlobReferenceTests {
  private static let digits = String(repeating: "0a", count: 32)

  @Test("is an array with one object, which any program can read")
  func form() throws {
    let hash = try #require(BlobHash(Self.digits))
    let plain = BlobReference(hash: hash, size: 4, name: "a.txt", type: nil)
    #expect(plain.json.canonical == #"[{"name":"a.txt","sha256":"\#(Self.digits)","size":4}]"#)
    let typed = BlobReference(hash: hash, size: 4, name: "a.txt", type: "text/plain")
    for reference in [plain, typed] {
      #expect(BlobReference(json: reference.json) == reference)
    }
  }

  @Test("of a later version, with members that this one does not know, is read")
  func later() throws {
    let text = #"[{"chunks":[1],"name":"a","sha256":"\#(Self.digits)","size":4}]"#
    #expect(BlobReference(json: try JSON(parsing: Array(text.utf8))) != nil)
  }

  @Test("is nothing else that looks like one")
  func others() throws {
    let texts = [
      #"{"name":"a","sha256":"D","size":4}"#, #"[]"#, #"[{"name":"a","sha256":"D"}]"#,
      #"[{"name":"a","sha256":"D","size":-1}]"#, #"[{"name":"a","sha256":"D","size":4.0}]"#,
      #"[{"name":"a","sha256":"D0","size":4}]"#, #"[{"sha256":"D","size":4}]"#,
      #"[{"name":"a","sha256":"D","size":4},1]"#,
      #"[{"name":"a","sha256":"../../etc/passwd","size":4}]"#,
    ]
    for text in texts {
      let json = try JSON(parsing: Array(text.replacing(#""D"#, with: "\"\(Self.digits)").utf8))
      #expect(BlobReference(json: json) == nil, "\(text)")
    }
    #expect(BlobHash(Self.digits.uppercased()) == nil)
  }

  @Test("is found at any depth, with the keys that lead to it")
  func places() throws {
    let one = #"[{"name":"a","sha256":"\#(Self.digits)","size":4}]"#
    let text = #"{"attachments":{"a/b":\#(one)},"cover":\#(one),"list":[\#(one),1]}"#
    let found = BlobReference.all(in: try JSON(parsing: Array(text.utf8)))
    #expect(found.map(\.path) == [["attachments", "a/b"], ["cover"], ["list", "0"]])
  }

  @Test("is known by its digits, whatever stands around them")
  func mentions() throws {
    let hash = try #require(BlobHash(Self.digits))
    for text in ["\(Self.digits)", "x\(Self.digits)", "ff\(Self.digits)0", #"["\#(Self.digits)"]"#]
    {
      #expect(BlobHash.mentioned(in: Array(text.utf8)).contains(hash), "\(text)")
    }
    #expect(BlobHash.mentioned(in: Array(Self.digits.utf8.dropLast())).isEmpty)
  }
}
