import FileCoordination
import FolderWatching
import SharedFolder
import SystemFiles
import SystemPackage

/// An open document: contents in memory that are saved by themselves, and follow the file when
/// somebody else writes it.
///
///     let report = try await DocumentFile<String>.open("report.txt", in: documents)
///     try await report.edit { $0 += "\nThe end.\n" }
///     for await event in report.events {
///       if case .contents = event { show(await report.contents) }
///     }
///     try await report.close()
///
/// Edits are saved when none has come for 2 seconds, after 15 seconds at the latest, when another
/// program of this machine wants to read the file, and when the document is closed. Saving writes a
/// temporary file, which syncers are told to ignore, brings it to the disk and gives it the file's
/// name; the file's mode is kept, hard links and extended attributes are not. A file that this user
/// may not write is left as it is: the edits stay unsaved then, and it is tried again.
///
/// A file that somebody else has written is read again. If there are edits that are not saved, they
/// become a version of a conflict beside it: nothing is overwritten, and nothing lost. A file that
/// is deleted closes the document.
///
/// A document with unsaved edits lives until they are saved. Close it, or they are saved later than
/// you may think. The counterpart of `UIDocument`.
public actor DocumentFile<Contents: DocumentContents> {
  /// The folder that it is in.
  public nonisolated let folder: DocumentFolder
  /// What it holds.
  public private(set) var contents: Contents

  var machine: DocumentMachine
  /// What the file had when it was read or written last.
  var known: KnownContents
  let presenter: DocumentPresenter
  let broadcast = DocumentEvents()
  var isRegistered = true
  /// Where it was last that was in the folder.
  var home: FilePath
  var watching: (directory: FilePath, status: FileStatus?, task: Task<Void, Never>)?
  var turns = DocumentTurns()
  /// What waits for its turn at the file, or has it.
  var activity: Task<Void, Never>?

  private init(
    _ contents: Contents, known: KnownContents, in folder: DocumentFolder,
    _ presenter: DocumentPresenter, pace: DocumentMachine.Pace
  ) {
    self.contents = contents
    self.known = known
    self.folder = folder
    self.presenter = presenter
    home = presenter.path
    machine = DocumentMachine(pace: pace)
  }

  deinit {
    watching?.task.cancel()
    // Nobody is left who could be told that it failed; a presenter that is gone is not asked.
    if isRegistered { folder.domain.removeFilePresenter(presenter) }
    broadcast.finish()
  }

  // MARK: Opening

  /// Opens a document.
  ///
  /// - throws: ``DocumentFileError``, ``CoordinationError``, and what `Contents` throws.
  public static func open(
    _ file: FilePath, in folder: DocumentFolder
  ) async throws -> DocumentFile {
    try await open(file, in: folder, pace: DocumentMachine.Pace())
  }

  package static func open(
    _ file: FilePath, in folder: DocumentFolder, pace: DocumentMachine.Pace
  ) async throws -> DocumentFile {
    let presenter = DocumentPresenter(
      try await folder.whenPresent { try folder.place(of: file) }.path)
    do {
      // Registered inside of the access that reads, so that no write is missed.
      let read = try await folder.read(presenter) {
        try folder.domain.addFilePresenter(presenter)
      }
      let contents = try Contents(documentBytes: read.bytes)
      let document = DocumentFile(
        contents, known: read.known, in: folder, presenter, pace: pace)
      await document.begin(read)
      return document
    } catch {
      // Whatever failed; what failed first is what is told.
      folder.domain.removeFilePresenter(presenter)
      throw error
    }
  }

  /// Makes a document, which must not be there, and opens it.
  ///
  /// - throws: ``DocumentFileError/changedMeanwhile(path:)`` if something has the name.
  public static func create(
    _ file: FilePath, _ contents: Contents, in folder: DocumentFolder
  ) async throws -> DocumentFile {
    let bytes = try contents.documentBytes()
    let place = try await folder.whenPresent { try folder.place(of: file) }
    let written = try await folder.write(bytes, at: place.path, expecting: nil, by: nil)
    if let error = written.outcome.notDurable { throw error }
    return try await open(file, in: folder)
  }

  private func begin(_ read: DocumentFolder.Reading) async {
    presenter.owner = self
    _ = await perform(.opened(read.stamp, hasConflicts: read.hasConflicts))
    // It watches first, and finds what was written between the reading and that.
    await look()
  }

  // MARK: Being asked

  /// Where it is now.
  public nonisolated var path: FilePath { presenter.path }
  /// What it is like.
  public var state: DocumentState { machine.state }
  /// Whether there are edits that are not saved.
  public var hasUnsavedChanges: Bool { machine.hasUnsavedChanges }
  /// What happens to it from now on; each call gives a stream of its own, which ends when the
  /// document is closed.
  public nonisolated var events: AsyncStream<DocumentEvent> { broadcast.stream() }

  // MARK: Editing

  /// Changes the contents, and has them saved before long.
  ///
  /// - throws: ``DocumentFileError/closed(path:)``, or
  ///   ``DocumentFileError/editingDisabled(path:)`` while other contents are being read; and what
  ///   `body` throws, which changes nothing.
  public func edit<Value: Sendable>(_ body: (inout Contents) throws -> Value) throws -> Value {
    let path = path.string
    guard machine.state != .closed else { throw DocumentFileError.closed(path: path) }
    guard !machine.state.contains(.editingDisabled) else {
      throw DocumentFileError.editingDisabled(path: path)
    }
    var changed = contents
    let value = try body(&changed)
    contents = changed
    for action in machine.input(.edited(at: folder.ambient.uptime())) { start(action) }
    return value
  }

  /// Saves now, if there is anything to save.
  ///
  /// - throws: ``DocumentFileError/changedMeanwhile(path:)`` if somebody else has written the file:
  ///   the edits are a version beside it then, or one on this machine if it is no file any more.
  ///   ``DocumentFileError/tooLarge(path:limit:)`` if it could not be opened again.
  public func save() async throws {
    guard machine.state != .closed else { throw DocumentFileError.closed(path: path.string) }
    let edit = machine.unsavedEdit
    try await performWhenOthersAreServed(.saveAsked)
    try requireSaved(edit)
  }

  /// Whoever had the turn before may have found another file, or none, and have made a version of
  /// the edits.
  private func requireSaved(_ edit: Int?) throws {
    guard let edit, machine.isInVersion(edit) else { return }
    throw DocumentFileError.changedMeanwhile(path: path.string)
  }

  /// Gives up edits that are not saved, and reads the file again.
  ///
  /// - throws: ``DocumentFileError/closed(path:)`` once it is; what keeps the file from being read.
  public func revert() async throws {
    guard machine.state != .closed else { throw DocumentFileError.closed(path: path.string) }
    if let error = await perform(.revertAsked) { throw error }
  }

  /// Saves, and closes; done again it does nothing.
  ///
  /// - throws: What keeps the edits from being saved; the document stays open then, unless they
  ///   are a version already.
  public func close() async throws {
    guard machine.state != .closed else { return }
    let edit = machine.unsavedEdit
    try await performWhenOthersAreServed(.closeAsked)
    try requireSaved(edit)
  }

  /// Settles its conflicts on all machines; see
  /// ``DocumentFolder/resolve(_:keeping:expecting:settling:discarding:)``.
  ///
  /// The current version is what the document shows, edits that are not saved yet included.
  ///
  /// - throws: ``DocumentFileError/changedMeanwhile(path:)`` if the file is not what the document
  ///   shows: what nobody has seen yet would win, or give way on all machines.
  public func resolve(
    keeping version: FileVersion, settling: [FileVersion]? = nil, discarding: Bool = false
  ) async throws {
    // Edits belong to the current version.
    try await save()
    let (folder, path) = (folder, path)
    let found = try await folder.whenPresent { try folder.currentVersion(of: path) }
    // What is in a version already shows until the file has been read again.
    guard let found, found.stamp == machine.stamp, !machine.isReverting else {
      await look()
      throw DocumentFileError.changedMeanwhile(path: path.string)
    }
    try await folder.resolve(
      path, keeping: version.origin == .current ? found : version, expecting: .version(found),
      settling: settling, discarding: discarding)
    await look()
  }

  func setContents(_ new: Contents) { contents = new }
}
