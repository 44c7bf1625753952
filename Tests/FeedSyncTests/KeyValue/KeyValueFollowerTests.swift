import FeedSync
import Testing

/// K12: what a follower tells, where its own writes and those of others come one behind another.
///
/// Values are numbers here that tell them apart.
@Suite struct KeyValueFollowerTests {
  private var follower = KeyValueFollower(known: ["a": 1, "b": 1], lastWrite: 0, isInitial: false)

  private func own(_ number: Int, _ values: [ByteString: Int?]) -> OwnWrite {
    OwnWrite(number: number, values: values)
  }

  private mutating func told(
    _ keys: Set<ByteString>?, now: [ByteString: Int], own: [OwnWrite] = []
  ) -> [String]? {
    follower.changed(keys, now: now, own: own, isImport: false)?.keys
  }

  @Test mutating func k12_aValueThatTheProgramWroteMeanwhileIsNotTold() {
    let write = own(1, ["a": 2, "b": nil])
    #expect(told(["a", "b", "c"], now: ["a": 2, "c": 7], own: [write]) == ["c"])
    #expect(follower.wrote(write, changing: ["a", "b"]) == [])
    #expect(told(["a", "b"], now: ["a": 2]) == nil)
  }

  @Test mutating func k12_soItIsOfSeveralWritesWhicheverShows() {
    let writes = [own(1, ["a": 2]), own(2, ["a": 3])]
    // The second is being committed.
    #expect(told(["a"], now: ["a": 2], own: writes) == nil)
    follower.wrote(writes[0])
    #expect(told(["a"], now: ["a": 3], own: [writes[1]]) == nil)
    follower.wrote(writes[1])
    #expect(told(["a"], now: ["a": 2]) == ["a"])
  }

  @Test mutating func k12_aValueOfOthersIsToldWhateverIsToCome() {
    let write = own(1, ["a": 2])
    #expect(told(["a", "b"], now: ["a": 9, "b": 2], own: [write]) == ["a", "b"])
    // A key that the program's write does not name is none that it removed.
    #expect(told(["b"], now: [:], own: [write]) == ["b"])
  }

  @Test mutating func k12_onlyWritesThatAreNotTakenInAreToCome() {
    #expect(follower.lastWrite == 0)
    follower.wrote(own(3, ["a": 2]))
    #expect(follower.lastWrite == 3)
    #expect(told(["a"], now: ["a": 1]) == ["a"])
    #expect(told(["a"], now: ["a": 2]) == ["a"])
  }

  @Test mutating func whatElseAnOwnWriteChangesIsLookedAt() {
    let write = own(1, ["a": 2])
    #expect(follower.wrote(write, changing: ["a", "b"]) == ["b"])
    #expect(told(["b"], now: ["b": 5]) == ["b"])
    // Too much to name it.
    #expect(follower.wrote(own(2, ["a": 3]), changing: nil) == nil)
    #expect(told(nil, now: ["a": 3, "b": 6]) == ["b"])
  }
}
