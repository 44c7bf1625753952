import SystemPackage

/// The name of a file whose content is not on this machine: a syncer adds something to the proper
/// name for as long as it keeps the file online only, or brings it.
///
/// Nextcloud, ownCloud and what is made of them have "virtual files" of one byte, by names such as
/// `report.txt.nextcloud`; each brand has a word of its own (`APPLICATION_VIRTUALFILE_SUFFIX`). To
/// remove one is to remove the file everywhere. `rclone` adds `.partial` to what it brings.
package enum UnarrivedName {
  private static let dot = UInt8(ascii: ".")

  /// Whether something was added to the proper name of a segment.
  package static func isOfSegment(_ name: [UInt8]) -> Bool {
    let length = SegmentName.length
    return name.count > length + 1 && name[length] == dot
      && SegmentName(Array(name[..<length])) != nil
  }

  /// Whether something was added to the name of the marker.
  package static func isOfMarker(_ name: [UInt8]) -> Bool {
    let marker = Marker.name.bytes + [dot]
    return name.count > marker.count && name.starts(with: marker)
  }

  /// Whether a syncer is writing the marker, under a name that is hidden, such as
  /// `.syncthing.feedsync.container.tmp`.
  package static func isOfComingMarker(_ name: [UInt8]) -> Bool {
    guard ContainerFolder.isIgnored(name) else { return false }
    let marker = Marker.name.bytes
    return name.indices.contains { name[$0...].starts(with: marker) }
  }
}
