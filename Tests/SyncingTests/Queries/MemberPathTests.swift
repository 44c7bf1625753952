import CanonicalJSON
import DocumentStorage
import Replication
import Syncing
import Testing

@Suite("The path of a declared index") struct MemberPathTests {
  @Test(
    "may be written in three ways",
    arguments: [
      ("feed", "/feed"), ("/feed", "/feed"), ("$.feed", "/feed"), (#"$."feed""#, "/feed"),
      ("/author/name", "/author/name"), ("$.author.name", "/author/name"),
      ("a.b", "/a.b"), ("a/b", "/a~1b"), (#"$."a.b".c d"#, "/a.b/c d"), ("/0", "/0"),
      ("/", "/"), ("$.é", "/é"), ("it's", "/it's"),
    ])
  func forms(text: String, pointer: String) throws {
    #expect(try MemberPath(text).pointer == pointer)
  }

  @Test("is refused where it names no member that SQLite can find")
  func refused() {
    let cases: [(String, MemberPath.Problem)] = [
      ("", .root), ("$", .root), ("$.", .unreadable), ("$feed", .unreadable),
      ("$.a..b", .unreadable),
      ("$.a[0]", .element), ("$[0]", .element), ("/a~2", .unreadable), ("$.\"a", .unreadable),
      ("say \"x\"", .key("say \"x\"")), ("/a\\b", .key("a\\b")), ("/a\nb", .key("a\nb")),
      (String(repeating: "/a", count: 65), .deep),
    ]
    for (text, problem) in cases {
      #expect(throws: problem, "\(text)") { try MemberPath(text) }
    }
  }

  @Test(
    "finds its member, whatever the key is",
    arguments: [
      "/feed", "/a b", "/a.b", "/a[0]", "/0", "/#", "/$", "/it's", "/é", "/", "/a~1b", "/-1",
      "/o/p q", "/o/0", "/e\u{301}", "/::", "/select",
    ])
  func finds(pointer: String) throws {
    let ann = try World().loner()
    let member = try MemberPath(pointer)
    let keys = member.path.keys
    let body = keys.reversed().reduce(JSON.integer(7)) { inner, key in
      var object = JSONObject()
      object[key] = inner
      return .object(object)
    }
    try ann.put("x", body.canonical)
    try ann.put("y", #"{"other":7}"#)
    try ann.createIndex(pointer)
    for expression in member.expressions {
      let sql = "SELECT id FROM documents WHERE collection = 'notes' AND \(expression) = 7"
      #expect(try ann.rows(sql) == ["x"], "\(expression)")
      #expect(try ann.explain(sql).plan.steps == [.index(member, .value)], "\(expression)")
    }
  }
}
