import FileCoordination
import SharedFolder
import SystemFiles
import SystemPackage

// Each change is made inside of a coordinated write of the document, before which those who have it
// open save, and after which all of them are told.
extension DocumentFolder {
  /// Gives a document the contents of one of its versions (`replaceItem(at:)`).
  ///
  /// What it held until then becomes a version that is kept on this machine. The version stays
  /// until it is resolved or removed. A document that is gone is made, and so are folders on the
  /// way to it.
  ///
  /// - parameter seen: what the caller knows as current; the call fails with
  ///   ``DocumentFileError/changedMeanwhile(path:)`` if the document is not that any more.
  /// - throws: ``DocumentFileError``, ``CoordinationError``; then nothing was changed.
  public func replace(
    _ file: FilePath, with version: FileVersion, expecting seen: SeenVersion = .whatever
  ) async throws {
    _ = try await put(version, into: file, expecting: seen)
  }

  /// - returns: What the document is then; nil where the version is the current one.
  private func put(
    _ version: FileVersion, into file: FilePath, expecting seen: SeenVersion
  ) async throws -> FileStamp? {
    try await check(version, isOf: file)
    guard version.origin != .current else { return nil }
    return try await coordinate(file) { place in
      let source = try open(version)
      try check(source, is: version)
      // For where the document is gone.
      let access = try FileAccess(to: source)
      let directory = try makeDirectory(of: place)
      return try install(at: place, in: directory, expecting: seen, access: access) { file in
        try file.write(contentsOf: source)
        // What was written into it while it was copied would be missing in the copy.
        try check(source, is: version)
      }
    }
  }

  /// Marks versions as resolved: they are kept on this machine, and not offered any more.
  ///
  /// Nor are they on other machines, once the syncer has been there. That cannot be undone.
  ///
  /// A conflict copy is copied into the local place, and when that copy is on the disk, taken out
  /// of the synced folder. Those that are resolved already are left alone.
  ///
  /// - throws: ``DocumentFileError/isCurrent(path:)`` for a current version.
  public func markResolved(_ versions: [FileVersion]) async throws {
    for version in versions where version.origin != .kept { try await settle(version) }
  }

  /// Takes a version out of the folder; it is kept on this machine, unless it is the document.
  ///
  /// - parameter stamp: What the document was when it was given the version's contents.
  private func settle(_ version: FileVersion, unlessIn stamp: FileStamp? = nil) async throws {
    try await check(version, isOf: version.file)
    guard version.origin == .conflict else {
      throw DocumentFileError.isCurrent(path: version.file.string)
    }
    try await change(version.file, deleting: version) { place, directory in
      if let stamp, (try? currentVersion(at: place))?.stamp == stamp {
        try take(version, of: place, from: directory)
        return tell(.lost, version.persistentIdentifier, of: place)
      }
      // First: what is kept, and stays all the same, would be kept again by each attempt.
      try checkWritable([version])
      try keeping(version, of: place, in: directory) {
        try take(version, of: place, from: directory)
      }
      tell(.resolved, version.persistentIdentifier, of: place)
    }
  }

  /// Deletes a version for good; never the current one.
  ///
  /// - throws: ``DocumentFileError/isCurrent(path:)`` for a current version.
  public func remove(_ version: FileVersion) async throws {
    try await check(version, isOf: version.file)
    switch version.origin {
    case .current: throw DocumentFileError.isCurrent(path: version.file.string)
    case .conflict:
      try await change(version.file, deleting: version) { place, directory in
        try take(version, of: place, from: directory)
        tell(.lost, version.persistentIdentifier, of: place)
      }
    case .kept:
      // The document may be gone, and its folder with it.
      try await coordinate(version.file) { place in
        try removeKept(version, of: place)
        tell(.lost, version.persistentIdentifier, of: place)
      }
    }
  }

  /// Deletes all versions but the current one for good.
  ///
  /// - throws: ``DocumentFileError/notFound(path:)`` if there is no current one.
  public func removeOtherVersions(of file: FilePath) async throws {
    let versions = try await whenPresent {
      guard let current = try currentVersion(of: file) else {
        throw DocumentFileError.notFound(path: try place(of: file).path.string)
      }
      return try otherVersions(of: current.file) ?? []
    }
    for version in versions { try await remove(version) }
  }

  /// Settles the conflicts of a document on all machines: a version becomes the document, and the
  /// other ones of conflicts are resolved.
  ///
  /// - parameters:
  ///   - version: The current one, to leave the document as it is, or another.
  ///   - seen: What whoever chose it saw as current: if the document is something else by now,
  ///     which nobody has seen, nothing is changed. What those save who have it open, and are
  ///     asked to by this call, is kept on this machine as all that it was.
  ///   - settling: The versions of conflicts that were looked at: what has come since stays, and
  ///     what has changed since fails the call. Nil: those that there are now.
  ///   - discarding: Whether the others are deleted for good rather than kept on this machine.
  /// - returns: How many versions are not offered any more.
  /// - throws: ``DocumentFileError/changedMeanwhile(path:)`` if the document is not what was seen.
  @discardableResult
  public func resolve(
    _ file: FilePath, keeping version: FileVersion, expecting seen: SeenVersion = .whatever,
    settling: [FileVersion]? = nil, discarding: Bool = false
  ) async throws -> Int {
    try await check(version, isOf: file)
    // Listed before anything is changed: what arrives meanwhile is not settled with it.
    let (unresolved, isOpen, current) = try await whenPresent {
      (
        try (settling ?? otherVersions(of: file) ?? []).filter { !$0.isResolved },
        // Last, what is current: nothing that comes from here on has been seen.
        try self.isOpen(file, seenAs: seen), try currentVersion(of: file)
      )
    }
    try await whenPresent { try checkWritable(unresolved) }
    let isChosen = version.origin != .current || current?.stamp == version.stamp
    guard seen.isStill(current), isChosen else {
      throw DocumentFileError.changedMeanwhile(path: version.file.string)
    }
    // Whoever has it open saves first, so the current one may be newer than it was: it is kept.
    let chosen = try await put(version, into: file, expecting: isOpen ? .whatever : seen)
    for other in unresolved {
      // The chosen one is the document by now, unless a syncer has brought another one since.
      if discarding, other != version {
        try await remove(other)
      } else {
        try await settle(other, unlessIn: other == version ? chosen : nil)
      }
    }
    return unresolved.count
  }

  /// Settles the conflicts of a document on all machines by contents that somebody has made of its
  /// versions.
  ///
  /// All versions there were, the current one too, are kept on this machine. Where the document
  /// itself is gone, those may use it who may use each version.
  ///
  /// - parameters:
  ///   - seen: What was current when they were made: if the document is something else by now,
  ///     nothing is changed. ``SeenVersion/whatever``: what it is when the call begins.
  ///   - settling: The other versions from which they were made: what has come since stays, and
  ///     what has changed since fails the call, when the document has these contents. Nil: those
  ///     that there are now.
  ///   - discarding: Whether the others are deleted for good rather than kept on this machine.
  /// - returns: How many versions are not offered any more.
  /// - throws: ``DocumentFileError/tooLarge(path:limit:)`` for contents that could not be opened.
  @discardableResult
  public func resolve(
    _ file: FilePath, merged contents: [UInt8], expecting seen: SeenVersion = .whatever,
    settling: [FileVersion]? = nil, discarding: Bool = false
  ) async throws -> Int {
    let (versions, seen) = try await whenPresent {
      try checkSize(contents, of: try place(of: file).path)
      return (
        try settling ?? otherVersions(of: file) ?? [],
        seen == .whatever ? SeenVersion(try currentVersion(of: file)) : seen
      )
    }
    let unresolved = versions.filter { !$0.isResolved }
    try await whenPresent { try checkWritable(unresolved) }
    try await coordinate(file) { place in
      // For where the document is gone.
      let access = access(toWhatIsMadeOf: unresolved.isEmpty ? versions : unresolved)
      let directory = try makeDirectory(of: place)
      try install(at: place, in: directory, expecting: seen, access: access) {
        try $0.write(contents[...])
      }
    }
    for other in unresolved {
      if discarding { try await remove(other) } else { try await markResolved([other]) }
    }
    return unresolved.count
  }

  // MARK: Parts

  /// Runs `body` in a coordinated write of a document, with the folder that it is in, which has to
  /// be there.
  func change<Value: Sendable>(
    _ file: FilePath, _ writing: FileAccessIntent.Writing = .forMerging,
    deleting version: FileVersion? = nil, by presenter: (any FilePresenter)? = nil,
    _ body: @escaping @Sendable (DocumentPlace, OpenDirectory) throws -> Value
  ) async throws -> Value {
    try await coordinate(file, writing, deleting: version, by: presenter) { place in
      try body(place, try openDirectory(of: place))
    }
  }

  /// Runs `body` in a coordinated write of a document; whoever has it open saves first, unless it
  /// is a plain one.
  private func coordinate<Value: Sendable>(
    _ file: FilePath, _ writing: FileAccessIntent.Writing = .forMerging,
    deleting version: FileVersion? = nil, by presenter: (any FilePresenter)? = nil,
    _ body: @escaping @Sendable (DocumentPlace) throws -> Value
  ) async throws -> Value {
    let place = try await whenPresent { try self.place(of: file) }
    var intents = [FileAccessIntent.writing(place.path, writing)]
    if let version, version.origin == .conflict {
      intents.append(.writing(version.path, .forDeleting))
    }
    let coordinator = try await coordinator(for: presenter)
    return try await coordinator.coordinate(intents) { paths in
      try DocumentFileError.wrapping {
        try requirePresence()
        return try body(try self.place(canonical: paths[0]))
      }
    }
  }

  private func check(_ version: FileVersion, isOf file: FilePath) async throws {
    let place = try await whenPresent { try self.place(of: file) }
    guard version.file == place.path else {
      throw DocumentFileError.noSuchVersion(
        path: place.path.string, version: version.persistentIdentifier)
    }
  }

  /// Refuses to take versions out of the folder that this user may not write, before anything is
  /// changed.
  private func checkWritable(_ versions: [FileVersion]) throws {
    try DocumentFileError.wrapping {
      for version in versions where version.origin == .conflict {
        guard let name = version.path.lastComponent else { continue }
        let place = try place(canonical: version.file)
        try ambient.checkWritable(try place.openDirectory(), name)
      }
    }
  }

  /// Refuses a version that was rewritten since it was listed.
  private func check(_ file: OpenFile, is version: FileVersion) throws {
    guard FileStamp(try file.status()) == version.stamp else {
      throw DocumentFileError.noSuchVersion(
        path: version.file.string, version: version.persistentIdentifier)
    }
  }

  /// Lets those read what is made of versions who may read each of them; nil where there are none.
  private func access(toWhatIsMadeOf versions: [FileVersion]) -> FileAccess? {
    let all = versions.map { version in
      // One that is gone by now may have been its user's alone.
      (try? FileAccess(to: open(version))) ?? .userAlone
    }
    return all.first.map { all.reduce($0) { $0.intersection($1) } }
  }

  /// Gives a document other contents, for those who may use it, or for these if it is not there;
  /// what it had is kept first.
  ///
  /// - returns: What it is then.
  @discardableResult
  private func install(
    at place: DocumentPlace, in directory: OpenDirectory, expecting seen: SeenVersion,
    access: FileAccess? = nil, _ write: (OpenFile) throws -> Void
  ) throws -> FileStamp {
    let before = try currentVersion(at: place)
    guard seen.isStill(before) else {
      throw DocumentFileError.changedMeanwhile(path: place.path.string)
    }
    guard let before else {
      return try replace(place, in: directory, expecting: nil, access: access, write)
    }
    // First: what is kept, and stays all the same, would be kept again by each attempt.
    try ambient.checkWritable(directory, place.name)
    let old = try directory.open(place.name)
    try check(old, is: before)
    let present = try FileAccess(to: old)
    return try keeping(old, as: before, named: place.name, of: place, in: directory) {
      try replace(place, in: directory, expecting: before.stamp, access: present, write)
    }
  }

  private func replace(
    _ place: DocumentPlace, in directory: OpenDirectory, expecting stamp: FileStamp?,
    access: FileAccess?, _ write: (OpenFile) throws -> Void
  ) throws -> FileStamp {
    let outcome = try replacement(of: place.name, at: place, in: directory).replace(
      place.name, expecting: stamp, access: access, write)
    if let error = outcome.notDurable { throw error }
    return outcome.stamp
  }

  private func keeping(
    _ version: FileVersion, of place: DocumentPlace, in directory: OpenDirectory,
    _ body: () throws -> Void
  ) throws {
    let file = try open(version)
    try check(file, is: version)
    guard let name = version.path.lastComponent else { return }
    try keeping(file, as: version, named: name, of: place, in: directory, body)
  }

  /// Keeps a file, and does what takes away its name.
  ///
  /// Where it stays, since somebody writes into it, it is not kept: each attempt would keep what
  /// was there by then.
  private func keeping<Value>(
    _ file: OpenFile, as version: FileVersion, named name: FilePath.Component,
    of place: DocumentPlace, in directory: OpenDirectory, _ body: () throws -> Value
  ) throws -> Value {
    // What was written into it while it was copied would be missing in the copy.
    let id = try keep(file, named: name, of: place) { try check(file, is: version) }
    do {
      return try body()
    } catch let error as DocumentFileError {
      guard case .changedMeanwhile = error, let present = try? directory.status(of: name),
        try file.status().isSameFile(as: present)
      else { throw error }
      // What failed first is what is told.
      try? kept.remove(place.relative, id)
      tell(.lost, id.string, of: place)
      throw error
    }
  }

  @discardableResult
  private func keep(
    _ file: OpenFile, named name: FilePath.Component, of place: DocumentPlace,
    _ check: () throws -> Void = {}
  ) throws -> FilePath.Component {
    let id = try kept.keep(place.relative, name: name, modified: try file.status().modified) {
      try $0.write(contentsOf: file)
      try check()
    }
    tell(.gained, id.string, of: place)
    return id
  }

  /// Keeps contents that are in no file.
  func keep(_ contents: [UInt8], of place: DocumentPlace) throws -> String {
    let id = try kept.keep(place.relative, name: place.name, modified: nil) {
      try $0.write(contents[...])
    }
    tell(.gained, id.string, of: place)
    return id.string
  }

  /// Tells all who present a document what has become of one of its versions.
  ///
  /// It is done by then: whoever heard that it failed, since nobody could be told, would do it
  /// again, and keep a version once more each time. Where nobody keeps the queue, whoever takes it
  /// over tells all that something may have changed.
  private func tell(_ event: FileVersionEvent, _ id: String, of place: DocumentPlace) {
    try? domain.report(event, version: id, at: place.path)
  }

  /// Deletes what is kept on this machine.
  private func removeKept(_ version: FileVersion, of place: DocumentPlace) throws {
    guard let id = FilePath.Component(version.persistentIdentifier), KeptVersions.isID(id) else {
      throw DocumentFileError.noSuchVersion(
        path: place.path.string, version: version.persistentIdentifier)
    }
    try kept.remove(place.relative, id)
  }

  /// Takes a conflict copy out of the folder.
  private func take(
    _ version: FileVersion, of place: DocumentPlace, from directory: OpenDirectory
  ) throws {
    guard let name = version.path.lastComponent else { return }
    try replacement(of: name, at: place, in: directory).remove(name, expecting: version.stamp)
  }

  /// What replaces or removes a name of a document's; should that bring out something for which
  /// the folder has no name, it is kept on this machine.
  func replacement(
    of name: FilePath.Component, at place: DocumentPlace, in directory: OpenDirectory
  ) -> SafeReplacement {
    SafeReplacement(directory: directory, ambient: ambient) { file in
      try keep(file, named: name, of: place)
    }
  }
}
