import CanonicalJSON
import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// A database of this state whose place another has taken: put aside by `rebuild`, or left behind
/// by `init --adopt`.
///
/// It may hold what nobody else has, so it is remembered until all of that has been published.
package struct OlderDatabase: Sendable {
  package let directory: FilePath
  /// The container that gets what it holds; where that was adopted in its turn, by another.
  package let target: ContainerID
  /// What came of it so far; nil if nothing was ever noted.
  package let record: SalvageRecord?

  /// Whether all that it holds is in the folder, durably.
  package var isSalvaged: Bool { record.map { $0.isComplete && $0.target == target } ?? false }

  /// Whether it may have more to give than it has so far.
  ///
  /// Not for what cannot be read of it, if that is all: nobody could ever leave.
  package var mayHoldMore: Bool {
    guard !isSalvaged, let record else { return !isSalvaged }
    return record.target != target || record.unreadable == 0 || !record.isPublished
  }

  /// Whether it stands where its container's database does, and another container adopted that.
  let isAdopted: Bool

  /// Whose it was.
  var container: ContainerID? {
    directory.lastComponent?.string.split(separator: ".").first.flatMap { ContainerID($0) }
  }

  /// Whether its device was nowhere else since another container was to adopt it.
  ///
  /// JSON has no bytes that are no text, so neither is compared with them.
  func isWhereNoted(_ device: DeviceRecord) -> Bool {
    record?.place.map { $0.string == device.path.string } ?? true
  }

  /// The same on its way into the container that has adopted its target, and so on.
  ///
  /// Two machines may have adopted crosswise: what comes round ends before.
  fileprivate func followed(_ adopters: [ContainerID: ContainerID]) -> OlderDatabase {
    var target = target
    var passed: Set<ContainerID> = [target]
    if isAdopted, let container { passed.insert(container) }
    while let next = adopters[target], passed.insert(next).inserted { target = next }
    return OlderDatabase(
      directory: directory, target: target, record: record, isAdopted: isAdopted)
  }
}

/// What is noted, in a database's directory, of publishing what it holds.
package struct SalvageRecord: Hashable, Sendable {
  /// The container that gets it.
  package let target: ContainerID
  /// Whether nothing is left to be done.
  package let isComplete: Bool
  /// How much of it could not be read any more.
  package let unreadable: Int
  /// Whether the folder has all of it that could be read.
  ///
  /// Older programs did not note it; the next `init` finds it out where something is left.
  let isPublished: Bool
  /// Where its container was when another was to adopt it; elsewhere, it has been in use since.
  let place: FilePath?

  package init(
    target: ContainerID, isComplete: Bool = false, unreadable: Int = 0,
    isPublished: Bool = false, place: FilePath? = nil
  ) {
    self.target = target
    self.isComplete = isComplete
    self.unreadable = unreadable
    self.isPublished = isPublished
    self.place = place
  }

  init?(parsing bytes: [UInt8]) {
    guard case .object(let object) = try? JSON(parsing: bytes),
      case .string(let text) = object["into"], let target = ContainerID(text.description),
      case .bool(let isComplete) = object["complete"],
      case .integer(let unreadable) = object["unreadable"]
    else { return nil }
    var place: FilePath?
    if case .string(let path) = object["place"] { place = FilePath(path.description) }
    var isPublished = isComplete
    if case .bool(let isNoted) = object["published"] { isPublished = isNoted }
    self.init(
      target: target, isComplete: isComplete, unreadable: Int(unreadable),
      isPublished: isPublished, place: place)
  }

  var object: JSONObject {
    [
      "into": .string(ByteString(target.description)), "complete": .bool(isComplete),
      "unreadable": .integer(Int64(unreadable)), "published": .bool(isPublished),
      "place": place.map { .string(ByteString($0.string)) } ?? .null,
    ]
  }
}

extension DeviceDirectory {
  private static let maximumRecordBytes = 64 << 10
  private static let asidePrefix = "old-"

  /// Where `rebuild` puts a container's database: a name that is free, later ones behind earlier.
  func asideDirectory(of container: ContainerID) -> FilePath {
    var number = ambient.now()
    while true {
      let directory = root.appending("\(container).\(Self.asidePrefix)\(number)")
      if (try? files.status(of: directory)) == nil { return directory }
      number += 1
    }
  }

  /// The databases whose place others have taken, or are taking; of one container if named.
  package func olderDatabases(of container: ContainerID? = nil) throws -> [OlderDatabase] {
    let entries: [DirectoryEntry]
    do {
      entries = try files.list(root)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return []
    }
    let all = try entries.compactMap { try olderDatabase(named: $0.name) }
      .filter { !isBack($0) && !isElsewhere($0) }
    var adopters: [ContainerID: ContainerID] = [:]
    // Only what stands in its container's place can lead on.
    for older in all where older.isAdopted {
      guard let container = older.container,
        (try? store(in: older.directory, for: .salvage).device()) != nil
      else { continue }
      adopters[container] = older.target
    }
    return all.map { $0.followed(adopters) }
      .filter { container == nil || $0.target == container }
      .sorted { $0.directory.string < $1.directory.string }
  }

  /// The databases from which one is being made anew, as long as they may hold what it has not got.
  package func databasesOfRebuild(of container: ContainerID) throws -> [OlderDatabase] {
    guard rebuildProgress(in: directory(of: container)) != nil else { return [] }
    return try olderDatabases(of: container).filter(\.mayHoldMore)
  }

  /// Whether the container that another was to adopt stands in its place again: it is in use.
  private func isBack(_ older: OlderDatabase) -> Bool {
    guard older.isAdopted, let place = older.record?.place, answers(place) else { return false }
    let marker = try? ContainerFolder(root: place, files: files).marker()
    return marker.map { $0.container == older.container } ?? false
  }

  /// Whether the container that another was to adopt has been in use elsewhere since.
  private func isElsewhere(_ older: OlderDatabase) -> Bool {
    guard older.isAdopted, let device = try? store(in: older.directory, for: .salvage).device()
    else { return false }
    return !older.isWhereNoted(device)
  }

  private func olderDatabase(named name: FilePath.Component) throws -> OlderDatabase? {
    let parts = name.string.split(separator: ".", maxSplits: 1)
    guard let first = parts.first, let id = ContainerID(first) else { return nil }
    let directory = root.appending(name)
    guard try files.status(of: directory).kind == .directory else { return nil }
    // One that cannot be read is tried again, or says so where it is opened.
    let record = try? salvageRecord(in: directory)
    guard parts.count == 2 else {
      return record.map {
        OlderDatabase(directory: directory, target: $0.target, record: $0, isAdopted: true)
      }
    }
    guard parts[1].hasPrefix(Self.asidePrefix) else { return nil }
    return OlderDatabase(directory: directory, target: id, record: record, isAdopted: false)
  }

  private func salvageFile(in directory: FilePath) -> FilePath {
    directory.appending("salvage.json")
  }

  private func salvageRecord(in directory: FilePath) throws -> SalvageRecord? {
    do {
      let file = salvageFile(in: directory)
      return SalvageRecord(
        parsing: try files.contents(of: file, limit: Self.maximumRecordBytes).bytes)
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }

  /// Not for use within ``exclusively(_:)``.
  func note(_ record: SalvageRecord, in directory: FilePath) throws {
    let file = salvageFile(in: directory)
    do {
      try replace(file, with: record.object)
    } catch let error as FileError where error.errno == .noSuchFileOrDirectory {
      // An `init` beside this may have taken what was staged for a leftover; not under its lock.
      try exclusively { try replace(file, with: record.object) }
    }
  }

  /// Forgets that a database's place was to be taken by another: it is in use.
  func forgetSalvage(of directory: FilePath) throws {
    guard try salvageRecord(in: directory) != nil else { return }
    try files.remove(salvageFile(in: directory))
    try files.synchronizeDirectory(directory)
  }
}
