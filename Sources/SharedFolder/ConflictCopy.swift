import SystemFiles
import SystemPackage

/// A second version of a file that a syncer has kept, known by its name.
///
///     ConflictCopy("x.sync-conflict-20260131-101500-ABCDEFG.log")?.syncer  // .syncthing
///
/// Syncthing: `name.sync-conflict-YYYYMMDD-HHMMSS-DEVICE.ext` (`conflictName` in its
/// `lib/model/folder_sendrecv.go`; older ones without the device). Dropbox: `name (OWNER's
/// conflicted copy YYYY-MM-DD).ext`, in the language of its owner, numbered from the second one of
/// a day on. Nextcloud, ownCloud and OpenCloud: `name (conflicted copy [OWNER ]YYYY-MM-DD
/// HHMMSS).ext`, before 2018 `name_conflict-YYYYMMDD-HHMMSS.ext`. All of them put the mark in front
/// of the last extension, so the rightmost mark is the last one that was put there.
///
/// What Dropbox calls case, encoding and selective-sync conflicts are other files, not versions.
package struct ConflictCopy: Hashable, Sendable {
  package enum Syncer: String, Sendable, CaseIterable {
    case syncthing = "Syncthing"
    case dropbox = "Dropbox"
    case nextcloud = "Nextcloud or ownCloud"
  }

  /// When a copy was made, by the clock and in the time zone of the machine that made it.
  package struct Moment: Hashable, Sendable, Comparable {
    package let year, month, day: Int
    /// Hour, minute and second; Dropbox gives none.
    package let time: [Int]

    package static func < (one: Moment, other: Moment) -> Bool {
      [one.year, one.month, one.day].lexicographicallyPrecedes([other.year, other.month, other.day])
        || [one.year, one.month, one.day] == [other.year, other.month, other.day]
          && one.time.lexicographicallyPrecedes(other.time)
    }
  }

  package let syncer: Syncer
  /// What the name was before it: possibly that of a conflict copy, too.
  package let original: FilePath.Component
  /// When it was made.
  package let moment: Moment
  /// Whose change it holds: a machine, its user, or the first letters of a Syncthing device's id.
  package let savedBy: String?

  /// Reads a name; nil if it is that of no conflict copy.
  package init?(_ name: FilePath.Component) {
    let bytes = name.bytes
    let marks = [
      ConflictMark(syncthing: bytes), ConflictMark(oldCloud: bytes),
      ConflictMark(parenthesis: bytes),
    ]
    guard let mark = marks.compactMap({ $0 }).max(by: { $0.start < $1.start }),
      let original = FilePath.Component(bytes: Array(bytes[..<mark.start] + bytes[mark.end...])),
      // A mark around nothing would name the folder itself, or the one around it.
      original.kind == .regular
    else { return nil }
    self.original = original
    syncer = mark.syncer
    moment = mark.moment
    savedBy = mark.savedBy.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Reads a name; nil if it is that of no conflict copy.
  package init?(_ name: String) {
    guard let component = FilePath.Component(name) else { return nil }
    self.init(component)
  }

  /// The file of which it is a version, all marks taken away.
  package var document: FilePath.Component {
    var name = original
    // Each mark that is taken away makes the name shorter.
    while let copy = ConflictCopy(name) { name = copy.original }
    return name
  }

  /// The name of a conflict copy that a program makes, as Syncthing would make it.
  ///
  /// - parameter savedBy: where the change was made; what no such name can hold is left out.
  /// - returns: nil if it would be too long.
  package static func name(
    of document: FilePath.Component, _ moment: Moment, savedBy: String
  ) -> FilePath.Component? {
    let owner = savedBy.utf8.filter { ConflictMark.isOfDevice($0) }.prefix(32)
    let bytes = document.bytes
    let dot = bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.endIndex
    let day = [(moment.year, 4), (moment.month, 2), (moment.day, 2)]
    let digits = day.map { padded($0, $1) }.joined()
    let time = moment.time.map { padded($0, 2) }.joined()
    let mark = ".sync-conflict-\(digits)-\(time)-".utf8 + owner
    let name = Array(bytes[..<dot]) + mark + Array(bytes[dot...])
    return name.count <= 255 ? FilePath.Component(bytes: name) : nil
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}

extension ContainerFolder {
  /// The conflict copies of the marker and the like in the folder itself.
  ///
  /// Of two markers of different containers the syncer keeps one in place.
  package func conflictCopies() throws(FileError) -> [FilePath.Component] {
    try files.list(root).map(\.name)
      .filter { name in
        guard let copy = ConflictCopy(name) else { return false }
        return copy.original == Marker.name || copy.original == logs.lastComponent
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
