import FeedSync
import Foundation
import Testing

/// K8 to K11: what is written is on the disk, whole, and the later of two writes counts.
@Suite struct KeyValueMergeTests {
  let place: Place
  let ann: KeyValueStore
  let ben: KeyValueStore

  init() throws {
    place = try Place()
    ann = try KeyValueStore(try place.store())
    ben = try KeyValueStore(try place.store("ben"))
    try ann.set("old", forKey: "k")
    try ben.synchronize()
  }

  private func exchange() throws {
    for store in [ann, ben, ann] { try store.synchronize() }
  }

  private func expect(_ value: PropertyListValue?, forKey key: String = "k") throws {
    for store in [ann, ben] { #expect(try store.value(forKey: key) == value) }
  }

  @Test func k8_aWriteIsThereForOthersWhenItReturns() throws {
    try ann.set("new", forKey: "k")
    let another = try KeyValueStore(try place.store())
    #expect(try another.value(forKey: "k") == "new")
    #expect(try place.feedsync("kv", "get", "k") == "\"new\"\n")
  }

  @Test func k8_synchronizingPublishesAndImportsAndSaysWhetherItCould() throws {
    try place.setFolder(isAway: true)
    try ann.set("new", forKey: "k")
    #expect(try !ann.synchronize())
    try place.setFolder(isAway: false)
    #expect(try ann.synchronize())
    #expect(try ben.value(forKey: "k") == "old")
    #expect(try ben.synchronize())
    try expect("new")
  }

  @Test func k9_withoutTheFolderItIsALocalStoreWhichIsReconciledLater() throws {
    try place.setFolder(isAway: true)
    let result = try ann.set("away", forKey: "a")
    #expect(result.publishingFailure?.code == .noContainer)
    try ann.set("later", forKey: "k")
    try ben.set("x", forKey: "b")
    #expect(try ann.value(forKey: "a") == "away")
    try place.setFolder(isAway: false)
    try exchange()
    try expect("away", forKey: "a")
    try expect("x", forKey: "b")
    try expect("later")
  }

  @Test func k10_aValueIsWhole() throws {
    try ann.set(["width": 1, "height": 1], forKey: "k")
    later()
    try ben.set(["width": 2, "depth": [2]], forKey: "k")
    try exchange()
    try expect(["width": 2, "depth": [2]])
  }

  @Test func k11_ofTwoWritesTheLaterCountsWhoeverMadeIt() throws {
    for (first, second) in [(ann, ben), (ben, ann)] {
      try first.set("first", forKey: "k")
      later()
      try second.set("second", forKey: "k")
      try exchange()
      try expect("second")
    }
  }

  @Test func k11_twoKeysAreTwoValues() throws {
    try ann.set("a", forKey: "k")
    later()
    try ben.set("b", forKey: "l")
    try exchange()
    try expect("a")
    try expect("b", forKey: "l")
    #expect(try ann.store.conflictedDocuments().isEmpty)
  }

  @Test func k11_aRemovalIsAWriteLikeOthers() throws {
    for (first, second) in [(ann, ben), (ben, ann)] {
      try first.set("first", forKey: "k")
      later()
      try second.remove(forKey: "k")
      try exchange()
      try expect(nil)
      #expect(try ann.contents().usage.keys == 0)
      later()
      try second.set("again", forKey: "k")
      try exchange()
      try expect("again")
      try first.remove(forKey: "k")
      later()
      try second.set("second", forKey: "k")
      try exchange()
      try expect("second")
    }
  }

  @Test func k11_keysThatAreMadeTwiceAtOnceAreOne() throws {
    try ann.set("ann", forKey: "new")
    later()
    try ben.set("ben", forKey: "new")
    try exchange()
    try expect("ben", forKey: "new")
    #expect(try ann.contents().entries.count == 2)
  }

  /// What lost is not gone: it is a conflict, until somebody who has seen both writes the key.
  @Test func k11_whatLostIsListedUntilTheKeyIsWrittenAgain() throws {
    try ann.set("lost", forKey: "k")
    later()
    try ben.set("won", forKey: "k")
    try exchange()
    for store in [ann.store, ben.store] {
      let conflict = try #require(try store.conflictedDocuments().first?.conflicts.first)
      #expect(conflict.collection == "feedsync.kv.default" && conflict.id == "k")
      let contents = conflict.values.map { $0.content?.canonical }
      #expect(contents == [#"["won"]"#, #"["lost"]"#])
    }
    // The same value will do.
    try ann.set("won", forKey: "k")
    try exchange()
    for store in [ann.store, ben.store] { #expect(try store.conflictedDocuments().isEmpty) }
    try expect("won")
    #expect(try place.feedsync("history", "feedsync.kv.default", "k").contains("lost"))
  }

  @Test func aRemovedKeyLeavesNothingBehind() throws {
    #expect(try ann.remove(forKey: "k").value)
    #expect(try !ann.remove(forKey: "k").value)
    #expect(try !ann.remove(forKey: "never").value)
    try exchange()
    try expect(nil)
    for store in [ann.store, ben.store] {
      #expect(try store.read { try $0.ids(in: "feedsync.kv.default") } == [])
      #expect(try store.conflictedDocuments().isEmpty)
    }
  }

  @Test func aRemovalThatIsTakenBackByUndoBringsTheValueBack() throws {
    let removal = try ann.remove(forKey: "k")
    _ = try place.feedsync("undo", try #require(removal.transaction).description)
    #expect(try ann.value(forKey: "k") == "old")
  }

  @Test func storesOfDifferentNamesAreApart() throws {
    let other = try KeyValueStore(ann.store, name: "other")
    try other.set("x", forKey: "k")
    try other.set("y", forKey: "l")
    #expect(try ann.contents().entries.map(\.value) == ["old"])
    try exchange()
    let others = try KeyValueStore(ben.store, name: "other").contents()
    #expect(others.entries.map(\.key) == ["k", "l"])
  }
}

/// Lets the clock go on, so that what follows is later by its stamp.
func later() {
  let start = Date()
  while Date().timeIntervalSince(start) < 0.002 {}
}
