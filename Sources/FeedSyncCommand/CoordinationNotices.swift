import FeedSync

/// What commands that touch files say on standard error of those they wait for.
struct CoordinationNotices: Sendable {
  private let isVerbose: Bool

  init(_ global: GlobalOptions) { isVerbose = global.verbose }

  /// Says with `--verbose` whom an access waits for.
  func tell(waitingFor holders: [CoordinationHolder]) {
    guard isVerbose else { return }
    for holder in holders { Output.warnBeside("feedsync: waiting: \(FeedSyncError.text(holder))") }
  }

  /// Says who was not waited for any longer.
  func tell(_ lapse: PresenterLapse) {
    let path = NameText.escaped(lapse.path)
    Output.warnBeside(
      "feedsync: warning: \(path): \(FeedSyncError.name(lapse.process)) has it open and"
        + " did not answer within \(lapse.waited); going on without it")
  }
}
