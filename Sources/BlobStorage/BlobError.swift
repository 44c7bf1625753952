import SystemFiles
import SystemPackage

/// Why a blob could not be stored or read.
package enum BlobError: Error, Hashable, Sendable {
  /// The file changed while it was read, so that nobody knows what would be kept of it.
  case sourceChanged(FilePath)
  /// A copy changed between being verified and being read out.
  case copyChanged(FilePath)
  /// Something that no device wrote stands where a directory or a copy belongs; it is left alone.
  case inTheWay(FilePath, FileKind)
  /// The blob went away again and again before a document could refer to it.
  case vanished(FilePath)
  /// Something has the name that the content was to be given.
  case destinationTaken(FilePath)
  /// What has that name is no file, which the content could take the place of.
  case destinationIsNoFile(FilePath, FileKind)
}
