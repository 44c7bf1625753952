import CanonicalJSON
import Replication
import Testing

@Suite struct PathTests {
  @Test(arguments: [
    "", "/", "/a", "/a/b", "//", "/a~1b/~0", "/~01", "/é/\u{1F600}", "/\0/\u{1}", "/a b/0/-",
  ])
  func aPointerReadsBack(pointer: String) throws {
    let path = try #require(Path(pointer: pointer))
    #expect(path.pointer.utf8.elementsEqual(pointer.utf8))
    #expect(Path(keys: path.keys) == path)
    #expect(Path(validating: path.bytes.array) == path)
  }

  @Test(arguments: ["a", "a/b", "/~", "/~2", "/a~", "~0"])
  func whatIsNoPointerIsRefused(pointer: String) {
    #expect(Path(pointer: pointer) == nil)
  }

  @Test func theTwoLowestBytesAreEscaped() {
    #expect(Path(keys: ["\0"]).bytes == [0, 1, 1])
    #expect(Path(keys: ["\u{1}"]).bytes == [0, 1, 2])
    #expect(Path(keys: ["", "a"]).bytes == [0, 0, 0x61])
    #expect(Path(keys: ["a\0b", "\u{1}\0"]).keys == ["a\0b", "\u{1}\0"])
  }

  @Test(
    arguments: [
      [1], [0x61], [0, 1], [0, 1, 0], [0, 1, 3], [0, 0x61, 1], [0, 0xFF], [0, 0xC3, 0, 0xA9],
    ] as [[UInt8]])
  func bytesThatAreNoPathAreRefused(bytes: [UInt8]) {
    #expect(Path(validating: bytes) == nil)
  }

  @Test func aPathHasALimitedDepth() {
    let deepest = Path(keys: Array(repeating: ByteString("k"), count: Limits.depth))
    #expect(Path(validating: deepest.bytes.array) == deepest)
    #expect(Path(validating: deepest.appending("k").bytes.array) == nil)
  }

  @Test func aPathIsAtOrBelowItselfAndItsAncestorsAlone() {
    let path = Path(keys: ["a", "b"])
    #expect(path.isAtOrBelow(path))
    #expect(path.isAtOrBelow(.root))
    #expect(path.isAtOrBelow(Path(keys: ["a"])))
    #expect(!Path(keys: ["a"]).isAtOrBelow(path))
    #expect(!Path(keys: ["ab"]).isAtOrBelow(Path(keys: ["a"])))
    #expect(!Path(keys: ["a\0"]).isAtOrBelow(Path(keys: ["a"])))
    #expect(path.ancestors == [.root, Path(keys: ["a"])])
  }

  @Test func aSubtreeIsOneRunAndSiblingsSortByTheBytesOfTheirKeys() {
    let keys: [ByteString] = ["", "\0", "\0\0", "\u{1}", "\u{1}a", "\u{2}", "a", "a\0", "ab", "é"]
    #expect(keys == keys.sorted())
    var tree: [[ByteString]] = [[]]
    for first in keys {
      tree.append([first])
      for second in keys { tree.append([first, second]) }
    }
    // A parent stands before its members, and these in the order of their keys.
    let paths = tree.map { Path(keys: $0) }
    #expect(paths.shuffled().sorted() == paths)
    for path in paths {
      let below = paths.indices.filter { paths[$0].isAtOrBelow(path) }
      let named = tree.indices.filter { tree[$0].starts(with: path.keys) }
      #expect(below == named)
      #expect(below.count == (below.last ?? 0) - (below.first ?? 0) + 1)
    }
  }

  @Test func aPathIsTakenApartKeyByKey() {
    let path = Path(keys: ["a\0", "", "c"])
    let first = path.endOfKey(after: 0)
    #expect(path.prefix(first) == Path(keys: ["a\0"]))
    let second = path.endOfKey(after: first)
    #expect(path.prefix(second) == Path(keys: ["a\0", ""]))
    #expect(path.prefix(path.endOfKey(after: second)) == path)
    #expect(path.lastKey == "c")
    #expect(Path.root.lastKey == nil)
  }
}
