import Foundation
import Syncing

/// How this device looks after its files in the folder.
///
///     var settings = try store.compactionSettings()
///     settings.horizon = .seconds(30 * 86_400)
///     try store.setCompactionSettings(settings)
///
/// Each device has its own for each container; they are not synced. `feedsync settings` shows and
/// changes the same. Fractions of a millisecond are dropped.
public struct CompactionSettings: Hashable, Sendable {
  /// For how long nothing new may have arrived of a device until it counts as away and is not
  /// waited for any more; 90 days unless said otherwise, from an hour to ten years, and longer than
  /// ``acknowledgeAfter``.
  ///
  /// Nothing that it wrote is lost when it comes back. Longer keeps more in the folder.
  public var horizon: Duration
  /// How long a file stays that a larger one has taken the place of, unless another device has said
  /// that it has its content, and what is dead, for somebody to see and undo; seven days unless
  /// said otherwise, from nothing to ten years.
  public var grace: Duration
  /// After how long a device that has written says what it has received, though its user only
  /// reads; six hours unless said otherwise, from a minute to thirty days.
  ///
  /// Sooner makes more files; later lets the other devices keep more.
  public var acknowledgeAfter: Duration
  /// How often the files are looked after: an hour unless said otherwise, from a minute to thirty
  /// days; nil for never.
  ///
  /// By `compactIfDue` of ``DocumentStore``, and by `feedsync watch` and `import`.
  public var interval: Duration?
  /// For how long they do so at once; two seconds unless said otherwise, from one to an hour.
  public var budget: Duration
  /// So many small files become a larger one; 32 unless said otherwise, from 2 to 1,000.
  ///
  /// More are more files in the folder; fewer are written again more often.
  public var fanOut: Int
  /// About how many bytes a file gets by that; 256 KiB unless said otherwise, from 64 KiB to 8 MiB.
  ///
  /// More where a device has written more than 128 times as much, up to 2 MiB.
  ///
  /// It is held in memory, with all that it unpacks to, when it is written and read.
  public var fileSize: Int

  /// What holds where nothing is said.
  public static let standard = CompactionSettings(UpkeepSettings())
}

extension DocumentStore {
  /// How this device looks after its files.
  ///
  /// - throws: ``FeedSyncError`` with `.configuration` if somebody has written what cannot be read
  ///   into the file of settings.
  public func compactionSettings() throws -> CompactionSettings {
    try wording("read the settings") { CompactionSettings(try upkeepSettings()) }
  }

  /// Changes how this device looks after its files.
  ///
  /// - throws: ``FeedSyncError`` with `.usage`, and nothing changed, for a value out of range.
  public func setCompactionSettings(_ settings: CompactionSettings) throws {
    try wording("change the settings") {
      let said = try settings.upkeepSettings()
      try stateDirectory().changeSettings(of: device.record.container) { stored in
        var said = said
        // What it does not tell of stays as it is: a user who keeps all edits is not overruled.
        for setting in UpkeepSetting.allCases
        where !CompactionSettings.told.contains(setting) && stored.isSet(setting) {
          try said.set(setting, to: stored[setting])
        }
        stored = said
      }
    }
  }

  func upkeepSettings() throws -> UpkeepSettings {
    try stateDirectory().settings(of: device.record.container)
  }

  private func stateDirectory() throws -> DeviceDirectory {
    let state = device.database.file.removingLastComponent().removingLastComponent()
    return try StateLocation.directory(named: state.string)
  }

  func wording<Result>(_ operation: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw FeedSyncError(error, operation: operation)
    }
  }
}

extension CompactionSettings {
  init(_ settings: UpkeepSettings) {
    func duration(_ setting: UpkeepSetting) -> Duration { .milliseconds(settings[setting]) }
    self.init(
      horizon: duration(.horizon), grace: duration(.grace),
      acknowledgeAfter: duration(.acknowledgeAfter),
      interval: settings[.interval] > 0 ? duration(.interval) : nil, budget: duration(.budget),
      fanOut: Int(settings[.fanOut]), fileSize: Int(settings[.fileSize]))
  }

  /// Those that it tells of.
  fileprivate static let told: Set<UpkeepSetting> = [
    .acknowledgeAfter, .horizon, .grace, .interval, .budget, .fanOut, .fileSize,
  ]

  /// What is as it comes is not said, so that it stays so in later versions.
  fileprivate func upkeepSettings() throws(SettingError) -> UpkeepSettings {
    // In this order, so that none is refused for the usual value of another.
    let said: [(UpkeepSetting, Int64)] = [
      (.acknowledgeAfter, acknowledgeAfter.milliseconds), (.horizon, horizon.milliseconds),
      (.grace, grace.milliseconds), (.interval, interval?.milliseconds ?? 0),
      (.budget, budget.milliseconds), (.fanOut, Int64(fanOut)), (.fileSize, Int64(fileSize)),
    ]
    var settings = UpkeepSettings()
    for (setting, value) in said where value != setting.standard {
      try settings.set(setting, to: value)
    }
    return settings
  }
}

extension Duration {
  /// Whole milliseconds; as many as there can be, if there are more.
  var milliseconds: Int64 {
    // The parts of more than that may not fit their types.
    if self >= .milliseconds(Int64.max) { return .max }
    if self <= .milliseconds(Int64.min) { return .min }
    return components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
