import BlobStorage
import Testing

@Suite struct BlobHashTests {
  private static let digits = String(repeating: "0123456789abcdef", count: 4)

  @Test func hashesAreFoundWhateverStandsAroundThem() throws {
    let hash = try #require(BlobHash(Self.digits))
    #expect(BlobHash.mentioned(in: Array("<\(Self.digits)>".utf8)) == [hash])
    #expect(BlobHash.mentioned(in: Array("7\(Self.digits)".utf8)).contains(hash))
    #expect(BlobHash.mentioned(in: Array(Self.digits.dropLast().utf8)).isEmpty)
  }

  @Test func ofALongTextOfDigitsOnlyThoseAreToldThatAreOfInterest() throws {
    let hash = try #require(BlobHash(Self.digits))
    let text = Array(String(repeating: "0123456789abcdef", count: 4000).utf8)
    #expect(BlobHash.mentioned(in: text).count == 16)
    #expect(BlobHash.mentioned(in: text, among: [hash]) == [hash])
    #expect(BlobHash.mentioned(in: text, among: []).isEmpty)
  }
}
