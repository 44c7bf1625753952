import SystemFiles
import SystemPackage

/// The name under which Syncthing receives a file: `.syncthing.NAME.tmp`, on Windows
/// `~syncthing~NAME.tmp`.
///
/// A name of more than 145 bytes is not in it, but its SHA-256: such a file shows under that number
/// until it has its own name.
enum TemporaryCopyName {
  private static let prefixes = [".syncthing.", "~syncthing~"]
  private static let ending = ".tmp"

  /// The name that the file will have; nil if this is no such name.
  static func target(of name: FilePath.Component) -> FilePath.Component? {
    let bytes = name.bytes
    guard let prefix = prefixes.first(where: { bytes.starts(with: $0.utf8) }),
      bytes.count > prefix.utf8.count + ending.utf8.count,
      bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8),
      let target = FilePath.Component(
        bytes: Array(bytes.dropFirst(prefix.utf8.count).dropLast(ending.utf8.count))),
      // `..` would lead out of the folder.
      target.kind == .regular, !DocumentPlace.isHidden(target)
    else { return nil }
    return target
  }
}
