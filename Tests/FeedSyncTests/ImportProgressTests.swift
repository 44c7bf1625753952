import FeedSync
import Testing

@Suite("The progress of an import") struct ImportProgressTests {
  @Test("is told once for each file, and to one who may read the store then")
  func reading() throws {
    let place = try Place()
    let (ann, ben) = (try place.store(), try place.store("ben"))
    for id in ["a", "b", "c"] {
      try ann.write { try $0.put(Note(title: id), at: id, in: "notes") }
    }
    var told: [[Int]] = []
    var failures: [any Error] = []
    try ben.importAll { done, total in
      told.append([done, total])
      do { _ = try ben.read { try $0.ids(in: "notes") } } catch { failures.append(error) }
    }
    #expect(told == [[1, 3], [2, 3], [3, 3]])
    #expect(failures.isEmpty)
    #expect(try ben.read { try $0.ids(in: "notes") } == ["a", "b", "c"])
  }
}
