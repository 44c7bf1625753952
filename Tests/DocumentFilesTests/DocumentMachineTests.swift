import DocumentFiles
import FileCoordination
import SystemFiles
import Testing

/// What a document decides, without any file: D3 to D10.
@Suite struct DocumentMachineTests {
  private var machine = DocumentMachine()

  private static func stamp(_ number: UInt64) -> FileStamp {
    FileStamp(
      FileStatus(
        kind: .regular, size: Int64(number), modified: 0, changed: 0, inode: number, device: 1))
  }

  private let first = stamp(1)
  private let second = stamp(2)
  private let third = stamp(3)

  init() {
    #expect(machine.state == .closed)
    #expect(machine.input(.opened(first, hasConflicts: false)) == [.show(.normal)])
  }

  @Test func d3_editsAreSavedAfterAWhileWithoutEditsAndAfterALimit() {
    var machine = self.machine
    #expect(machine.input(.edited(at: .zero)) == [.wake(after: .seconds(2))])
    #expect(machine.input(.edited(at: .seconds(1))).isEmpty)
    #expect(machine.input(.woke(at: .seconds(2))) == [.wake(after: .seconds(1))])
    #expect(machine.input(.woke(at: .seconds(3))) == [.save(expecting: first)])
    #expect(machine.input(.saved(second, isDurable: true)).isEmpty)
    #expect(!machine.hasUnsavedChanges)
    // Someone who never stops.
    var (now, woken) = (Duration.zero, Duration.seconds(2))
    #expect(machine.input(.edited(at: now)) == [.wake(after: woken)])
    while true {
      now += .milliseconds(500)
      #expect(machine.input(.edited(at: now)).isEmpty)
      guard now == woken else { continue }
      let actions = machine.input(.woke(at: now))
      guard case .wake(let after) = actions.first else {
        #expect(actions == [.save(expecting: second)] && now == .seconds(15))
        break
      }
      woken = now + after
    }
  }

  @Test func d3_whoeverWantsToReadIsSavedForAtOnceAndOnlyIfThereIsAnything() {
    var machine = self.machine
    #expect(machine.input(.saveAsked).isEmpty)
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.saveAsked) == [.save(expecting: first)])
    // What is edited while it is saved is saved later.
    #expect(machine.input(.edited(at: .seconds(1))).isEmpty)
    #expect(machine.input(.saved(second, isDurable: true)).isEmpty && machine.hasUnsavedChanges)
    #expect(machine.input(.woke(at: .seconds(3))) == [.save(expecting: second)])
  }

  @Test func d3_whatGaveWayToSomethingMoreUrgentIsDoneLater() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.woke(at: .seconds(2))) == [.save(expecting: first)])
    #expect(machine.input(.postponed) == [.wake(after: .seconds(2))])
  }

  @Test func d4_aFailureToSaveShowsUntilItIsSaved() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    _ = machine.input(.woke(at: .seconds(2)))
    #expect(machine.input(.saveFailed) == [.show(.savingError), .wake(after: .seconds(15))])
    #expect(machine.input(.woke(at: .seconds(17))) == [.save(expecting: first)])
    // Written, but possibly not on the disk: that is no success, either.
    #expect(machine.input(.saved(second, isDurable: false)) == [.wake(after: .seconds(15))])
    #expect(machine.hasUnsavedChanges)
    #expect(machine.input(.woke(at: .seconds(32))) == [.save(expecting: second)])
    #expect(machine.input(.saved(third, isDurable: true)) == [.show(.normal)])
  }

  @Test func d4_statesHaveTheNumbersOfUIDocument() {
    let states: [DocumentState] = [
      .normal, .closed, .inConflict, .savingError, .editingDisabled, .progressAvailable,
    ]
    #expect(states.map(\.rawValue) == [0, 1, 2, 4, 8, 16])
  }

  @Test func d5_aConflictComesInThreeSteps() {
    var machine = self.machine
    #expect(
      machine.input(.looked(first, hasConflicts: true)) == [
        .show(.editingDisabled), .show([.editingDisabled, .inConflict]), .show(.inConflict),
      ])
    #expect(machine.input(.looked(first, hasConflicts: true)).isEmpty)
    #expect(machine.input(.looked(first, hasConflicts: false)) == [.show(.normal)])
  }

  @Test func d5_d6_aConflictThatComesWithNewContentsShowsAfterThem() {
    var machine = self.machine
    #expect(
      machine.input(.looked(second, hasConflicts: true)) == [.show(.editingDisabled), .reload])
    #expect(
      machine.input(.reloaded(second, hasConflicts: true)) == [
        .showContents, .show([.editingDisabled, .inConflict]), .show(.inConflict),
      ])
  }

  @Test func d6_aChangeElsewhereIsReadWhereNothingIsUnsaved() {
    var machine = self.machine
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
    #expect(
      machine.input(.looked(second, hasConflicts: false)) == [.show(.editingDisabled), .reload])
    #expect(
      machine.input(.reloaded(second, hasConflicts: false)) == [.showContents, .show(.normal)])
    #expect(machine.input(.looked(second, hasConflicts: false)).isEmpty)
  }

  @Test func d6_aReadingThatFailsIsTriedAgainAndEditingGoesOn() {
    var machine = self.machine
    _ = machine.input(.looked(second, hasConflicts: false))
    #expect(machine.input(.reloadFailed) == [.show(.normal), .look(after: .seconds(15))])
    #expect(
      machine.input(.looked(second, hasConflicts: false)) == [.show(.editingDisabled), .reload])
    // What cannot be read as such a document is none.
    #expect(machine.input(.unreadable) == [.show(.closed), .end(.unreadable)])
  }

  @Test func d6_whatGaveWayIsLookedAtAgainAtOnce() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    for _ in 0..<2 {
      #expect(machine.input(.looked(second, hasConflicts: false)) == [.compare])
      #expect(machine.input(.otherContents) == [.show(.editingDisabled), .setAside])
      #expect(machine.input(.followingPostponed) == [.show(.normal), .look(after: .zero)])
    }
    #expect(machine.hasUnsavedChanges)
    // Where it was saving that found it, nothing else would come back to the edits for certain.
    _ = machine.input(.woke(at: .seconds(2)))
    _ = machine.input(.looked(second, hasConflicts: false))
    _ = machine.input(.otherContents)
    #expect(
      machine.input(.followingPostponed) == [
        .show(.normal), .look(after: .zero), .wake(after: .seconds(2)),
      ])
  }

  @Test func d6_whatWasGivenUpIsReadAgainThoughTheFileIsAsItWas() {
    for failure in [DocumentMachine.Input.reloadFailed, .followingPostponed] {
      var machine = self.machine
      _ = machine.input(.edited(at: .zero))
      #expect(machine.input(.revertAsked) == [.show(.editingDisabled), .reload])
      #expect(machine.input(failure).first == .show(.normal))
      #expect(
        machine.input(.looked(first, hasConflicts: false)) == [.show(.editingDisabled), .reload])
      #expect(
        machine.input(.reloaded(first, hasConflicts: false)) == [.showContents, .show(.normal)])
      #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
    }
    // Whoever edits what still shows has not given it up.
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    _ = machine.input(.revertAsked)
    _ = machine.input(.reloadFailed)
    _ = machine.input(.edited(at: .seconds(1)))
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
    #expect(machine.input(.woke(at: .seconds(3))) == [.save(expecting: first)])
  }

  @Test func d7_aFileThatIsGoneForLongerThanAReplacementTakesClosesTheDocument() {
    var machine = self.machine
    #expect(
      machine.input(.missing(at: .zero, isPlanned: false)) == [.look(after: .seconds(1))])
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
    // It was there meanwhile, so it is gone anew.
    #expect(
      machine.input(.missing(at: .seconds(1), isPlanned: true)) == [.look(after: .seconds(1))])
    #expect(
      machine.input(.missing(at: .seconds(2), isPlanned: true)) == [
        .show(.closed), .end(.deleted(keptAs: nil)),
      ])
    // Nothing concerns it any more.
    #expect(machine.input(.edited(at: .zero)).isEmpty && machine.input(.saveAsked).isEmpty)
    #expect(machine.input(.looked(third, hasConflicts: true)).isEmpty)
  }

  @Test func d7_editingGoesOnWhereTheFileGoesBeforeItIsReadAgain() {
    var machine = self.machine
    #expect(
      machine.input(.looked(second, hasConflicts: false)) == [.show(.editingDisabled), .reload])
    #expect(
      machine.input(.missing(at: .zero, isPlanned: false)) == [
        .show(.normal), .look(after: .seconds(1)),
      ])
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
  }

  @Test func d7_editingGoesOnAfterAReversionOfAFileThatIsGone() {
    var machine = self.machine
    _ = machine.input(.missing(at: .zero, isPlanned: false))
    #expect(machine.input(.revertAsked) == [.show(.editingDisabled), .reload])
    #expect(
      machine.input(.missing(at: .milliseconds(500), isPlanned: false)) == [.show(.normal)])
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
  }

  @Test func d7_savingIsTriedAgainWhereItFindsThatTheFileIsGone() {
    var machine = self.machine
    _ = machine.input(.missing(at: .zero, isPlanned: false))
    _ = machine.input(.looked(first, hasConflicts: false))
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.woke(at: .seconds(2))) == [.save(expecting: first)])
    #expect(
      machine.input(.missing(at: .seconds(2), isPlanned: false)) == [
        .look(after: .seconds(1)), .wake(after: .seconds(2)),
      ])
    // So it is where somebody else has found that, and looks again.
    #expect(machine.input(.woke(at: .seconds(2))) == [.save(expecting: first)])
    #expect(
      machine.input(.missing(at: .milliseconds(2500), isPlanned: false)) == [
        .wake(after: .seconds(2))
      ])
    #expect(machine.input(.woke(at: .milliseconds(4500))) == [.save(expecting: first)])
    #expect(
      machine.input(.missing(at: .milliseconds(4500), isPlanned: false)) == [
        .show(.editingDisabled), .keep,
      ])
  }

  @Test func d7_whoeverLooksMeanwhileMakesTheAbsenceNoLonger() {
    var machine = self.machine
    _ = machine.input(.missing(at: .zero, isPlanned: false))
    for time in [1, 500, 999] {
      #expect(machine.input(.missing(at: .milliseconds(time), isPlanned: false)).isEmpty)
    }
    // The planned look was early: it is planned again, else nobody would look any more.
    #expect(
      machine.input(.missing(at: .milliseconds(900), isPlanned: true)) == [
        .look(after: .milliseconds(100))
      ])
    // Once the time is over, anybody's look will do.
    #expect(
      machine.input(.missing(at: .seconds(1), isPlanned: false)) == [
        .show(.closed), .end(.deleted(keptAs: nil)),
      ])
  }

  @Test func d7_aFolderThatIsAwaySaysNothingAboutTheFileAndIsLookedForAgainAndAgain() {
    var machine = self.machine
    _ = machine.input(.missing(at: .zero, isPlanned: false))
    #expect(machine.input(.away(isPlanned: true)) == [.look(after: .seconds(15))])
    // Others who look make it no more often.
    #expect(machine.input(.away(isPlanned: false)).isEmpty)
    #expect(machine.input(.away(isPlanned: true)) == [.look(after: .seconds(15))])
    // The file's second begins when the folder is back.
    #expect(
      machine.input(.missing(at: .seconds(60), isPlanned: true)) == [.look(after: .seconds(1))])
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
    #expect(machine.input(.away(isPlanned: false)) == [.look(after: .seconds(15))])
    #expect(machine.state == .normal)
  }

  @Test func d7_whatIsUnsavedIsKeptBeforeADeletedDocumentCloses() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.deletionAsked) == [.show(.editingDisabled), .keep])
    // What is more urgent comes first; then it is looked whether the file is back.
    #expect(machine.input(.followingPostponed) == [.show(.normal), .look(after: .zero)])
    #expect(machine.input(.deletionAsked) == [.show(.editingDisabled), .keep])
    #expect(machine.input(.keepFailed) == [.show(.savingError)])
    #expect(
      machine.input(.deletionAsked) == [.show([.savingError, .editingDisabled]), .keep])
    #expect(machine.input(.kept("7")) == [.show(.closed), .end(.deleted(keptAs: "7"))])
  }

  @Test func d7_whatIsUnsavedIsKeptWhereSomethingElseTakesTheDocumentsPlace() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.unreadable) == [.show(.editingDisabled), .keep])
    #expect(machine.hasUnsavedChanges)
    #expect(machine.input(.keepFailed) == [.show(.savingError)])
    #expect(machine.input(.unreadable) == [.show([.savingError, .editingDisabled]), .keep])
    #expect(machine.input(.kept("7")) == [.show(.closed), .end(.deleted(keptAs: "7"))])
    #expect(!machine.hasUnsavedChanges)
  }

  @Test func d9_d10_editsThatMeetANewerFileBecomeAVersionAndTheFileWins() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.looked(second, hasConflicts: false)) == [.compare])
    #expect(machine.input(.otherContents) == [.show(.editingDisabled), .setAside])
    #expect(machine.hasUnsavedChanges)
    #expect(machine.input(.setAside) == [.reload] && !machine.hasUnsavedChanges)
    #expect(
      machine.input(.reloaded(second, hasConflicts: true)) == [
        .showContents, .show([.editingDisabled, .inConflict]), .show(.inConflict),
      ])
  }

  /// Somebody who waits asks for edits that meet a newer file, which is to be read later.
  private func withReadingPutOff() -> DocumentMachine {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.saveAsked) == [.save(expecting: first)])
    #expect(machine.input(.looked(second, hasConflicts: false)) == [.compare])
    #expect(machine.input(.otherContents) == [.show(.editingDisabled), .setAside])
    #expect(machine.input(.setAside) == [.reload])
    #expect(machine.input(.reloadPostponed) == [.look(after: .zero)])
    return machine
  }

  @Test func d10_aReadingThatWasPutOffIsDoneThoughTheFileIsAsItWas() {
    var machine = withReadingPutOff()
    // Whoever had replaced it has put it back.
    #expect(machine.input(.looked(first, hasConflicts: false)) == [.reload])
    #expect(
      machine.input(.reloaded(first, hasConflicts: false)) == [.showContents, .show(.normal)])
    #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
  }

  @Test func d10_editingGoesOnWhereTheFolderGoesBeforeAReadingThatWasPutOff() {
    var machine = withReadingPutOff()
    #expect(
      machine.input(.away(isPlanned: true)) == [.show(.normal), .look(after: .seconds(15))])
    #expect(
      machine.input(.looked(second, hasConflicts: false)) == [.show(.editingDisabled), .reload])
    #expect(
      machine.input(.reloaded(second, hasConflicts: false)) == [.showContents, .show(.normal)])
  }

  @Test func d10_editsThatCannotBeSetAsideStayAndAreTriedAgain() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    _ = machine.input(.woke(at: .seconds(2)))
    _ = machine.input(.looked(second, hasConflicts: false))
    _ = machine.input(.otherContents)
    #expect(
      machine.input(.setAsideFailed) == [.show(.savingError), .wake(after: .seconds(15))])
    #expect(machine.hasUnsavedChanges)
    // Never over the newer file: what is expected is what was read.
    #expect(machine.input(.woke(at: .seconds(17))) == [.save(expecting: first)])
  }

  @Test func closingSavesFirstAndStaysOpenWhereThatFails() {
    var machine = self.machine
    _ = machine.input(.edited(at: .zero))
    #expect(machine.input(.closeAsked) == [.save(expecting: first)])
    #expect(machine.input(.saveFailed) == [.show(.savingError)])
    #expect(machine.input(.closeAsked) == [.save(expecting: first)])
    // What is edited while it is saved is saved, too.
    #expect(machine.input(.edited(at: .seconds(1))).isEmpty)
    #expect(
      machine.input(.saved(second, isDurable: true)) == [
        .show(.normal), .save(expecting: second),
      ])
    #expect(
      machine.input(.saved(third, isDurable: true)) == [.show(.closed), .end(.asked)])
  }

  @Test func whoWasToldThatItCouldNotBeClosedGoesOnWithIt() {
    for found in [
      DocumentMachine.Input.missing(at: .zero, isPlanned: false),
      .looked(first, hasConflicts: false),
    ] {
      var machine = self.machine
      _ = machine.input(.edited(at: .zero))
      #expect(machine.input(.closeAsked) == [.save(expecting: first)])
      _ = machine.input(found)
      // It was there again as it had been; saved by itself, it stays open.
      #expect(machine.input(.looked(first, hasConflicts: false)).isEmpty)
      #expect(machine.input(.woke(at: .seconds(2))) == [.save(expecting: first)])
      #expect(machine.input(.saved(second, isDurable: true)).isEmpty)
      #expect(machine.state == .normal && !machine.hasUnsavedChanges)
    }
  }
}
