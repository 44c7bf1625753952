import Replication
import Testing

/// Edits that come before the insert of what they edit.
@Suite("An edit that comes before its insert") struct OrphanTests {
  /// Device 2 has what device 1 put into a document by device 0, and not the document.
  private func early(_ edits: Writers.Edit...) throws -> Writers {
    var writers = Writers(4)
    try writers.put(0, #"{"a":0,"m":{}}"#)
    writers.deliver(from: 0, to: 1)
    for edit in edits { try writers.write(1, edit) }
    writers.deliver(from: 1, to: 2)
    return writers
  }

  private func conflicts(_ writers: Writers, _ device: Int) -> [String] {
    writers.state(device).conflicts().map { conflict in
      let values = conflict.values.map { $0.content.map { String(decoding: $0, as: UTF8.self) } }
      return "\(conflict.kind.rawValue) \(values.map { $0 ?? "absent" })"
    }
  }

  @Test("is listed, and shows nothing, also in a document that is made in its place")
  func shownLater() throws {
    var writers = try early(.patch(#"{"m":{"k":1}}"#))
    #expect(writers.body(2) == nil)
    #expect(conflicts(writers, 2) == [#"missing-insert ["absent", "{\"m\":{\"k\":1}}"]"#])
    try writers.put(2, #"{"b":2}"#)
    #expect(writers.body(2) == #"{"b":2}"#)
    #expect(
      conflicts(writers, 2) == [#"missing-insert ["{\"b\":2}", "{\"m\":{\"k\":1}}"]"#])
    writers.deliver(from: 0, to: 2)
    #expect(writers.body(2) == #"{"a":0,"b":2,"m":{"k":1}}"#)
    #expect(writers.conflicts(2) == 0)
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"a":0,"b":2,"m":{"k":1}}"#) }
  }

  @Test("is not taken away by a deletion of what was made in its place, and undoes none yet")
  func deletion() throws {
    var writers = try early(.patch(#"{"m":{"k":1}}"#))
    try writers.put(2, #"{"b":2}"#)
    try writers.delete(2)
    #expect(writers.body(2) == nil)
    #expect(writers.state(2).pending.isEmpty)
    #expect(conflicts(writers, 2) == [#"missing-insert ["absent", "{\"m\":{\"k\":1}}"]"#])
    writers.deliverEverything()
    // Both come to the same moment, so that the edit undoes the deletion.
    for device in 0..<4 {
      #expect(writers.body(device) == #"{"a":0,"b":2,"m":{"k":1}}"#)
      #expect(writers.conflicts(device) == 1)
    }
  }

  @Test("counts on from whatever is counted meanwhile")
  func counters() throws {
    var writers = try early(.add(3, "/n"))
    try writers.put(2, #"{"b":2}"#)
    try writers.write(2, .add(4, "/n"))
    #expect(writers.body(2) == #"{"b":2,"n":4}"#)
    writers.deliverEverything()
    for device in 0..<4 {
      #expect(writers.body(device) == #"{"a":0,"b":2,"m":{},"n":7}"#)
    }
  }

  @Test("is none any more where its insert comes and is covered at once")
  func coveredInsert() throws {
    var writers = try early(.patch(#"{"m":{"k":1}}"#))
    // Device 3 has seen the insert, and not the edit.
    writers.deliver(from: 0, to: 3)
    try writers.put(3, #"{"c":3}"#)
    try writers.write(3, .delete)
    try writers.put(3, #"{"d":4}"#)
    writers.deliver(from: 3, to: 2)
    #expect(writers.conflicts(2) == 1)
    writers.deliver(from: 0, to: 2)
    #expect(!writers.state(2).hasOrphans)
    #expect(writers.body(2) == #"{"d":4,"m":{"k":1}}"#)
    writers.deliverEverything()
    for device in 0..<4 { #expect(writers.body(device) == #"{"d":4,"m":{"k":1}}"#) }
  }

  /// Its author could not claim the insert, and so does not name it.
  private func unnamed() throws -> Writers {
    var writers = Writers(4)
    try writers.put(3, #"{"z":0}"#)
    writers.deliver(from: 3, to: 0)
    try writers.delete(0)
    try writers.put(0, #"{"a":0,"m":{}}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"m":{"k":1}}"#))
    #expect(writers.devices[1].written.last?.header.context.entries.isEmpty == true)
    writers.deliver(from: 1, to: 2)
    #expect(writers.conflicts(2) == 1)
    return writers
  }

  @Test("is not claimed by anybody, also where it does not name the insert")
  func unnamedInsert() throws {
    var writers = try unnamed()
    try writers.put(2, #"{"b":2}"#)
    writers.deliverEverything()
    for device in 0..<4 {
      #expect(writers.body(device)?.contains(#""m":{"k":1}"#) == true)
    }
  }

  @Test("is not deleted with what was made in its place, also where it does not name the insert")
  func unnamedInsertAndDeletion() throws {
    var writers = try unnamed()
    try writers.put(2, #"{"b":2}"#)
    try writers.delete(2)
    writers.deliverEverything()
    for device in 0..<4 {
      #expect(writers.body(device)?.contains(#""m":{"k":1}"#) == true)
    }
  }

  /// Device 2 shows what builds on a write that has not come, above the edit without an insert.
  private func above() throws -> Writers {
    var writers = Writers(5)
    try writers.put(4, #"{"y":0}"#)
    try writers.put(0, #"{"m":{}}"#)
    writers.deliver(from: 0, to: 1)
    try writers.write(1, .patch(#"{"m":{"k":1}}"#))
    writers.deliver(from: 1, to: 2)
    try writers.put(2, #"{"b":2}"#)
    writers.deliver(from: 2, to: 3)
    writers.deliver(from: 4, to: 3)
    try writers.write(3, .patch(#"{"m":{"z":9}}"#))
    writers.deliver(from: 3, to: 2)
    #expect(writers.body(2) == #"{"b":2,"m":{"z":9}}"#)
    #expect(writers.conflicts(2) == 1)
    return writers
  }

  @Test("is left alone by a removal that waits for something else above it")
  func waitingRemoval() throws {
    var writers = try above()
    try writers.put(2, #"{"b":2}"#)
    #expect(writers.body(2) == #"{"b":2}"#)
    #expect(!writers.state(2).pending.isEmpty)
    #expect(writers.conflicts(2) == 1)
    writers.deliverEverything()
    for device in 0..<5 {
      #expect(writers.body(device)?.contains(#""m":{"k":1}"#) == true)
    }
  }

  @Test("is left alone by a deletion that waits for something else")
  func waitingDeletion() throws {
    var writers = try above()
    try writers.delete(2)
    #expect(writers.body(2) == nil)
    #expect(!writers.state(2).pending.isEmpty)
    #expect(writers.conflicts(2) == 1)
    writers.deliverEverything()
    for device in 0..<5 {
      #expect(writers.body(device)?.contains(#""k":1"#) == true)
    }
  }

  @Test("is left alone by a deletion of what builds on another edit of that document")
  func deletionBesideAnother() throws {
    var writers = try early(.patch(#"{"m":{"k":1}}"#))
    // Device 3 has seen the insert, and not that edit.
    writers.deliver(from: 0, to: 3)
    try writers.put(3, #"{"c":3}"#)
    try writers.write(3, .delete)
    try writers.put(3, #"{"d":4}"#)
    writers.deliver(from: 3, to: 2)
    try writers.delete(2)
    #expect(writers.body(2) == nil)
    #expect(!writers.state(2).pending.isEmpty)
    #expect(writers.conflicts(2) == 1)
    writers.deliverEverything()
    for device in 0..<4 {
      #expect(writers.body(device)?.contains(#""k":1"#) == true)
    }
  }

  @Test("is not taken away by a write on what was read before its insert came")
  func olderRead() throws {
    var writers = try early(.patch(#"{"m":{"k":1}}"#))
    try writers.put(2, #"{"b":2}"#)
    let token = try writers.token(2)
    writers.deliver(from: 0, to: 2)
    try writers.write(2, .put(#"{"b":2,"c":3}"#, token))
    writers.deliverEverything()
    for device in 0..<4 {
      #expect(writers.body(device) == #"{"a":0,"b":2,"c":3,"m":{"k":1}}"#)
    }
  }

  @Test("is left alone by a deletion that does not show what came after it and another one hides")
  func deletionBesideHidden() throws {
    var writers = Writers(3)
    try writers.put(0, #"{"a":{"x":0}}"#)
    let before = try writers.token(0)
    writers.deliver(from: 0, to: 2)
    // A document of its own, which the next edit edits, and which device 2 does not get.
    try writers.put(1, #"{"c":0}"#)
    writers.deliver(from: 1, to: 0)
    try writers.write(0, .patch(#"{"k":1}"#))
    try writers.write(0, .put(#"{"a":{"x":2}}"#, before))
    try writers.write(0, .patch(#"{"a":{"x":3}}"#))
    writers.deliver(from: 0, to: 2)
    #expect(writers.body(2) == #"{"a":{}}"#)
    try writers.delete(2)
    #expect(writers.body(2) == nil)
    writers.deliverEverything()
    for device in 0..<3 {
      #expect(writers.body(device)?.contains(#""k":1"#) == true)
      #expect(writers.body(device)?.contains(#""x":3"#) == true)
    }
  }
}
