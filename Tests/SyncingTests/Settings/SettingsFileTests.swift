import DocumentStorage
import Replication
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// What users say about a device, in its state.
@Suite("Settings of a device") struct SettingsFileTests {
  private static let container = ContainerID(rawValue: 0xABCD)
  private let world: World
  private let directory: DeviceDirectory
  private static let hour: Int64 = 3_600_000

  init() throws {
    world = try World()
    try world.files.makeDirectory("/world/state", mode: 0o700)
    directory = DeviceDirectory(root: "/world/state", files: world.files, ambient: world.ambient)
  }

  private func set(_ setting: UpkeepSetting, _ value: Int64) throws {
    try directory.changeSettings(of: Self.container) { try $0.set(setting, to: value) }
  }

  private var settings: UpkeepSettings {
    get throws { try directory.settings(of: Self.container) }
  }

  private func place(_ text: String) throws {
    try world.place(Array(text.utf8), at: directory.settingsFile(of: Self.container))
  }

  @Test("are as they come where nothing was said, as compaction has them")
  func standard() throws {
    let settings = try settings
    let (limits, standard) = (settings.limits, CompactionLimits.standard)
    #expect(UpkeepSetting.allCases.allSatisfy { !settings.isSet($0) })
    #expect(limits.horizon == standard.horizon && limits.grace == standard.grace)
    #expect(limits.silence == standard.silence && limits.interval == standard.interval)
    #expect(limits.fanOut == standard.fanOut && limits.bytes == standard.bytes)
    #expect(limits.operations == standard.operations && limits.bodyBytes == standard.bodyBytes)
    #expect(limits.drops == standard.drops)
  }

  @Test("are kept once they were said, each by itself, and taken back")
  func kept() throws {
    try set(.grace, Self.hour)
    try set(.horizon, 24 * Self.hour)
    #expect(try settings.limits.grace == Self.hour)
    #expect(try settings.limits.horizon == 24 * Self.hour)
    try directory.changeSettings(of: Self.container) { try $0.reset(.grace) }
    #expect(try settings[.grace] == UpkeepSetting.grace.standard)
    #expect(try settings[.horizon] == 24 * Self.hour)
    let other = ContainerID(rawValue: 0xBEEF)
    #expect(try directory.settings(of: other) == UpkeepSettings())
  }

  @Test("go with who adopts the container, but where something was said about its own")
  func carried() throws {
    let (silent, adopting) = (ContainerID(rawValue: 0xBEEF), ContainerID(rawValue: 0xCAFE))
    try place(#"{"grace":"1h","newer":"7"}"#)
    try directory.carrySettings(from: [silent, Self.container], to: adopting)
    #expect(try directory.settings(of: adopting)[.grace] == Self.hour)
    // Also what a newer version has said.
    #expect(
      try world.files.contents(of: directory.settingsFile(of: adopting), limit: 100).bytes
        == Array(#"{"grace":"1h","newer":"7"}"#.utf8) + [0x0A])
    try set(.grace, 2 * Self.hour)
    try directory.carrySettings(from: [Self.container], to: adopting)
    #expect(try directory.settings(of: adopting)[.grace] == Self.hour)
  }

  @Test("that say nothing of the kind are not carried on, and nothing is changed")
  func carriedDamage() throws {
    let adopting = ContainerID(rawValue: 0xCAFE)
    try place(#"{"grace":"soon"}"#)
    #expect(throws: SettingsFileError.self) {
      try directory.carrySettings(from: [Self.container], to: adopting)
    }
    #expect(try directory.settings(of: adopting) == UpkeepSettings())
  }

  @Test("are not changed by what is refused")
  func refused() throws {
    try set(.horizon, 24 * Self.hour)
    #expect(
      throws: SettingError.horizonTooShort(
        horizon: 24 * Self.hour, acknowledgeAfter: 24 * Self.hour)
    ) { try set(.acknowledgeAfter, 24 * Self.hour) }
    #expect(throws: SettingError.outOfRange(.fanOut, "1")) { try set(.fanOut, 1) }
    #expect(try settings[.acknowledgeAfter] == UpkeepSetting.acknowledgeAfter.standard)
    #expect(try settings[.horizon] == 24 * Self.hour)
  }

  @Test("that go together are read whichever is out of the other's usual range")
  func together() throws {
    try set(.acknowledgeAfter, Self.hour / 2)
    try set(.horizon, Self.hour)
    #expect(try settings[.horizon] == Self.hour)
    #expect(try settings[.acknowledgeAfter] == Self.hour / 2)
  }

  @Test("of a newer version stay")
  func newer() throws {
    try place(#"{"colour":"red","grace":"1h"}"#)
    try set(.horizon, 24 * Self.hour)
    let bytes = try world.files.contents(
      of: directory.settingsFile(of: Self.container), limit: 1 << 10
    ).bytes
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"colour":"red","grace":"1h","horizon":"1d"}"# + "\n")
  }

  @Test(
    "that somebody has broken are refused, not guessed",
    arguments: ["", "[]", #"{"grace":7}"#, #"{"grace":"soon"}"#, #"{"horizon":"2h"}"#])
  func broken(text: String) throws {
    try place(text)
    let error = #expect(throws: SettingsFileError.self) { try settings }
    #expect(error?.file == directory.settingsFile(of: Self.container))
    #expect(throws: SettingsFileError.self) { try set(.grace, 0) }
  }
}
