import FeedSyncCommand
import Syncing
import Testing

@Suite("Progress lines") struct ProgressTextTests {
  private typealias Share = ProgressText.Share

  @Test("load of a pipe tells the count alone")
  func pipe() {
    let text = ProgressText.load(documents: 1_234_567, share: nil, seconds: 9)
    #expect(text == "loaded 1,234,567 documents")
  }

  @Test("load of a file tells the share of its bytes, and an estimate once enough is read")
  func file() {
    func text(_ share: Share, seconds: Double) -> String {
      ProgressText.load(documents: 1000, share: share, seconds: seconds)
    }
    let quarter = Share(done: 250, total: 1000)
    #expect(text(quarter, seconds: 0.5) == "loaded 1,000 documents, 25 %")
    #expect(text(quarter, seconds: 10) == "loaded 1,000 documents, 25 %, about 30 s left")
    #expect(text(quarter, seconds: 100) == "loaded 1,000 documents, 25 %, about 5 min left")
    #expect(text(Share(done: 1, total: 1000), seconds: 5) == "loaded 1,000 documents, 0 %")
    #expect(text(Share(done: 0, total: 0), seconds: 5) == "loaded 1,000 documents, 100 %")
  }

  @Test("a load that goes on estimates from where it began, not from the file's start")
  func resumed() {
    let share = Share(start: 800, done: 900, total: 1000)
    let text = ProgressText.load(documents: 100, share: share, seconds: 7)
    #expect(text == "loaded 100 documents, 90 %, about 7 s left")
  }

  @Test("import tells files and operations")
  func importing() {
    var progress = ImportProgress()
    (progress.files, progress.totalFiles) = (12, 20_000)
    (progress.operations, progress.operationsRead) = (999, 1000)
    let text = ProgressText.import(progress)
    #expect(text == "imported 12 of 20,000 files, 999 of 1,000 operations read")
  }

  @Test("a line is cut one column before the terminal's edge; an unknown width cuts nothing")
  func fitted() {
    #expect(ProgressText.fitted("imported", columns: 5) == "imp…")
    #expect(ProgressText.fitted("imported", columns: 1) == "")
    #expect(ProgressText.fitted("imported", columns: 80) == "imported")
    #expect(ProgressText.fitted("imported", columns: 0) == "imported")
  }

  @Test(
    "numbers are grouped by three digits",
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (12_345, "12,345"), (1_000_000, "1,000,000"),
    ])
  func groups(number: Int, text: String) {
    #expect(ProgressText.number(number) == text)
  }
}
