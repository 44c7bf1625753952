import CanonicalJSON
import Replication
import SystemFiles
import SystemPackage

/// The file that makes a folder a container: `feedsync.container`, written once, never rewritten.
///
/// One line of canonical JSON:
///
///     {"container":"…32 digits…","format":1,"identifier":"org.example.notes"}
package struct Marker: Equatable, Sendable {
  package static let name: FilePath.Component = "feedsync.container"
  package static let format: Int64 = 1
  /// No marker is larger; more is not read.
  static let maximumBytes = 64 << 10

  package let container: ContainerID
  package let identifier: String
  /// The bytes in the file.
  package let bytes: [UInt8]

  /// A new marker for a new container.
  package init(container: ContainerID, identifier: String) {
    self.container = container
    self.identifier = identifier
    let object: JSONObject = [
      "container": .string(ByteString(container.description)),
      "format": .integer(Self.format),
      "identifier": .string(ByteString(identifier)),
    ]
    bytes = JSON.object(object).canonicalBytes() + [UInt8(ascii: "\n")]
  }

  /// Reads a marker; members that this version does not know are left alone.
  package init(parsing bytes: [UInt8], file: FilePath) throws(ContainerError) {
    let value: JSON
    do {
      value = try JSON(parsing: bytes)
    } catch {
      throw .markerDamaged(file, detail: error.description)
    }
    guard case .object(let object) = value, case .integer(let format) = object["format"] else {
      throw .markerDamaged(file, detail: "it has no format")
    }
    guard format <= Self.format else { throw .newerFormat(file, found: format) }
    guard case .string(let id) = object["container"],
      let container = ContainerID(id.description),
      case .string(let identifier) = object["identifier"]
    else { throw .markerDamaged(file, detail: "it has no container or identifier") }
    self.container = container
    self.identifier = identifier.description
    self.bytes = bytes
  }
}
