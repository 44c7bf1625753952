import SystemPackage

/// The names of feedsync's own temporary files, such as `.feedsync-00c0ffee00c0ffee.nosync`.
package enum LeftoverName {
  private static let start = ".feedsync-"
  private static let end = ".nosync"

  package static func matches(_ name: FilePath.Component) -> Bool {
    let text = name.string
    return text.hasPrefix(start) && text.hasSuffix(end) && text.count > start.count + end.count
  }
}
