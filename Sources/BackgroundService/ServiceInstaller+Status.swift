import SystemFiles
import SystemPackage

extension ServiceInstaller {
  /// What is there of a service, and what it does.
  package struct Status: Equatable, Sendable {
    package let unit: UnitName
    package let file: FilePath
    package let isInstalled: Bool
    /// Whether it is started when the user logs in, or at boot where the user lingers.
    package let isEnabled: Bool
    /// The program that the unit runs; nil where a user wrote the line anew.
    package let program: String?
    package let programExists: Bool
    /// What the program is called with.
    package let arguments: [String]
    package let text: String?
    package let manager: UserManager.Answer

    /// Whether the unit is the one that would be installed now.
    package func isCurrent(_ service: WatchService) -> Bool {
      text == UnitText.render(service)
    }
  }

  package func status(of unit: UnitName) throws -> Status {
    let text = try text(of: unit)
    let command = text.flatMap { UnitText.command(of: $0) }
    // The whole way: a link to a program that was removed is no program.
    let exists = command.map { (try? files.canonicalPath(of: FilePath($0.program))) != nil }
    return Status(
      unit: unit, file: file(of: unit), isInstalled: text != nil,
      isEnabled: try isThere(link(of: unit)), program: command?.program,
      programExists: exists ?? false,
      arguments: command?.arguments ?? [], text: text, manager: manager.properties(of: unit))
  }

  /// The units in the directory that feedsync wrote, sorted.
  package func installed() throws -> [UnitName] {
    let names: [String]
    do throws(FileError) {
      names = try files.list(directory).map(\.name.string).sorted()
    } catch {
      guard error.isMissing else { throw error }
      return []
    }
    return try names.compactMap { UnitName(file: $0) }.filter { unit in
      try text(of: unit).map { UnitText.isOurs($0) } ?? false
    }
  }
}
