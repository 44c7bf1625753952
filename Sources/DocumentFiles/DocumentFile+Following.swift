import FileCoordination
import FolderWatching
import SharedFolder
import SystemFiles
import SystemPackage

extension DocumentFile: DocumentOwner {
  func saveForOthers() async -> (any Error)? {
    let error = await perform(.saveAsked, isUrgent: true)
    // Edits that met a newer file are a version by now: nobody has to do without the file for that.
    return machine.hasUnsavedChanges ? error : nil
  }

  func letGo() async -> (any Error)? { await perform(.deletionAsked, isUrgent: true) }

  /// Looks whether the file has changed, or has other versions, and does what follows from it.
  public func look() async { await look(isPlanned: false) }

  /// - parameter isPlanned: Whether the machine has asked for it.
  func look(isPlanned: Bool) async {
    guard machine.state != .closed else { return }
    // First, so that nothing is missed that comes after the looking.
    await watch()
    // In its turn, so that what it finds is not older than what is known by then.
    await perform { [self] in await lookAtFile(isPlanned: isPlanned) }
  }

  func followMove() async {
    guard machine.state != .closed else { return }
    if (try? folder.place(canonical: path)) != nil { home = path }
    broadcast.send(.moved(path))
    await look()
  }

  /// Watches the folder that the file is in, where a syncer works uncoordinated.
  ///
  /// What watches a folder goes with it, also where another one soon has its name; so this is to be
  /// called whenever there may be another one. It goes by what the folder was before it is watched:
  /// if it is exchanged in between, it is watched anew the next time.
  private func watch() async {
    let (folder, directory) = (folder, path.parent)
    let status = try? await onQueue {
      try folder.requirePresence()
      return try LinuxFileSystem().status(of: directory)
    }
    guard isRegistered, directory == path.parent else { return }
    if let watching, watching.directory == directory {
      // While there is none, nothing better can be done than what is done already.
      guard let status else { return }
      if let watched = watching.status, status.isSameFile(as: watched) { return }
    }
    // It may be the one that this runs in: nothing that follows is given up for that.
    watching?.task.cancel()
    watching = (directory, status, task(following: folder.ambient.watch(directory)))
  }

  private func task(following hints: DocumentAmbient.Hints) -> Task<Void, Never> {
    Task { [weak self] in
      var hasSeen = false
      for await _ in hints.changes {
        guard let self else { return }
        hasSeen = true
        await self.look()
      }
      _ = hints
      if hasSeen, !Task.isCancelled { await self?.watchAnew() }
    }
  }

  /// Watches whatever has the name of a folder that is gone: it may even have that one's number.
  private func watchAnew() async {
    watching?.status = nil
    await look()
  }

  func end(_ closing: DocumentClosing) {
    watching?.task.cancel()
    watching = nil
    isRegistered = false
    // The process that keeps the queue takes the end of this one as well.
    folder.domain.removeFilePresenter(presenter)
    broadcast.send(.closed(closing))
    broadcast.finish()
  }

  /// Looks at the file, and returns what that says about it.
  ///
  /// - parameter isSuspect: Whether it was found to be another one, though it may not look so.
  func lookAtFile(
    isPlanned: Bool = false, isSuspect: Bool = false
  ) async -> DocumentMachine.Input {
    let (folder, path) = (folder, path)
    do {
      let found = try await onQueue {
        try DocumentFileError.wrapping { try folder.find(path, isPlanned: isPlanned) }
      }
      guard case .looked(let stamp, _) = found, stamp == machine.stamp,
        isSuspect || known.mayBeOutdated(by: stamp)
      else { return found }
      return await reread(found)
    } catch DocumentFileError.notAFile {
      return .unreadable
    } catch {
      // The folder cannot be looked at now: that says nothing about the document.
      return .away(isPlanned: isPlanned)
    }
  }

  /// Reads a file that looks as it was; where it cannot be read, the next look does.
  private func reread(_ found: DocumentMachine.Input) async -> DocumentMachine.Input {
    let (folder, path, known, now) = (folder, path, known, folder.ambient.now())
    let compared = try? await onQueue { try folder.compare(path, with: known.digest) }
    guard let compared, compared != .otherContents else { return compared ?? found }
    self.known.since = now
    return found
  }
}

/// Runs what blocks on another thread: those that all tasks share must not wait.
func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
  try await withCheckedThrowingContinuation { continuation in
    BlockingCalls.ofProcess.run { continuation.resume(with: Result { try body() }) }
  }
}

// MARK: - The file

extension DocumentFolder {
  /// A document as it was read in one access.
  struct Reading: Sendable {
    let bytes: [UInt8]
    let known: KnownContents
    let stamp: FileStamp
    let hasConflicts: Bool
  }

  /// What was written in one access.
  struct Writing: Sendable {
    let known: KnownContents
    let outcome: SafeReplacement.Outcome
  }

  /// How often a file is read again that somebody writes to meanwhile.
  private static let maximumReadings = 10

  /// Reads what a presenter presents.
  func read(
    _ presenter: DocumentPresenter, first: @escaping @Sendable () throws -> Void = {}
  ) async throws -> Reading {
    let limit = ambient.maximumBytes
    let coordinator = try await coordinator(for: presenter)
    return try await coordinator.coordinate([.reading(presenter.path)]) { paths in
      try first()
      return try DocumentFileError.wrapping(limit: limit) {
        try read(try place(canonical: paths[0]), limit: limit)
      }
    }
  }

  private func read(_ place: DocumentPlace, limit: Int) throws -> Reading {
    for _ in 0..<Self.maximumReadings {
      let file: OpenFile
      do {
        file = try place.openDirectory().open(place.name)
      } catch {
        guard error.isOfMissingFile else { throw error }
        throw DocumentFileError.notFound(path: place.path.string)
      }
      let (now, before) = (ambient.now(), try file.status())
      guard before.size <= limit else { throw FileError(.read, file.path, .fileTooLarge) }
      let bytes = try file.contents(limit: limit)
      let after = try file.status()
      guard FileStamp(before) == FileStamp(after), Int64(bytes.count) == after.size else {
        continue
      }
      return Reading(
        bytes: bytes, known: KnownContents(digest: ContentsDigest(bytes), since: now),
        stamp: FileStamp(after),
        hasConflicts: try hasConflicts(place))
    }
    throw DocumentFileError.changedMeanwhile(path: place.path.string)
  }

  /// Refuses contents that nobody could open again once they are saved.
  func checkSize(_ bytes: [UInt8], of path: FilePath) throws(DocumentFileError) {
    let limit = ambient.maximumBytes
    guard bytes.count <= limit else { throw .tooLarge(path: path.string, limit: limit) }
  }

  /// Writes a document safely.
  func write(
    _ bytes: [UInt8], at path: FilePath, expecting stamp: FileStamp?,
    having known: ContentsDigest? = nil, by presenter: DocumentPresenter?
  ) async throws -> Writing {
    try checkSize(bytes, of: path)
    let coordinator = try await coordinator(for: presenter)
    return try await coordinator.coordinate([.writing(path)]) { paths in
      try DocumentFileError.wrapping {
        let (now, place) = (ambient.now(), try place(canonical: paths[0]))
        let directory = try openDirectory(of: place)
        let access = stamp.map { stamp in
          directory.access(to: place.name) { FileStamp($0) == stamp }
        }
        let outcome = try replacement(of: place.name, at: place, in: directory).replace(
          place.name, expecting: stamp, having: known, access: access
        ) { try $0.write(bytes[...]) }
        let written = KnownContents(digest: ContentsDigest(bytes), since: now)
        return Writing(known: written, outcome: outcome)
      }
    }
  }
}
