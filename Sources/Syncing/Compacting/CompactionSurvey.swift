import DocumentStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// What a container's folder holds, and what a compaction would do about this device's part of it.
package struct CompactionSurvey: Sendable {
  /// Some files, and how many bytes they have.
  package struct Files: Sendable, Equatable {
    package var count = 0
    package var bytes: Int64 = 0

    mutating func add(_ size: Int64) {
      count += 1
      add(bytes: size)
    }

    /// A file may claim to be of any size.
    fileprivate mutating func add(bytes size: Int64) {
      let (sum, overflow) = bytes.addingReportingOverflow(size)
      bytes = overflow ? .max : sum
    }
  }

  /// The segment files of each stream, by their directories; the largest first.
  package var streams: [(stream: StreamID, files: Files)] = []
  /// Segments that would become part of larger ones, and how many those would be.
  package var joined = 0
  package var written = 0
  /// Files that would go.
  package var removable = Files()
  /// Files that another has what they hold, and that would stay for now.
  package var waiting = Files()
  /// When the last of them goes if no device says that it has them, in milliseconds since 1970; nil
  /// if none is known to: what is to take its place is not whole in the folder.
  package var waitsUntil: Int64?
  /// What is dead of this device's files.
  package var dead = Dead()
  /// The other devices, and what they say that they have.
  package var peers: [PeerRecord] = []

  /// Who must be heard from before all that is dead may go: who is live, and has not said that it
  /// has all.
  package var awaited: [PeerRecord] { peers.filter { $0.isLive && !$0.hasAll } }
  /// Of whom nothing new has arrived within the horizon, so that nobody waits for them.
  package var away: [PeerRecord] { peers.filter { !$0.isLive } }

  package var all: Files {
    streams.reduce(into: Files()) { all, stream in
      all.count += stream.files.count
      all.add(bytes: stream.files.bytes)
    }
  }
}

extension Compactor {
  /// Looks what there is to do, and does nothing.
  ///
  /// - throws: ``ContainerError`` if the folder is not there or is another one; a ``FileError`` or
  ///   ``StorageError`` if the folder or the database cannot be read.
  package func survey() throws -> CompactionSurvey {
    // Not settled: to look at a copy of the folder makes it nobody's home.
    try device.requireContainer()
    var survey = CompactionSurvey()
    survey.streams = try sizes(of: device.container.list(), in: device.container)
    survey.peers = try peers()
    let streams = try device.database.compactableStreams()
    var dead = try DeadSurvey(
      device: device, limits: limits, looks: true, isUntold: isUntold(of: streams), streams)
    for compactable in streams {
      let stream = compactable.stream
      let archived = compactable.writable(of: try device.database.archivedSegments(of: stream))
      for run in try JoinPlan(of: archived, limits: limits).runs.flatMap(readable) {
        survey.joined += run.parts.count
        survey.written += 1
      }
      let isUnread = try hasUnread(of: stream)
      for segment in JoinPlan.withoutParts(archived) where compactable.mayDrop {
        try dead.add(segment, isUnread: isUnread)
      }
      var replaced = ReplacedFiles(device: device, stream: stream, limits)
      try replaced.survey(into: &survey)
    }
    survey.dead = dead.result
    return survey
  }

  /// What is known without reading a file's content, and also where the folder is away.
  ///
  /// - parameter listing: what is in the folder; nil if that cannot be told.
  /// - returns: what the folder holds, who must be heard from, and what was found dead before; none
  ///   of the rest.
  /// - throws: ``StorageError`` if the database cannot be read; a ``FileError`` if a file cannot be
  ///   looked at.
  package func glance(at listing: FolderListing?) throws -> CompactionSurvey {
    var survey = CompactionSurvey()
    if let listing { survey.streams = try sizes(of: listing, in: device.container) }
    survey.peers = try peers()
    let streams = try device.database.compactableStreams()
    let isUntold = try listing != nil && isUntold(of: streams)
    var dead = try DeadSurvey(
      device: device, limits: limits, looks: false, isUntold: isUntold, streams)
    for compactable in streams where compactable.mayDrop {
      let stream = compactable.stream
      let archived = try device.database.archivedSegments(of: stream)
      let isUnread = try listing.map { try hasUnread(of: stream, in: $0) } ?? false
      for segment in JoinPlan.withoutParts(archived) {
        try dead.add(segment, isUnread: isUnread)
      }
    }
    survey.dead = dead.result
    return survey
  }

  private func peers() throws -> [PeerRecord] {
    try device.database.peers(liveSince: device.time(of: limits.horizon, limits))
  }

  private func sizes(
    of listing: FolderListing, in container: ContainerFolder
  ) throws -> [(stream: StreamID, files: CompactionSurvey.Files)] {
    var sizes: [StreamID: CompactionSurvey.Files] = [:]
    for file in listing.segments {
      guard let claim = file.claim, let size = try container.size(of: file) else { continue }
      sizes[claim.stream, default: .init()].add(size)
    }
    return sizes.sorted { ($1.value.bytes, $0.key) < ($0.value.bytes, $1.key) }
      .map { (stream: $0.key, files: $0.value) }
  }
}

extension ContainerFolder {
  /// How many bytes a file has; nil if it has gone since it was listed.
  func size(of file: FolderListing.File) throws -> Int64? {
    do {
      return try files.status(of: logs.appending(file.directory).appending(file.name)).size
    } catch {
      guard error.errno == .noSuchFileOrDirectory else { throw error }
      return nil
    }
  }
}
