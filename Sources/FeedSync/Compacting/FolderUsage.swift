import DocumentStorage
import Foundation
import Syncing

/// What the folder holds, what is dead of it, and who keeps that.
public struct FolderUsage: Sendable {
  /// The files of one device.
  public struct Share: Sendable {
    /// Whose they are.
    public let device: DeviceDescription
    /// How many there are.
    public let files: Int
    /// How many bytes they have.
    public let bytes: Int64
  }

  /// Another device, as far as it has been heard of.
  public struct Peer: Sendable {
    /// Which one.
    public let device: DeviceDescription
    /// When something new of it arrived here last; nil where only an older program knew.
    public let heardAt: Date?
    /// Whether it is waited for: that was within ``CompactionSettings/horizon``.
    public let isLive: Bool
    /// Whether it says that it has all that is here.
    public let hasAll: Bool
  }

  /// The files of each device, the largest share first.
  public let shares: [Share]
  /// Files that larger ones have taken the place of, and that stay until another device says that
  /// it has their content, or ``CompactionSettings/grace`` is over.
  public let waitingFiles: Int
  /// How many operations of this device's files are dead: written over, or deleted.
  public let deadOperations: Int
  /// About how many bytes those take in the folder.
  public let deadBytes: Int64
  /// The other devices.
  public let peers: [Peer]

  /// How many files there are.
  public var files: Int { shares.reduce(0) { $0 + $1.files } }
  /// How many bytes they have.
  public var bytes: Int64 { shares.reduce(0) { $0 + $1.bytes } }
  /// Who must be heard from before all that is dead may go.
  public var awaited: [Peer] { peers.filter { $0.isLive && !$0.hasAll } }
}

extension DocumentStore {
  /// What the folder holds, and what of it could go.
  ///
  ///     let usage = try store.folderUsage()
  ///     print(usage.files, "files,", usage.deadBytes, "bytes of them dead")
  ///
  /// It reads this device's own files and the documents that they tell of, which may take seconds;
  /// it changes nothing. `feedsync compact --dry-run` tells the same and more.
  /// - throws: ``FeedSyncError`` with `.noContainer` if the folder is missing, or another
  ///   container.
  public func folderUsage() throws -> FolderUsage {
    try wording("look what the folder holds") {
      let limits = try upkeepSettings().limits
      let survey = try Compactor(device: device, limits: limits).survey()
      let names = try Dictionary(
        uniqueKeysWithValues: device.database.streamSummaries().map { ($0.stream, $0.name) })
      return FolderUsage(
        shares: survey.streams.map { found in
          FolderUsage.Share(
            device: DeviceDescription(
              id: found.stream.description, name: names[found.stream] ?? nil),
            files: found.files.count, bytes: found.files.bytes)
        },
        waitingFiles: survey.waiting.count, deadOperations: survey.dead.operations,
        deadBytes: survey.dead.bytes, peers: survey.peers.map { FolderUsage.Peer($0) })
    }
  }

  /// The same, without blocking the caller's thread.
  public func folderUsage() async throws -> FolderUsage { try await run { try self.folderUsage() } }
}

extension FolderUsage.Peer {
  init(_ peer: PeerRecord) {
    self.init(
      device: DeviceDescription(id: peer.stream.description, name: peer.name),
      heardAt: peer.heardAt.map { Date(timeIntervalSince1970: Double($0) / 1000) },
      isLive: peer.isLive, hasAll: peer.hasAll)
  }
}
