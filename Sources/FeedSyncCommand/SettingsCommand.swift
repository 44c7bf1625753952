import ArgumentParser
import CanonicalJSON
import FeedSync
import Syncing

struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Say how this device looks after its files in the folder; nothing of it is synced.",
    discussion: """
      Each device has settings of its own for each container. They count for 'compact', and for \
      what 'watch' and 'import' do by themselves:

      \(SettingWords.all)
      Spans of time are written as 90s, 15m, 6h, 7d or 2w, sizes as 512KiB or 2MiB.
      """,
    subcommands: [List.self, Get.self, Change.self, Reset.self], defaultSubcommand: List.self)

  struct List: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List all settings, and what holds.")

    @OptionGroup var global: GlobalOptions

    func run() throws {
      let settings = try global.settings()
      for setting in UpkeepSetting.allCases {
        switch global.format {
        case .text: Output.line(SettingWords.line(setting, in: settings))
        case .json: Output.line(SettingWords.json(setting, in: settings))
        }
      }
    }
  }

  struct Get: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "get", abstract: "Print what holds.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: SettingWords.argument, completion: SettingWords.completion) var name: String

    func run() throws {
      let setting = try UpkeepSetting(named: name)
      let settings = try global.settings()
      switch global.format {
      case .text: Output.line(SettingText.text(settings[setting], of: setting))
      case .json: Output.line(SettingWords.json(setting, in: settings))
      }
    }
  }

  // Not `Set`, which is a collection.
  struct Change: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Change a setting of this device.",
      discussion: "A 'watch' that runs goes by it the next time that it looks after the files.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: SettingWords.argument, completion: SettingWords.completion) var name: String
    // Unrecognized: else -1s would be an option that there is not.
    @Argument(
      parsing: .allUnrecognized,
      help: ArgumentHelp(
        "The value: 90s, 15m, 6h, 7d, 2w; 512KiB, 2MiB; 32; yes, no; never.", valueName: "value"))
    var values: [String]

    func run() throws {
      let setting = try UpkeepSetting(named: name)
      let words = Unrecognized.words(values)
      guard let text = words.first, words.count == 1 else {
        throw FeedSyncError(
          .usage, operation: "settings set",
          message: "\(words.count) values were given for one setting",
          hint: DashHint.behindDashes ?? "see 'feedsync settings set --help'")
      }
      let value = try SettingText.value(text, of: setting)
      try global.changeSettings { try $0.set(setting, to: value) }
      if global.format == .json {
        Output.line(SettingWords.json(setting, in: try global.settings()))
      }
    }
  }

  struct Reset: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset", abstract: "Take back what was said: a setting is as it comes again.")

    @OptionGroup var global: GlobalOptions
    @Argument(help: SettingWords.argument, completion: SettingWords.completion) var name: String?
    @Flag(help: "All settings.") var all = false

    func validate() throws {
      guard all != (name != nil) else {
        throw ValidationError("name one setting, or say --all")
      }
    }

    func run() throws {
      let setting = try name.map { try UpkeepSetting(named: $0) }
      try global.changeSettings { settings in
        if let setting { try settings.reset(setting) } else { settings = UpkeepSettings() }
      }
      guard global.format == .json else { return }
      let settings = try global.settings()
      for setting in setting.map({ [$0] }) ?? UpkeepSetting.allCases {
        Output.line(SettingWords.json(setting, in: settings))
      }
    }
  }
}

extension GlobalOptions {
  /// The settings of the device that is opened.
  fileprivate func settings() throws -> UpkeepSettings {
    let container = try open(needsFolder: false).record.container
    return try directory(needsFolder: false).settings(of: container)
  }

  fileprivate func changeSettings(_ change: (inout UpkeepSettings) throws -> Void) throws {
    let container = try open(needsFolder: false).record.container
    try directory(needsFolder: false).changeSettings(of: container, change)
  }
}

extension UpkeepSetting {
  fileprivate init(named name: String) throws(SettingError) {
    guard let setting = UpkeepSetting(rawValue: name) else { throw .unknown(name) }
    self = setting
  }
}

/// What settings are for, and how they are shown.
enum SettingWords {
  static let argument: ArgumentHelp = "The setting's name; 'settings list' has them."
  static let completion = CompletionKind.list(UpkeepSetting.allCases.map(\.rawValue))

  /// A line for each, with what it is for.
  static var all: String {
    UpkeepSetting.allCases.map { setting in
      "- \(setting.rawValue) (\(SettingText.text(setting.standard, of: setting))):"
        + " \(about(setting))\n"
    }.joined()
  }

  private static func about(_ setting: UpkeepSetting) -> String {
    switch setting {
    case .horizon:
      "a device of which nothing new has arrived for so long counts as away, and is not waited for"
        + " any more. Nothing that it wrote is lost when it comes back; longer keeps more in the"
        + " folder."
    case .grace:
      "so long a file stays that a larger one has taken the place of, unless another device has"
        + " said that it has its content; and so long what is dead is kept, in case somebody wants"
        + " to see or undo what made it so."
    case .acknowledgeAfter:
      "a device that has written says what it has received at the latest after so long, though its"
        + " user only reads. Sooner makes more files; later lets the others keep more."
    case .interval:
      "how often 'watch' and 'import' look after the files; never leaves that to 'compact'."
    case .budget: "how long they may take for it at once; the next time goes on with the rest."
    case .fanOut:
      "so many small files become one: more are more files in the folder, fewer are written again"
        + " more often."
    case .fileSize:
      "about how large a file becomes by that, or up to 2 MiB where this device has written more"
        + " than 128 times as much; it is held in memory when it is written and read."
    case .forget:
      "whether what is dead of this device's files is left out of them in the end; no keeps every"
        + " edit that was made here, for 'history' and 'undo', and the folder grows."
    }
  }

  static func line(_ setting: UpkeepSetting, in settings: UpkeepSettings) -> String {
    let usual = SettingText.text(setting.standard, of: setting)
    return "\(setting.rawValue) \(SettingText.text(settings[setting], of: setting))"
      + (settings.isSet(setting) ? " (as it comes: \(usual))" : "")
  }

  static func json(_ setting: UpkeepSetting, in settings: UpkeepSettings) -> JSON {
    .object([
      "name": .text(setting.rawValue), "value": .number(settings[setting]),
      "unit": .text(setting.kind.rawValue),
      "text": .text(SettingText.text(settings[setting], of: setting)),
      "default": .number(setting.standard), "set": .bool(settings.isSet(setting)),
    ])
  }
}
