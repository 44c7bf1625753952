import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// One (state, container) pair: what a command works on.
///
/// Several processes may hold the same device at once; the database orders their writes.
package struct Device: Sendable {
  package let record: DeviceRecord
  package let database: StoreDatabase
  package let container: ContainerFolder
  package let ambient: Ambient
  /// A random number of this process, bound into every transaction it writes.
  package let nonce: UInt64
  /// Asks whether the folder's file system answers, before it is used: a watch lives long.
  let ask: @Sendable (_ folder: FilePath) -> FolderAnswer
  /// What is still to come from databases whose place this device's has taken; nil where none is.
  let awaited: @Sendable (_ device: Device) throws -> AwaitedOriginals?

  package init(
    record: DeviceRecord, database: StoreDatabase, container: ContainerFolder,
    ambient: Ambient,
    ask: @escaping @Sendable (_ folder: FilePath) -> FolderAnswer = { _ in .answers },
    awaited: @escaping @Sendable (_ device: Device) throws -> AwaitedOriginals? = { _ in nil }
  ) {
    self.ask = ask
    self.awaited = awaited
    self.record = record
    self.database = database
    self.container = container
    self.ambient = ambient
    nonce = ambient.random()
  }

  /// This device, with its folder within reach again if that did not answer when it was opened.
  package func asked() -> Device {
    guard isOutOfReach else { return self }
    if case .silent = ask(container.root) { return self }
    return Device(
      record: record, database: database,
      container: ContainerFolder(root: container.root, files: LinuxFileSystem()),
      ambient: ambient, ask: ask, awaited: awaited)
  }

  /// Whether the folder's file system did not answer when the device was opened.
  package var isOutOfReach: Bool { container.files is UnreachableFileSystem }

  /// Whether the folder can be read and written as this device's container now.
  ///
  /// - returns: what is missing, if only local work is possible; nil if all is there.
  /// - throws: ``ContainerError/otherContainer(_:expected:found:)`` where nothing may be done at
  ///   all, neither in the folder nor locally.
  package func absence() throws -> ContainerError? {
    if case .silent = ask(container.root) { return .unreachable(container.root, .timedOut) }
    do {
      let marker = try container.marker()
      guard marker.container == record.container else {
        throw ContainerError.otherContainer(
          container.root, expected: record.container, found: marker.container)
      }
      return original().map { .copy(container.root, of: $0.root) }
    } catch let error as ContainerError {
      guard error.isAbsence else { throw error }
      return error
    }
  }

  /// This device, with the folder as the one that it works in; for use before publishing there.
  ///
  /// An original that is away may have been moved here or be unplugged, which cannot be told apart.
  /// What is noted as published must be missing from neither: so the original, should it come
  /// back, is the copy from now on.
  ///
  /// - throws: ``ContainerError/copy(_:of:)`` if the folder lacks what this device has published.
  func settled() throws -> Device {
    guard record.path != container.root, !isSameFolder(record.path) else { return self }
    if let settled = try settledAlready() { return settled }
    guard try OwnSegments(of: self).missing().isEmpty else {
      throw ContainerError.copy(container.root, of: record.path)
    }
    try database.move(from: record.path, to: container.root)
    guard let settled = try settledAlready() else {
      throw ContainerError.moved(container.root)
    }
    // Until then a process may have published into the original, which came back.
    var read: Set<FilePath> = []
    _ = try OwnSegments(of: settled).bringOver(from: record.path, &read)
    return settled
  }

  /// This device as the database has it, if it works in this folder by now.
  private func settledAlready() throws -> Device? {
    guard let record = try database.device(), record.path == container.root else { return nil }
    return Device(
      record: record, database: database, container: container, ambient: ambient, ask: ask,
      awaited: awaited)
  }

  /// Whether a path leads to the folder that this one works in.
  func isSameFolder(_ path: FilePath) -> Bool {
    let other = ContainerFolder(root: path, files: container.files)
    guard case .answers = ask(path),
      let here = try? container.files.status(of: container.markerFile),
      let there = try? container.files.status(of: other.markerFile)
    else { return false }
    return here.isSameFile(as: there)
  }

  /// The paths by which the database may know the folder that this device works in.
  ///
  /// - throws: ``ContainerError/moved(_:)`` where it knows another one: the device has been
  ///   initialised there since this process opened it, and nobody writes here any more.
  func homes() throws -> Set<FilePath> {
    var homes: Set = [record.path, container.root]
    guard let home = try database.device()?.path, !homes.contains(home) else { return homes }
    guard isSameFolder(home) else { throw ContainerError.moved(container.root) }
    homes.insert(home)
    return homes
  }

  /// The folder that the device was initialised in, if it is there and another than this one.
  ///
  /// What is published into the one would be missing from the other.
  private func original() -> ContainerFolder? {
    guard record.path != container.root else { return nil }
    // Another process may have settled here since this one began.
    if (try? database.device())?.path == container.root { return nil }
    if case .silent = ask(record.path) { return nil }
    let original = ContainerFolder(root: record.path, files: container.files)
    guard let marker = try? original.marker(), marker.container == record.container,
      !isSameFolder(record.path)
    else { return nil }
    return original
  }

  /// As ``absence()``, for what cannot be done without the folder.
  package func requireContainer() throws {
    if let absence = try absence() { throw absence }
  }
}

extension ContainerError {
  /// Whether the folder is away for now, as a disk that is unplugged.
  ///
  /// So is one whose marker is half there: a syncer may be writing it in place.
  package var isAbsence: Bool {
    switch self {
    case .folderMissing, .markerMissing, .markerUnarrived, .markerDamaged, .unreachable: true
    default: false
    }
  }
}
