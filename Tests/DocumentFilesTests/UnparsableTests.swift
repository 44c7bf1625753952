import DocumentFiles
import FileCoordination
import SystemFiles
import Testing

/// Contents that are no such document, and edits that became versions, without any file: D6, D10.
@Suite struct UnparsableTests {
  private var machine = DocumentMachine()

  private static func stamp(_ number: UInt64) -> FileStamp {
    FileStamp(
      FileStatus(
        kind: .regular, size: Int64(number), modified: 0, changed: 0, inode: number, device: 1))
  }

  private let second = stamp(2)
  private let third = stamp(3)

  init() {
    let first = Self.stamp(1)
    #expect(machine.input(.opened(first, hasConflicts: false)) == [.show(.normal)])
  }

  @Test func d6_contentsThatAreNoneMayBeHalfWrittenAndHaveASecond() {
    var machine = self.machine
    let look = [DocumentMachine.Action.show(.normal), .look(after: .seconds(1))]
    let reload = [DocumentMachine.Action.show(.editingDisabled), .reload]
    #expect(machine.input(.looked(second, hasConflicts: false)) == reload)
    #expect(machine.input(.unparsable(second, at: .seconds(10))) == look)
    // Something else by then, and so in the middle of being written.
    #expect(machine.input(.looked(third, hasConflicts: false)) == reload)
    #expect(machine.input(.unparsable(third, at: .seconds(11))) == look)
    #expect(machine.input(.looked(third, hasConflicts: false)) == reload)
    #expect(
      machine.input(.unparsable(third, at: .milliseconds(11_400)))
        == [.show(.normal), .look(after: .milliseconds(600))])
    var mended = machine
    #expect(mended.input(.looked(second, hasConflicts: false)) == reload)
    #expect(
      mended.input(.reloaded(second, hasConflicts: false)) == [.showContents, .show(.normal)])
    #expect(mended.input(.looked(third, hasConflicts: false)) == reload)
    #expect(mended.input(.unparsable(third, at: .seconds(12))) == look)
    #expect(machine.input(.looked(third, hasConflicts: false)) == reload)
    #expect(
      machine.input(.unparsable(third, at: .seconds(12))) == [.show(.closed), .end(.unreadable)])
  }

  @Test func d10_whichEditsBecameVersionsIsRemembered() {
    var machine = self.machine
    #expect(machine.unsavedEdit == nil)
    _ = machine.input(.edited(at: .zero))
    #expect(machine.unsavedEdit == 1 && !machine.isInVersion(1))
    _ = machine.input(.saveAsked)
    _ = machine.input(.saved(second, isDurable: true))
    for _ in 2...3 { _ = machine.input(.edited(at: .seconds(1))) }
    _ = machine.input(.looked(third, hasConflicts: false))
    _ = machine.input(.otherContents)
    _ = machine.input(.setAside)
    #expect((1...4).map { machine.isInVersion($0) } == [false, true, true, false])
  }
}
