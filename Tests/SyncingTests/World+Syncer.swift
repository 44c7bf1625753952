import DocumentStorage
import SegmentFormat
import SharedFolder
import Syncing
import SystemPackage
import Testing

/// What several tests have a syncer do, beyond bringing a file.
extension World {
  /// A new device in a folder of its own, which has its name.
  func loner(_ name: FilePath.Component) throws -> Peer {
    try peer(name.string, in: try folder(name))
  }

  /// Publishes what one device wrote and brings it to another, which imports it.
  @discardableResult
  func send(from author: Peer, to other: Peer) throws -> ImportReport {
    try author.publish()
    return try give(author, to: other)
  }

  /// Makes a device's folder hold the author's files as they are now, and no others of that one's:
  /// what the author has removed goes there, too.
  func mirror(_ author: Peer, to other: Peer) throws {
    let files = try logs(in: author.folder).filter { $0.directory == author.directory }
    for file in try logs(in: other.folder)
    where file.directory == author.directory && !files.contains(file) {
      try remove(file.path(in: other.folder))
    }
    for file in files { try deliver(file, to: other.folder) }
  }

  /// Brings all that a folder has to another one that lacks it.
  func carry(from folder: FilePath, to other: FilePath) throws {
    let present = Set(try logs(in: other).map(\.key))
    for file in try logs(in: folder) where !present.contains(file.key) {
      try deliver(file, to: other)
    }
  }

  /// Another gets all that `author` has, and says so in a document called like itself; then
  /// `author` gets that.
  func meet(_ author: Peer, with other: Peer) throws {
    try mirror(author, to: other)
    try other.importAll()
    try acknowledge(other)
    try give(other, to: author)
    try author.importAll()
  }

  /// A device says what it has, in a document called like itself.
  func acknowledge(_ peer: Peer) throws {
    // Higher each time: to write what stands there already would be no transaction.
    let heard = try peer.device.database.changePosition()
    try peer.put(peer.device.record.name, #"{"heard":\#(heard)}"#)
    try peer.publish()
  }

  /// What a device shows that comes to have the folder as it is now, and misses nothing.
  func newcomersDump(of folder: FilePath) throws -> String {
    let other = try self.folder("newcomer")
    for file in try logs(in: folder) { try deliver(file, to: other) }
    let newcomer = try peer("newcomer", in: other)
    let report = try newcomer.importAll()
    #expect(report.gaps.isEmpty)
    #expect(report.setAside.isEmpty)
    fake?.removeTree(other)
    return try newcomer.dump()
  }

  /// Ann writes `doc` and `other`, and bob, who has both, edits `doc`; all comes to the folder but
  /// `other`, so that what takes `doc` away there has to wait.
  ///
  /// - returns: ann, and the file that did not come.
  func deliverAllButOne(to folder: FilePath) throws -> (ann: Peer, missing: LogFile) {
    let ann = try loner("ann")
    let bob = try loner("bob")
    for id in ["doc", "other"] {
      try ann.put(id, #"{"n":1}"#)
      try ann.publish()
    }
    try give(ann, to: bob)
    try bob.put("doc", #"{"n":2}"#)
    try bob.publish()
    let files = try logs(in: ann.folder)
    let bobs = try logs(in: bob.folder).filter { $0.directory == bob.directory }
    for file in files.prefix(1) + bobs { try deliver(file, to: folder) }
    return (ann, files[1])
  }
}

extension CompactionLimits {
  /// A week, in milliseconds.
  static let week: Int64 = 7 * 86_400_000

  /// Limits under which a few files are joined, and what is dead goes after a week.
  static func small(
    fanOut: Int = 2, savedShare: Int? = nil, attention: Int64 = .max
  ) -> CompactionLimits {
    CompactionLimits(
      fanOut: fanOut, mostParts: 64, bytes: 1 << 20, grace: week, horizon: 90 * 86_400_000,
      savedShare: savedShare, attention: attention)
  }
}

extension ContainerFolder {
  /// Writes a segment as a publisher does.
  func publish(
    _ segment: Segment, temporaryName: FilePath.Component
  ) throws -> (digest: UInt64, publication: Publication) {
    let file = SegmentFile.encode(segment)
    return (file.digest, try publish(file, of: segment.range, temporaryName: temporaryName))
  }
}
