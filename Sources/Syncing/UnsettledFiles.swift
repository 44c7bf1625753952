import DocumentStorage

/// Files that were damaged or incomplete when they were read, and may be whole by now without a
/// trace of that.
///
/// One that is filled in place can get its last bytes within the same tick of its file system's
/// clock in which it was read: two seconds on FAT, a second over SFTP. Then neither its size nor
/// its times tell. So it is read again at each look, until one comes that is later than the tick,
/// by this machine's clock; and once by each process.
struct UnsettledFiles {
  private struct Reading {
    let look: FileRecord.Look
    let since: Int64
    var isSettled = false
  }
  private var readings: [FileKey: Reading] = [:]

  /// Longer than any file system's clock stands still, in milliseconds.
  private static let tick: Int64 = 3000

  /// Whether a file that looks as it did when this was noted of it is to be read again all the
  /// same; who is told so reads it.
  ///
  /// - parameter now: milliseconds since 1970.
  mutating func mustRead(_ record: FileRecord, now: Int64) -> Bool {
    guard record.reason == .damaged || record.reason == .incomplete else { return false }
    guard var reading = readings[record.key], reading.look == record.look, now >= reading.since
    else {
      readings[record.key] = Reading(look: record.look, since: now)
      return true
    }
    guard !reading.isSettled else { return false }
    reading.isSettled = now - reading.since >= Self.tick
    readings[record.key] = reading
    return true
  }
}
