import SystemFiles
import SystemPackage

/// Writes, starts, stops and removes the unit of a service, for one user.
///
/// What `systemctl enable` does is done here, so that it is done without a running systemd, too.
package struct ServiceInstaller: Sendable {
  /// Where the user's own units are: `~/.config/systemd/user`.
  package let directory: FilePath
  let files: any FileSystem
  let manager: UserManager
  let temporaryName: @Sendable () -> FilePath.Component

  package init(
    directory: FilePath, files: any FileSystem, manager: UserManager,
    temporaryName: @escaping @Sendable () -> FilePath.Component
  ) {
    self.directory = directory
    self.files = files
    self.manager = manager
    self.temporaryName = temporaryName
  }

  static let maximumUnitBytes = 1 << 20

  package func file(of unit: UnitName) -> FilePath { directory.appending(unit.description) }

  var wants: FilePath { directory.appending("default.target.wants") }
  func link(of unit: UnitName) -> FilePath { wants.appending(unit.description) }

  /// What stands in the unit's file; nil where there is none.
  func text(of unit: UnitName) throws(FileError) -> String? {
    do throws(FileError) {
      let bytes = try files.contents(of: file(of: unit), limit: Self.maximumUnitBytes).bytes
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }

  func isThere(_ path: FilePath) throws(FileError) -> Bool {
    do throws(FileError) {
      _ = try files.status(of: path)
      return true
    } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }
}

extension FileError {
  var isMissing: Bool { errno == .noSuchFileOrDirectory || errno == .notDirectory }
}

// MARK: - Installing

extension ServiceInstaller {
  /// What `install` did.
  package struct Installation: Equatable, Sendable {
    package enum Change: String, Sendable {
      case installed
      case updated
      case unchanged
    }

    package enum Start: Equatable, Sendable {
      /// It runs now, or tries to.
      case started
      case ranAlready
      /// No systemd of the user's can be asked now.
      case unreachable(String)
      /// The user's systemd runs, but reads its units elsewhere.
      case readsElsewhere
    }

    package let change: Change
    package let start: Start

    package init(change: Change, start: Start) {
      self.change = change
      self.start = start
    }
  }

  /// Writes and enables the unit, and starts it if the user's systemd can be reached.
  ///
  /// Done again, it changes nothing; where the unit has become another one, it is started anew.
  package func install(_ service: WatchService) throws -> Installation {
    let text = UnitText.render(service)
    let present = try self.text(of: service.unit)
    if let present, !UnitText.isOurs(present) {
      throw ServiceError.notOurs(file(of: service.unit))
    }
    if present != text { try write(text, unit: service.unit) }
    if try !isThere(link(of: service.unit)) {
      try makeDirectories(wants)
      try files.makeSymbolicLink(link(of: service.unit), to: file(of: service.unit))
    }
    let change: Installation.Change =
      present == nil ? .installed : present == text ? .unchanged : .updated
    return Installation(change: change, start: try start(service.unit, isNew: present != text))
  }

  private func start(_ unit: UnitName, isNew: Bool) throws -> Installation.Start {
    let isStale: Bool
    switch manager.properties(of: unit) {
    case .unreachable(let reason): return .unreachable(reason)
    // What runs is the unit as it was read: the file may have become another one while systemd
    // could not be asked, or a drop-in beside it.
    case .unit(let properties): isStale = properties.needsReload
    }
    try manager.reload()
    switch manager.properties(of: unit) {
    case .unreachable(let reason): return .unreachable(reason)
    case .unit(let properties):
      guard properties.file == file(of: unit).string else { return .readsElsewhere }
      guard isNew || isStale || !properties.isRunning else { return .ranAlready }
      try manager.restart(unit)
      return .started
    }
  }

  private func write(_ text: String, unit: UnitName) throws(FileError) {
    try makeDirectories(directory)
    let staged = directory.appending(temporaryName())
    try files.publish(
      Array(text.utf8), at: staged, temporaryName: temporaryName(), mode: 0o644)
    try files.rename(staged, to: file(of: unit))
    try files.synchronizeDirectory(directory)
  }

  private func makeDirectories(_ path: FilePath) throws(FileError) {
    if (try? files.status(of: path)) != nil { return }
    if path.parent != path { try makeDirectories(path.parent) }
    do throws(FileError) {
      try files.makeDirectory(path, mode: 0o700)
    } catch {
      guard error.errno == .fileExists else { throw error }
    }
  }
}

// MARK: - Removing

extension ServiceInstaller {
  /// What `remove` did.
  package struct Removal: Equatable, Sendable {
    /// Whether there was anything to remove.
    package let wasInstalled: Bool
    /// Why a running watch could not be ended, if so.
    package let unreachable: String?

    package init(wasInstalled: Bool, unreachable: String?) {
      self.wasInstalled = wasInstalled
      self.unreachable = unreachable
    }
  }

  /// Stops and disables the unit, and removes what ``install(_:)`` made, and nothing else.
  package func remove(_ unit: UnitName) throws -> Removal {
    let text = try text(of: unit)
    if let text, !UnitText.isOurs(text) { throw ServiceError.notOurs(file(of: unit)) }
    var unreachable: String?
    // Also where a user has removed the file by hand: what systemd has read still runs.
    var isLoaded = false
    switch manager.properties(of: unit) {
    case .unreachable(let reason): unreachable = reason
    case .unit(let properties): isLoaded = properties.file == file(of: unit).string
    }
    if isLoaded { try manager.stop(unit) }
    let wasEnabled = try removeLink(of: unit)
    if text != nil { try files.remove(file(of: unit)) }
    let wasInstalled = text != nil || wasEnabled || isLoaded
    if wasInstalled { for directory in [directory, directory.parent] { removeIfEmpty(directory) } }
    if isLoaded { try manager.reload() }
    return Removal(wasInstalled: wasInstalled, unreachable: wasInstalled ? unreachable : nil)
  }

  private func removeLink(of unit: UnitName) throws(FileError) -> Bool {
    guard try isThere(link(of: unit)) else { return false }
    try files.remove(link(of: unit))
    removeIfEmpty(wants)
    return true
  }

  /// A directory that holds more is not ours alone, and one that cannot be removed does no harm.
  private func removeIfEmpty(_ path: FilePath) { try? files.removeDirectory(path) }
}
