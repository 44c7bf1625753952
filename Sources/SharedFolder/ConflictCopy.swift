import SystemFiles
import SystemPackage

/// A second version of a file that a syncer has kept, known by its name.
///
///     ConflictCopy("x.sync-conflict-20260131-101500-ABCDEFG.log")?.syncer  // .syncthing
package struct ConflictCopy: Hashable, Sendable {
  package enum Syncer: String, Sendable, CaseIterable {
    case syncthing = "Syncthing"
    case dropbox = "Dropbox"
    case nextcloud = "Nextcloud or ownCloud"
  }

  package let syncer: Syncer
  /// What the name was before it.
  package let original: String

  /// Reads a name; nil if it is that of no conflict copy.
  package init?(_ name: String) {
    if let start = name.firstRange(of: ".sync-conflict-") {
      // Syncthing puts it in front of the last extension.
      let rest = name[start.upperBound...]
      let ending = rest.lastIndex(of: ".").map { rest[$0...] } ?? ""
      syncer = .syncthing
      original = String(name[..<start.lowerBound] + ending)
      return
    }
    // "a (conflicted copy 2026-01-31 101500).b", and "a (Ann's conflicted copy 2026-01-31).b".
    guard let words = name.firstRange(of: "conflicted copy"),
      let open = name[..<words.lowerBound].lastIndex(of: "("),
      let close = name[words.upperBound...].firstIndex(of: ")")
    else { return nil }
    let owner = name[name.index(after: open)..<words.lowerBound]
    syncer = owner.isEmpty ? .nextcloud : .dropbox
    let stem = name[..<open].reversed().drop { $0 == " " }.reversed()
    original = String(stem) + name[name.index(after: close)...]
  }
}

extension ContainerFolder {
  /// The conflict copies of the marker and the like in the folder itself.
  ///
  /// Of two markers of different containers the syncer keeps one in place.
  package func conflictCopies() throws(FileError) -> [FilePath.Component] {
    try files.list(root).map(\.name)
      .filter { name in
        guard let copy = ConflictCopy(name.string) else { return false }
        return copy.original == Marker.name.string || copy.original == logs.lastComponent?.string
      }
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Reads the marker that stands under another name.
  package func marker(named name: FilePath.Component) throws -> Marker {
    let path = root.appending(name)
    let contents = try files.contents(of: path, limit: Marker.maximumBytes)
    return try Marker(parsing: contents.bytes, file: path)
  }
}
