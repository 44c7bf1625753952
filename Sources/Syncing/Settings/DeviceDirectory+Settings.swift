import CanonicalJSON
import Replication
import SystemFiles
import SystemPackage

// What users say about their devices: a small file for each container, beside its directory, so
// that a database that is made anew goes by the same.
extension DeviceDirectory {
  private static let maximumSettingsBytes = 64 << 10

  /// Where the settings of a container's device are, once its user has said something.
  package func settingsFile(of container: ContainerID) -> FilePath {
    root.appending("\(container).settings.json")
  }

  /// What holds for a container's device.
  ///
  /// - throws: ``SettingsFileError`` if somebody has written into the file what is no setting: what
  ///   it should say is not guessed, since it is about what may be forgotten.
  package func settings(of container: ContainerID) throws -> UpkeepSettings {
    try Self.settings(in: stored(of: container), file: settingsFile(of: container))
  }

  /// Changes what is said about a container's device.
  ///
  /// - parameter change: runs while no other process changes settings in this state.
  package func changeSettings(
    of container: ContainerID, _ change: (inout UpkeepSettings) throws -> Void
  ) throws {
    let file = settingsFile(of: container)
    try exclusively {
      var stored = try stored(of: container)
      var settings = try Self.settings(in: stored, file: file)
      try change(&settings)
      // What a newer version knows besides stays.
      for setting in UpkeepSetting.allCases {
        let name = ByteString(setting.rawValue)
        stored[name] =
          settings.isSet(setting)
          ? .string(ByteString(SettingText.text(settings[setting], of: setting))) : nil
      }
      try replace(file, with: stored)
    }
  }

  /// Has a container's device go by what was said about those that it adopts, where nothing was
  /// said about itself; by the first of them of which something was.
  ///
  /// - throws: as ``settings(of:)``; then nothing is changed.
  package func carrySettings(from others: [ContainerID], to container: ContainerID) throws {
    try exclusively {
      guard try stored(of: container).members.isEmpty else { return }
      for other in others {
        let said = try stored(of: other)
        guard !said.members.isEmpty else { continue }
        _ = try Self.settings(in: said, file: settingsFile(of: other))
        return try replace(settingsFile(of: container), with: said)
      }
    }
  }

  /// Forgets what was said, where the device goes for good.
  func removeSettings(of container: ContainerID) throws(FileError) {
    do {
      try files.remove(settingsFile(of: container))
      try files.synchronizeDirectory(root)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
    }
  }

  private func stored(of container: ContainerID) throws -> JSONObject {
    let file = settingsFile(of: container)
    do {
      let bytes = try files.contents(of: file, limit: Self.maximumSettingsBytes).bytes
      guard case .object(let object) = try? JSON(parsing: bytes) else {
        throw SettingsFileError(file: file, detail: "it is no JSON object")
      }
      return object
    } catch let error as FileError {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return JSONObject()
    }
  }

  private static func settings(
    in stored: JSONObject, file: FilePath
  ) throws(SettingsFileError) -> UpkeepSettings {
    var settings = UpkeepSettings()
    var said: [(setting: UpkeepSetting, value: Int64)] = []
    do throws(SettingError) {
      for setting in UpkeepSetting.allCases {
        guard let json = stored[ByteString(setting.rawValue)] else { continue }
        guard case .string(let text) = json else { throw .unreadable(setting, json.canonical) }
        said.append((setting, try SettingText.value(text.description, of: setting)))
      }
      // One of two that go together must not be refused for the usual value of the other.
      for (setting, value) in said.sorted(by: { $0.value < $1.value }) {
        try settings.set(setting, to: value)
      }
    } catch {
      throw SettingsFileError(file: file, detail: "\(error)", cause: error)
    }
    return settings
  }
}

/// What stands in a file of settings is none.
package struct SettingsFileError: Error, Sendable {
  package let file: FilePath
  package let detail: String
  /// Which setting it is about, if it is about one.
  package var cause: SettingError?
}
