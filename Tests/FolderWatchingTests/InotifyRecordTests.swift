import FolderWatching
import Glibc
import Testing

/// What the kernel writes is taken apart as inotify(7) says.
@Suite struct InotifyRecordTests {
  /// The bytes of a record; the kernel fills names up with zeros.
  private func bytes(
    _ watch: Int32, _ mask: Int32, _ name: String = "", filledTo length: Int = 0
  ) -> [UInt8] {
    let filled = Array(name.utf8) + [UInt8](repeating: 0, count: max(0, length - name.utf8.count))
    var event = inotify_event()
    (event.wd, event.mask) = (watch, UInt32(bitPattern: mask))
    event.len = UInt32(filled.count)
    return withUnsafeBytes(of: event) { Array($0) } + filled
  }

  @Test func eachRecordHasItsWatchItsEventsAndItsName() throws {
    let records = InotifyRecord.all(
      in: bytes(1, IN_CREATE, "a.log", filledTo: 16) + bytes(2, IN_MOVE_SELF)
        + bytes(-1, IN_Q_OVERFLOW) + bytes(3, IN_MODIFY, "sixteen-bytes-xy", filledTo: 16))
    #expect(records.map(\.watch) == [1, 2, -1, 3])
    #expect(
      records.map { String(decoding: $0.name, as: UTF8.self) }
        == ["a.log", "", "", "sixteen-bytes-xy"])
    #expect(records.map { $0.says(IN_CREATE | IN_Q_OVERFLOW) } == [true, false, true, false])
    #expect(records.map { $0.says(IN_MOVE_SELF) } == [false, true, false, false])
  }

  @Test func whatIsCutShortIsLeftOut() {
    let whole = bytes(1, IN_CREATE, "a", filledTo: 16)
    let next = bytes(2, IN_DELETE, "b", filledTo: 16)
    for length in 0..<next.count {
      #expect(InotifyRecord.all(in: whole + next.prefix(length)).map(\.watch) == [1])
    }
    #expect(InotifyRecord.all(in: whole + next).map(\.watch) == [1, 2])
  }
}
