/// What a user may say about how a device looks after its files: one number each.
///
///     UpkeepSetting(rawValue: "grace")?.standard  // 604800000, seven days
///
/// What has no name here is no matter of taste: a segment's most operations and bytes are bounded
/// by what every reader takes.
package enum UpkeepSetting: String, CaseIterable, Sendable {
  /// Of how long ago something has to have arrived of a device for it to be waited for.
  case horizon
  /// How long what is replaced or dead stays, though nobody is known to need it.
  case grace
  /// For how long something may have been applied until this device says that it has it.
  case acknowledgeAfter = "acknowledge-after"
  /// How often a device looks after its files by itself; 0 for never.
  case interval
  /// For how long it goes on at once.
  case budget
  /// So many files of a level become one of the next.
  case fanOut = "fan-out"
  /// About how large a joined file becomes.
  case fileSize = "file-size"
  /// Whether what is dead of this device's files is dropped; 1 or 0.
  case forget

  /// What a setting counts.
  package enum Kind: String, Sendable {
    /// A span of time, in milliseconds.
    case duration = "ms"
    /// A size, in bytes.
    case size = "bytes"
    case count
    /// Whether something is done: 1 or 0.
    case flag
  }

  package var kind: Kind {
    switch self {
    case .horizon, .grace, .acknowledgeAfter, .interval, .budget: .duration
    case .fileSize: .size
    case .fanOut: .count
    case .forget: .flag
    }
  }

  /// What holds where nothing was said.
  package var standard: Int64 {
    switch self {
    // Longer than a summer away, or a repair.
    case .horizon: 90 * Self.day
    // Long enough to notice over a week that something went wrong, on a machine that runs at all.
    case .grace: 7 * Self.day
    // A file a quarter of a day at the most, of a device whose user only reads.
    case .acknowledgeAfter: 6 * Self.hour
    case .interval: Self.hour
    case .budget: 2 * Self.second
    case .fanOut: 32
    // Held in memory with all that it unpacks to, here and by every reader.
    case .fileSize: 256 << 10
    // A folder has to stay small though nobody ever looks after it.
    case .forget: 1
    }
  }

  /// What may be said.
  package var range: ClosedRange<Int64> {
    switch self {
    case .horizon: Self.hour...Self.longest
    case .grace: 0...Self.longest
    case .acknowledgeAfter: Self.minute...30 * Self.day
    case .interval: Self.minute...30 * Self.day
    case .budget: Self.second...Self.hour
    case .fanOut: 2...1000
    case .fileSize: 64 << 10...8 << 20
    case .forget: 0...1
    }
  }

  /// Whether 0 says that it is never done.
  package var mayBeNever: Bool { self == .interval }

  private static let second: Int64 = 1_000
  private static let minute = 60 * second
  private static let hour = 60 * minute
  private static let day = 24 * hour
  /// Ten years.
  private static let longest = 3_650 * day
}

/// Why a setting is not taken.
package enum SettingError: Error, Equatable, Sendable {
  case unknown(String)
  /// The text says nothing of the kind.
  case unreadable(UpkeepSetting, String)
  case outOfRange(UpkeepSetting, String)
  /// A device that only reads would count as away before it says anything.
  case horizonTooShort(horizon: Int64, acknowledgeAfter: Int64)
}
