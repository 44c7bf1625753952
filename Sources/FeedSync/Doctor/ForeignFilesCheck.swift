import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemPackage

/// What stands under `logs/` that no device has written there.
package struct ForeignFilesCheck: DoctorCheck {
  package let name = "foreign"
  private static let named = 20

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let listing = patient.listing, let device = patient.device else { return [] }
    let foreign = listing.foreign.map { place in
      [place.directory, place.name].compactMap { $0?.string }.joined(separator: "/")
    }
    let duplicates = try device.dispensableCopies(in: listing)
      .map { String($0.path.dropFirst("logs/".count)) }
    let all =
      foreign.sorted().map { finding($0, isDuplicate: false) }
      + duplicates.sorted().map { finding($0, isDuplicate: true) }
    guard all.count > Self.named else { return all }
    // What is only noted may be thousands.
    let ordered = all.filter { $0.severity != .note } + all.filter { $0.severity == .note }
    return ordered.prefix(Self.named) + [
      Finding(
        .note, check: name, message: "\(all.count - Self.named) more such files",
        hint: "'feedsync status' names them all")
    ]
  }

  /// What stands in the place of something that is to be imported.
  private func missed(_ path: String, _ last: String) -> Finding? {
    if UnarrivedName.isOfSegment(Array(last.utf8)) {
      return Finding(
        .warning, check: "unarrived", file: "logs/" + path,
        message: "the file is not on this machine: the syncer keeps it online only, or is bringing"
          + " it",
        hint: FeedSyncError.hintForUnarrived)
    }
    // At the top: in its own place, which a folder is to have.
    if let stream = StreamID(path) {
      return Finding(.warning, check: "in-the-way", FeedSyncError(obstructed: stream))
    }
    return nil
  }

  private func finding(_ path: String, isDuplicate: Bool) -> Finding {
    let last = path.split(separator: "/").last.map { String($0) } ?? path
    let copy =
      ConflictCopy(last)
      ?? path.split(separator: "/").first.flatMap {
        ConflictCopy(String($0))
      }
    if let copy {
      return Finding(
        .warning, check: "conflict-copy", file: "logs/" + path,
        message: "\(copy.syncer.rawValue) has kept a second version of \(copy.original.string)"
          + (isDuplicate ? ", with content that is imported already" : ""),
        hint: "no syncer should find one: files under logs/ never change. Look whether something"
          + " rewrites files there, or two machines work with one copied state; then remove it")
    }
    if let missed = missed(path, last) { return missed }
    return Finding(
      .note, check: name, file: "logs/" + path,
      message: isDuplicate
        ? "the file is a copy of one that is imported" : "the file is none of feedsync's",
      hint: "it does no harm, and may be removed; feedsync never does it")
  }
}

/// Whether the syncer has kept a second marker: two containers that were made apart.
package struct MarkerCopyCheck: DoctorCheck {
  package let name = "marker-copy"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let container = patient.folderAtHand,
      (try? container.files.status(of: container.root)) != nil
    else { return [] }
    let present = try? container.marker()
    return try container.conflictCopies().map { name in
      let path = container.root.appending(name)
      if (try? container.files.status(of: path))?.kind == .directory { return Self.logs(path) }
      let copied = try? container.marker(named: name)
      let isOther = copied != nil && copied?.container != present?.container
      return Finding(
        isOther ? .error : .warning, check: self.name, file: path.string,
        message: isOther
          ? "'feedsync init' has made two containers here before the folders had met; this is the"
            + " other one's marker"
          : "the syncer has kept a second version of \(Marker.name.string)",
        hint: isOther
          ? "keep both until the machine that works with the other one, and now ends with 66, has"
            + " joined this one: 'feedsync init DIR --adopt' there"
          : "remove it, if feedsync.container is whole")
    }
  }

  private static func logs(_ path: FilePath) -> Finding {
    Finding(
      .error, check: MarkerCopyCheck().name, file: path.string,
      message: "the syncer has kept a second version of logs, in which there may be files that are"
        + " nowhere else; nothing is imported from it",
      hint: "move the folders in it into logs/, or what is in them where logs/ has a folder of that"
        + " name, and run 'feedsync import': what is there twice does no harm")
  }
}
