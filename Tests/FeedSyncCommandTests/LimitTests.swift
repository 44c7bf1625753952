import Foundation
import Testing

@Suite("The limits of what is written") struct LimitTests {
  @Test("JSON that the contract refuses exits with 65")
  func badJSON() throws {
    let machine = try Machine()
    let depth = String(repeating: #"{"a":"#, count: 65) + "1" + String(repeating: "}", count: 65)
    for text in [
      "", "{", "[]", "1", "null", #"{"a":1,"a":2}"#, #"{"a":"\ud800"}"#, #"{"a":NaN}"#,
      #"{"a":1e999}"#, #"{"a":18446744073709551616}"#, #"{"a":01}"#, #"{"a":1} x"#, depth,
    ] {
      let run = try machine.feedsync("put", "n", "x", text)
      #expect(run.status == 65, "\(text.prefix(40))")
      #expect(run.output == "")
    }
    #expect(try machine.feedsync("list").output == "")
  }

  @Test("ids have 1 to 1,024 bytes and no control characters")
  func ids() throws {
    let machine = try Machine()
    let longest = String(repeating: "é", count: 512)
    for (id, status) in [
      ("", 65), (longest, 0), (longest + "x", 65), ("a\nb", 65), ("a\u{7F}", 65),
      ("a\u{85}", 65), ("a/b ~ 日本 😀", 0), ("..", 0),
    ] as [(String, Int32)] {
      #expect(try machine.feedsync("put", "n", id, "{}").status == status, "\(id.prefix(20))")
    }
  }

  @Test("collections have 1 to 64 of a-z 0-9 . _ -")
  func collections() throws {
    let machine = try Machine()
    let longest = String(repeating: "x", count: 64)
    for (name, status) in [
      ("", 65), (longest, 0), (longest + "x", 65), ("A", 65), ("a b", 65), ("a/b", 65),
      ("é", 65), ("a.b_c-9", 0), ("..", 0),
    ] as [(String, Int32)] {
      #expect(try machine.feedsync("put", name, "x", "{}").status == status, "\(name.prefix(9))")
      guard status != 0 else { continue }
      #expect(try machine.feedsync("list", name).status == 65, "list \(name.prefix(9))")
    }
  }

  @Test("a patch may name more than a body has, to take it away")
  func patches() throws {
    let machine = try Machine()
    let names = (0..<80_000).map { String(format: "k%05d", $0) }
    let body = names.map { "\"\($0)\":1" }.joined(separator: ",")
    let nulls = names.map { "\"\($0)\":null" }.joined(separator: ",")
    #expect(nulls.utf8.count > 1 << 20)
    #expect(try machine.feedsync("put", "n", "x", "-", input: "{\(body)}").status == 0)
    #expect(try machine.feedsync("patch", "n", "x", "-", input: "{\(nulls)}").status == 0)
    #expect(try machine.feedsync("get", "n", "x").output == "{}\n")
    for text in ["[]", "1", "null"] {
      #expect(try machine.feedsync("patch", "n", "x", text).status == 65)
    }
  }

  @Test("bodies have at most 1 MiB in their canonical form")
  func bodies() throws {
    let machine = try Machine()
    let most = (1 << 20) - #"{"a":""}"#.utf8.count
    for (count, status) in [(most, 0), (most + 1, 65)] as [(Int, Int32)] {
      let text = #"{ "a" : ""# + String(repeating: "x", count: count) + #"" }"#
      #expect(try machine.feedsync("put", "n", "x", "-", input: text).status == status)
    }
    let grown = try machine.feedsync("patch", "n", "x", #"{"b":1}"#)
    #expect(grown.status == 65)
  }
}
