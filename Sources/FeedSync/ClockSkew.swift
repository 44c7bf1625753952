import Foundation
import Replication
import Syncing

/// How far a clock is off, as the times that arrived here show it.
///
///     for device in try store.status().devices {
///       if let clock = device.clock { print(device.device.id, clock.ahead) }
///     }
///
/// Nothing is refused for a wrong clock. Of values written at once, that of the faster clock shows.
public struct ClockSkew: Hashable, Sendable {
  /// By how many seconds it is ahead; negative for one that is behind.
  public let ahead: TimeInterval
  /// Since when that is known; nil for this machine's clock where it has just gone back.
  public let since: Date?
  /// Whether it is proved, as a time from the future is.
  ///
  /// Where one thing after another seems to come from the past, all of them may have been delayed
  /// by as much.
  public let isCertain: Bool
}

extension ClockSkew {
  init(_ skew: ClockHistory.Skew) {
    self.init(
      ahead: Double(skew.ahead) / 1000,
      since: Date(timeIntervalSince1970: Double(skew.since) / 1000), isCertain: skew.isCertain)
  }

  init(_ own: ClockSurvey.Own) {
    switch own {
    case .apart(let skew, _): self.init(skew)
    case .wentBack(let by): self.init(ahead: -Double(by) / 1000, since: nil, isCertain: true)
    }
  }
}
