import DocumentStorage
import Foundation
import Syncing

/// What a device has, what waits, and what is wrong.
public struct StoreStatus: Sendable {
  /// What is known of a device that writes into the container.
  public struct Device: Sendable {
    /// Which one.
    public let device: DeviceDescription
    /// Whether it is this one.
    public let isThisDevice: Bool
    /// How many of its transactions are in this store.
    public let transactions: UInt64
    /// How many branches it has: more than one if it was copied or restored, and both went on.
    ///
    ///     let copied = try store.status().devices.filter { $0.branches > 1 }
    ///
    /// Nothing is wrong with that: all branches are kept. 0 as long as nothing of it is here.
    public let branches: Int
    /// Whether it was this device, until that was copied, restored or rebuilt and went on as a new
    /// one.
    ///
    ///     let mine = try store.status().devices.filter { $0.isThisDevice || $0.isFormer }
    public let isFormer: Bool
    /// Since when it is known never to come back, so that this device puts back what the folder
    /// loses of it; nil if that was not said here.
    ///
    ///     let lost = try store.status().devices.filter { $0.retiredAt != nil }
    ///
    /// ``DocumentStore/retire(_:)`` says it.
    public let retiredAt: Date?
    /// When something of it arrived last, if any has since ``retiredAt``; nil if nothing has.
    ///
    /// It has come back, and is waited for again, until ``DocumentStore/retire(_:)`` says it once
    /// more.
    public let returnedAt: Date?
    /// Since when something of it is missing; nil if nothing is.
    public let missingSince: Date?
    /// How far its clock is off, as far as that can be known here; nil if it is right.
    public let clock: ClockSkew?
  }

  /// How many documents there are.
  public let documents: Int
  /// How many members and documents have values that lost against the ones shown.
  public let conflicts: Int
  /// How many transactions of this device are not in the folder yet.
  public let unpublished: Int
  /// How many deletions and removals wait until what their author saw has arrived.
  public let pendingRemovals: Int
  /// How many transactions, of newer versions of feedsync, this one understands only in part.
  ///
  /// They take full effect once this program is updated; see ``Document/newerPaths``.
  public let newerTransactions: Int
  /// All devices that have been heard of, this one included.
  public let devices: [Device]
  /// How far this machine's clock is off the others'; nil if it is right, as far as is known.
  public let clock: ClockSkew?
  /// The files that cannot be imported as they are.
  public let setAside: [SetAsideFile]
}

extension DocumentStore {
  /// What this device has, what waits, and what is wrong, without looking into the folder.
  ///
  ///     if try store.status().unpublished > 0 { print("not everything is in the folder yet") }
  public func status() throws -> StoreStatus {
    do {
      let counts = try database.counts()
      let records = try database.fileRecords().values.sorted { $0.key < $1.key }
      let clocks = try container.device.clockSurvey()
      let skews = Dictionary(
        uniqueKeysWithValues: clocks.devices.map { ($0.stream, ClockSkew($0.skew)) })
      return StoreStatus(
        documents: counts.documents, conflicts: counts.conflicts,
        unpublished: counts.unpublished, pendingRemovals: counts.pendingRemovals,
        newerTransactions: counts.newerTransactions,
        devices: try database.streamSummaries().map {
          StoreStatus.Device($0, clock: skews[$0.stream])
        },
        clock: clocks.own.map { ClockSkew($0) },
        setAside: records.filter(\.reason.isSetAside).map { SetAsideFile($0) })
    } catch {
      throw FeedSyncError(error, operation: "tell the status")
    }
  }

  /// The same, without blocking the caller's thread.
  public func status() async throws -> StoreStatus { try await run { try self.status() } }
}

extension StoreStatus.Device {
  init(_ stream: StreamSummary, clock: ClockSkew?) {
    self.init(
      device: DeviceDescription(id: stream.stream.description, name: stream.name),
      isThisDevice: stream.isOwn, transactions: stream.applied, branches: stream.tips.count,
      isFormer: stream.wasOwn, retiredAt: stream.retiredAt.map(Self.date),
      returnedAt: stream.returnedAt.map(Self.date),
      missingSince: stream.gapSince.map(Self.date), clock: clock)
  }

  private static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}
