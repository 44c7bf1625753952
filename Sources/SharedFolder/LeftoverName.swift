/// The names of feedsync's own temporary files, such as `.feedsync-00c0ffee00c0ffee.nosync`.
package enum LeftoverName {
  private static let start = ".feedsync-"
  private static let end = ".nosync"

  package static func matches(_ name: [UInt8]) -> Bool {
    name.starts(with: start.utf8) && name.reversed().starts(with: end.utf8.reversed())
      && name.count > start.utf8.count + end.utf8.count
  }
}
