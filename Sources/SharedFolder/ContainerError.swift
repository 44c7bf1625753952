import Replication
import SystemFiles
import SystemPackage

/// Why a folder cannot be used as the container that was meant.
package enum ContainerError: Error, Equatable, Sendable {
  /// There is no folder at the path.
  case folderMissing(FilePath)
  /// What was named as the folder is something else, such as a file.
  case noFolder(FilePath)
  /// The folder is there, and its marker is not: not mounted, emptied, or never a container.
  case markerMissing(FilePath)
  /// The folder is there, and in the place of its marker is what a syncer has for a file that is
  /// online only, or on its way.
  case markerUnarrived(FilePath)
  /// The folder is there and cannot be reached now: no permission, a dead mount, a failing disk.
  case unreachable(FilePath, Errno)
  /// The marker cannot be read as one.
  case markerDamaged(FilePath, detail: String)
  /// A newer feedsync made the container.
  case newerFormat(FilePath, found: Int64)
  /// Another container stands under the path.
  case otherContainer(FilePath, expected: ContainerID, found: ContainerID)
  /// The folder is a copy of the one that the device works in, which is there, too.
  case copy(FilePath, of: FilePath)
  /// Another process has initialised the device in another folder meanwhile.
  case moved(FilePath)
  /// The container has another identifier than the one asked for.
  case otherIdentifier(FilePath, expected: String, found: String)
  /// The local state lies in the container, or the container in the state.
  case stateInside(FilePath, state: FilePath)
  /// The folder lies in a container already, so it would be one inside of another.
  case insideAnother(FilePath, container: FilePath)
  /// A container lies in the folder already, so it would be one around another.
  case aroundAnother(FilePath, container: FilePath)
}
