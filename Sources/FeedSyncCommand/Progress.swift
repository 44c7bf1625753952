import FeedSync
import Foundation
import Synchronization
import Syncing

/// Whether the terminal's last line is one that goes away.
private let isLineShown = Atomic<Bool>(false)

/// What a progress line says; the words alone, so that they can be tested.
package enum ProgressText {
  /// How far a file is read, in bytes.
  package struct Share {
    /// Where reading began.
    let start: Int64
    let done: Int64
    let total: Int64

    package init(start: Int64 = 0, done: Int64, total: Int64) {
      self.start = start
      self.done = done
      self.total = total
    }

    var percent: Int { total > 0 ? Int(done * 100 / total) : 100 }
  }

  /// - parameter share: nil where the input's end is not known.
  package static func load(documents: Int, share: Share?, seconds: Double) -> String {
    let noun = CountText.of(documents, either: "document", or: "documents")
    let count = "loaded \(number(documents)) \(noun)"
    guard let share else { return count }
    let text = "\(count), \(share.percent) %"
    return remaining(share, seconds: seconds).map { "\(text), \($0) left" } ?? text
  }

  package static func `import`(_ progress: ImportProgress) -> String {
    let files = CountText.of(progress.totalFiles, either: "file", or: "files")
    let operations = CountText.of(progress.operationsRead, either: "operation", or: "operations")
    return "imported \(number(progress.files)) of \(number(progress.totalFiles)) \(files),"
      + " \(number(progress.operations)) of \(number(progress.operationsRead)) \(operations) read"
  }

  /// An estimate, once enough is done for one.
  private static func remaining(_ share: Share, seconds: Double) -> String? {
    let read = share.done - share.start
    guard seconds >= 1, read > 0, read * 100 >= share.total - share.start else { return nil }
    let left = Int((seconds * Double(share.total - share.done) / Double(read)).rounded(.up))
    return left < 90 ? "about \(left) s" : "about \((left + 59) / 60) min"
  }

  /// Digits in groups of three.
  package static func number(_ value: Int) -> String {
    let digits = Array(String(value))
    return digits.enumerated().reduce(into: "") { text, digit in
      if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += "," }
      text.append(digit.element)
    }
  }

  /// As much of a line as fits: the last column stays free, where some terminals would wrap.
  package static func fitted(_ text: String, columns: Int) -> String {
    guard columns > 0, text.count >= columns else { return text }
    return columns > 1 ? text.prefix(columns - 2) + "…" : ""
  }
}

/// A line on the terminal that is written over and goes away at the end.
///
/// Nothing where standard error is no terminal.
struct Progress {
  private static let interval = Duration.milliseconds(100)

  private let isShown = isatty(STDERR_FILENO) == 1
  private let start = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?

  /// How long it has been going on.
  var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Shows `text`, at most ten times a second.
  mutating func show(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < Self.interval { return }
    lastShown = now
    isLineShown.store(true, ordering: .relaxed)
    Self.write("\r\(ProgressText.fitted(text(), columns: columns))\u{1B}[K")
  }

  /// Takes the line away.
  func clear() { Self.clear() }

  /// Takes the line away, so that something else may be written.
  static func clear() {
    guard isLineShown.exchange(false, ordering: .relaxed) else { return }
    write("\r\u{1B}[K")
  }

  /// The terminal's width now; 0 where it does not say.
  private var columns: Int {
    var size = winsize()
    return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 ? Int(size.ws_col) : 0
  }

  private static func write(_ text: String) {
    // What a terminal does not take is not worth an error.
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
  }
}
