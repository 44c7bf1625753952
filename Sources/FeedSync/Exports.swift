import CanonicalJSON
import DocumentFiles
import DocumentStorage
import FileCoordination
import SystemFiles
import SystemPackage

/// A JSON value whose identity is its canonical text: 1 and 1.0 differ, keys are sorted by bytes.
///
///     let body: JSON = .object(["title": "Groceries", "done": .bool(false)])
///     print(body.canonical)  // {"done":false,"title":"Groceries"}
///
/// Integers from −2⁶³ to 2⁶⁴−1 are exact; doubles are finite; objects hold each key once. Read text
/// with `JSON(parsing:)`, which is strict and throws ``JSONError``.
public typealias JSON = CanonicalJSON.JSON

/// The members of a JSON object, sorted by the bytes of their keys, each key once.
///
///     var object: JSONObject = ["title": "Groceries"]
///     object["done"] = .bool(true)
public typealias JSONObject = CanonicalJSON.JSONObject

/// Well-formed UTF-8 that compares, sorts and hashes as bytes, as ids, keys and values do here.
///
/// Swift's `String` calls "é" in one and in two scalars equal; they are two documents.
///
///     let text: ByteString = "Groceries"
///     print(text.description)  // the String
public typealias ByteString = CanonicalJSON.ByteString

/// Why a text is not JSON that can be stored, and at which byte.
public typealias JSONError = CanonicalJSON.JSONError

/// A value that SQLite takes or gives; literals of strings and numbers will do for arguments.
public typealias QueryValue = DocumentStorage.QueryValue

/// A row of a query's answer: `row["id"]` is the value of the column `id`.
public typealias QueryRow = DocumentStorage.QueryRow

/// How large a file may become, for programs of this package.
package typealias FileSizeLimit = SystemFiles.FileSizeLimit

/// What keeps results out of other files, for programs of this package.
package typealias StandardStreams = SystemFiles.StandardStreams

/// What ends a program that hangs, for programs of this package.
package typealias QuitSignal = SystemFiles.QuitSignal

/// The path of a file: what a ``FileCoordinator`` is asked for, and its accessors get.
///
///     let path: FilePath = "/home/ann/Sync/notes.txt"
///     let text = try String(contentsOfFile: path.string, encoding: .utf8)
///
/// It is swift-system's; a program that asks for that package, too, has the same type.
public typealias FilePath = SystemPackage.FilePath

/// An open file, as ``FileCoordinator`` hands it to who writes or reads what was claimed.
public typealias FileDescriptor = SystemPackage.FileDescriptor

/// Coordinates accesses to files with other threads and processes: `NSFileCoordinator`'s
/// counterpart.
///
///     let coordinator = try FileCoordinator(UserCoordination.domain())
///     try coordinator.read("/home/ann/Sync/notes.txt") { path in … }
///
/// See <doc:Coordination> for what is promised.
public typealias FileCoordinator = FileCoordination.FileCoordinator

/// Is asked to give way before others touch what it shows: `NSFilePresenter`'s counterpart.
public typealias FilePresenter = FileCoordination.FilePresenter

/// What is to be done with an item of a coordinated access.
public typealias FileAccessIntent = FileCoordination.FileAccessIntent

/// Whom a presenter gives way to.
public typealias FileAccessor = FileCoordination.FileAccessor

/// The programs that coordinate with one another.
public typealias CoordinationDomain = FileCoordination.CoordinationDomain

/// Why a coordinated access did not take place.
public typealias CoordinationError = FileCoordination.CoordinationError

/// Who claims what, and who waits for whom.
public typealias CoordinationReport = FileCoordination.CoordinationReport

/// Somebody who is in the way of an access.
public typealias CoordinationHolder = FileCoordination.CoordinationHolder

/// A process that coordinates.
public typealias CoordinatingProcess = FileCoordination.CoordinatingProcess

/// A presenter that did not answer in time.
public typealias PresenterLapse = FileCoordination.PresenterLapse

/// Accesses for which presenters have been asked already.
public typealias PreparedBatch = FileCoordination.PreparedBatch

/// What happened to a version of a file.
public typealias FileVersionEvent = FileCoordination.FileVersionEvent

/// What contents a file had, to tell whether it has to be read again.
public typealias FileStamp = FileCoordination.FileStamp

/// A folder of the user's own files, whose conflict copies appear as versions.
///
///     let documents = try container.documents()
///     let report = try await DocumentFile<String>.open("report.txt", in: documents)
///
/// See <doc:DocumentFiles> for what is promised.
public typealias DocumentFolder = DocumentFiles.DocumentFolder

/// A document as it is listed.
public typealias DocumentEntry = DocumentFiles.DocumentEntry

/// A version of a file: `NSFileVersion`'s counterpart.
public typealias FileVersion = DocumentFiles.FileVersion

/// What somebody saw as a file's current version when he decided what becomes of it.
public typealias SeenVersion = DocumentFiles.SeenVersion

/// An open document, which saves itself and follows its file: `UIDocument`'s counterpart.
public typealias DocumentFile = DocumentFiles.DocumentFile

/// What a document holds, in memory and as bytes.
public typealias DocumentContents = DocumentFiles.DocumentContents

/// What a document is like.
public typealias DocumentState = DocumentFiles.DocumentState

/// What happens to an open document.
public typealias DocumentEvent = DocumentFiles.DocumentEvent

/// Why a document is closed.
public typealias DocumentClosing = DocumentFiles.DocumentClosing

/// Why something could not be done with a document or a version.
public typealias DocumentFileError = DocumentFiles.DocumentFileError

/// The files of a folder of documents, as they come, change, arrive and go: `NSMetadataQuery`'s
/// counterpart.
///
///     for try await update in MetadataQuery(in: try container.documents()) {
///       show(update.result.items)
///     }
///
/// See <doc:MetadataQueries> for what is promised.
public typealias MetadataQuery = DocumentFiles.MetadataQuery

/// What a metadata query tells.
public typealias MetadataUpdate = DocumentFiles.MetadataUpdate

/// What a metadata query shows, and how it differs from what it showed before.
public typealias MetadataResult = DocumentFiles.MetadataResult

/// What is known of one file: `NSMetadataItem`'s counterpart.
public typealias MetadataItem = DocumentFiles.MetadataItem

/// Which files a metadata query shows.
public typealias MetadataPredicate = DocumentFiles.MetadataPredicate

/// What gives the files of a metadata query their order.
public typealias MetadataOrder = DocumentFiles.MetadataOrder

/// Whose files a metadata query looks at.
public typealias MetadataScope = DocumentFiles.MetadataScope
