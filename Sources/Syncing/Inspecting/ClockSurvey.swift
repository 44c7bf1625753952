import DocumentStorage
import Replication

/// Whose clock is off, as far as the times that arrived here prove it.
///
/// A pure function of what the database remembers and of the time: who asks twice gets one answer.
package struct ClockSurvey: Equatable, Sendable {
  /// A device other than this one, whose clock is off.
  package struct Device: Equatable, Sendable {
    package let stream: StreamID
    package let skew: ClockHistory.Skew
  }

  /// How far this machine's clock is off.
  package enum Own: Equatable, Sendable {
    /// All other devices' clocks are off by about as much, the other way.
    case apart(ClockHistory.Skew, devices: Int)
    /// It shows an earlier time than it showed when this device last wrote.
    case wentBack(by: Int64)
  }

  /// The devices whose clocks are off; empty where it is rather this machine's.
  package private(set) var devices: [Device] = []
  package private(set) var own: Own?

  /// - parameters:
  ///   - histories: of each other device of which something has arrived.
  ///   - ownTime: of the last transaction of this device.
  ///   - now: the wall clock, in milliseconds since 1970.
  package init(
    histories: [(stream: StreamID, history: ClockHistory)], ownTime: HybridTime, now: Int64
  ) {
    devices = histories.compactMap { stream, history in
      history.skew.map { Device(stream: stream, skew: $0) }
    }
    // It takes two to outvote one.
    if devices.count > 1, devices.count == histories.count,
      let apart = Self.common(devices.map(\.skew))
    {
      own = .apart(apart, devices: devices.count)
      devices = []
    }
    let reading = ClockReading(of: ownTime, now: now)
    if !reading.isBorrowed, reading.ahead > ClockHistory.tolerance {
      own = .wentBack(by: reading.ahead)
    }
  }

  /// What all skews have in common, as this machine's: nil unless they point one way.
  private static func common(_ skews: [ClockHistory.Skew]) -> ClockHistory.Skew? {
    guard let first = skews.first, let since = skews.map(\.since).max(),
      let lastSeen = skews.map(\.lastSeen).max(),
      skews.allSatisfy({ ($0.ahead > 0) == (first.ahead > 0) }),
      let least = skews.map(\.ahead).min(by: { abs($0) < abs($1) })
    else { return nil }
    return ClockHistory.Skew(
      ahead: -least, since: since, lastSeen: lastSeen,
      isCertain: skews.allSatisfy(\.isCertain))
  }
}

extension Device {
  /// What is known of the clocks of this machine and of the other devices.
  package func clockSurvey() throws -> ClockSurvey {
    ClockSurvey(
      histories: try database.clockHistories(), ownTime: try database.ownTime(),
      now: ambient.now())
  }
}
