import SystemFiles
import SystemPackage

extension WatchLock {
  /// Who watches a device.
  package enum Holder: Equatable, Sendable {
    case nobody
    case process(String)
    /// A process that ended without giving the lock up: killed, or the power went.
    case dead(process: String)
  }

  /// - parameter state: the device's directory in the local state.
  package static func holder(state: FilePath, files: any FileSystem) -> Holder {
    let file = state.appending("locks").appending("watch")
    guard let text = try? files.contents(of: file, limit: maximumHolderBytes).bytes,
      !text.isEmpty
    else { return .nobody }
    let process = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    // A lock of a process that is gone is gone; others are asked, for numbers come back.
    guard (try? files.status(of: FilePath("/proc").appending(process))) != nil else {
      return .dead(process: process)
    }
    do {
      try files.lock(file, exclusive: false, wait: false, holder: []).release()
      return .dead(process: process)
    } catch {
      return .process(process)
    }
  }
}
