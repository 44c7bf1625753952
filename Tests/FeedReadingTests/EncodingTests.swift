import FeedReading
import Testing

@Suite struct EncodingTests {
  private func feed(_ title: [UInt8], encoding: String? = nil) -> [UInt8] {
    let declaration = encoding.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? ""
    return Array((declaration + "<rss><channel><title>").utf8) + title
      + Array("</title></channel></rss>".utf8)
  }

  private func title(of bytes: [UInt8], charset: String? = nil) throws -> String? {
    let headers = charset.map { ["Content-Type": "text/xml; charset=\($0)"] } ?? [:]
    return try Feeds.read(bytes, headers: headers).title?.text
  }

  @Test(arguments: [
    ("iso-8859-1", [0x4D, 0xFC, 0x6C, 0x6C] as [UInt8], "Müll"),
    ("windows-1252", [0x93, 0x61, 0x94, 0x80], "“a”€"),
    ("iso-8859-1", [0x93, 0x61, 0x94], "“a”"),
    ("windows-1251", [0xCC, 0xE8, 0xF0], "Мир"),
    ("koi8-r", [0xED, 0xC9, 0xD2], "Мир"),
    ("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"),
    ("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本"),
    ("euc-kr", [0xC7, 0xD1, 0xB1, 0xDB], "한글"),
    ("gb2312", [0xD6, 0xD0, 0xB9, 0xFA], "中国"),
    ("gb18030", [0x81, 0x30, 0x81, 0x30, 0xD6, 0xD0], "\u{80}中".replacing("\u{80}", with: "€")),
    ("big5", [0xA4, 0xA4, 0xB0, 0xEA], "中國"),
    ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42], "日本"),
  ])
  func aDeclaredEncodingIsUsed(encoding: String, bytes: [UInt8], expected: String) throws {
    #expect(try title(of: feed(bytes, encoding: encoding)) == expected)
    // The server's word counts as much, and before the document's.
    #expect(try title(of: feed(bytes, encoding: "utf-8"), charset: encoding) == expected)
  }

  @Test(arguments: [false, true], [false, true])
  func UTF16AndUTF32AreKnownWithAndWithoutTheirMark(isBig: Bool, hasMark: Bool) throws {
    let text = (hasMark ? "\u{FEFF}" : "") + "<rss><channel><title>a€𝄞</title></channel></rss>"
    let wide = text.utf16.flatMap { unit -> [UInt8] in
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBig ? pair : pair.reversed()
    }
    #expect(try title(of: wide) == "a€𝄞")
    let wider = text.unicodeScalars.flatMap { scalar -> [UInt8] in
      let bytes = (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (24 - 8 * UInt32($0))) }
      return isBig ? bytes : bytes.reversed()
    }
    #expect(try title(of: wider) == "a€𝄞")
  }

  @Test func aWrongDeclarationDoesNotSpoilUTF8() throws {
    #expect(try title(of: feed(Array("Grüße – ça".utf8), encoding: "iso-8859-1")) == "Grüße – ça")
    #expect(try title(of: feed(Array("Grüße".utf8), encoding: "utf-16")) == "Grüße")
    #expect(try title(of: feed(Array("Grüße".utf8), encoding: "no-such-thing")) == "Grüße")
    #expect(try title(of: feed(Array("Grüße".utf8)), charset: "us-ascii") == "Grüße")
    #expect(try title(of: [0xEF, 0xBB, 0xBF] + feed(Array("é".utf8), encoding: "koi8-r")) == "é")
  }

  @Test func bytesThatWerePastedIntoUTF8AreMendedAlone() throws {
    let title = try title(of: feed(Array("Grüße, süße ".utf8) + [0x93, 0x61, 0x94]))
    #expect(title == "Grüße, süße “a”")
  }

  @Test func UTF8ThatWasEncodedTwiceIsUndone() throws {
    #expect(try Feeds.item("<description>donâ€™t</description>").summary == "don’t")
    #expect(try Feeds.item("<description>Âge, façon</description>").summary == "Âge, façon")
  }

  @Test func withoutAnyWordTheEncodingIsGuessed() throws {
    let russian: [UInt8] = [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x2C, 0x20, 0xEC, 0xE8, 0xF0]
    #expect(try title(of: feed(russian)) == "Привет, мир")
    #expect(try title(of: feed([0x4D, 0xFC, 0x6C, 0x6C])) == "Müll")
  }
}
