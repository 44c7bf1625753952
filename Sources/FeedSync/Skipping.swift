import DocumentStorage
import Replication
import Syncing

/// What is missing of a device, and what waits for it.
///
///     let missing = try store.missing(from: "old phone")
///     print(missing.transactions, missing.waitingRemovals.count)
///     try store.skip(missing)
public struct MissingTransactions: Sendable {
  /// A document, by its place.
  public struct Document: Hashable, Sendable {
    /// Its collection.
    public let collection: String
    /// Its id.
    public let id: String
  }

  /// Whose.
  public let device: DeviceDescription
  /// The transactions that are missing, or cannot be read without those; empty where what is
  /// missing is a branch of a device that was copied.
  public let transactions: [ClosedRange<UInt64>]
  /// The last of them.
  public let last: UInt64
  /// The files that are here and cannot be read without what is missing, or not at all.
  public let files: [String]
  /// The documents that those files tell of, as far as that can be read.
  public let documents: [Document]
  /// How many files will be imported once it is skipped.
  public let waitingFiles: Int
  /// The devices whose later writes no write here can have seen until then.
  public let waitingDevices: [DeviceDescription]
  /// The documents of which a removal is not published until then.
  public let waitingRemovals: [Document]
  let hole: Hole

  package init(_ hole: Hole) {
    self.hole = hole
    device = DeviceDescription(hole.stream)
    transactions = hole.transactions
    last = hole.last
    files = hole.files.map(\.path)
    documents = hole.documents.map { Document($0) }
    waitingFiles = hole.readable
    waitingDevices = hole.waiting.map { DeviceDescription($0) }
    waitingRemovals = hole.removals.map { Document($0) }
  }
}

extension MissingTransactions.Document {
  fileprivate init(_ key: DocumentKey) {
    self.init(collection: key.collection.description, id: key.id.description)
  }
}

extension DeviceDescription {
  fileprivate init(_ stream: StreamSummary) {
    self.init(id: stream.stream.description, name: stream.name)
  }
}

extension DocumentStore {
  /// What is missing of a device, as the last import left it.
  ///
  ///     for range in try store.missing(from: "old phone").transactions { print(range) }
  ///
  /// - parameter device: The device's name, its id, or the beginning of that.
  /// - throws: ``FeedSyncError`` with `.notFound` if nothing is, or there is no such device.
  public func missing(from device: String) throws -> MissingTransactions {
    do {
      return MissingTransactions(try Skipping(device: self.device).hole(of: device))
    } catch {
      throw FeedSyncError(error, operation: "look for what is missing")
    }
  }

  /// Goes on without what is missing of a device: the last resort where it never comes.
  ///
  ///     try store.skip(store.missing(from: "old phone"))
  ///
  /// What lies behind it is imported, and removals that waited for it are published. What is
  /// written here from now on counts as written by somebody who had seen it: should it come all the
  /// same, it is applied, and gives way at the places that were written since. Every device that
  /// waits for it has to be told.
  ///
  /// - parameter missing: What ``missing(from:)`` has told, and nothing that is missed since.
  /// - throws: As `importAll`, which is done at once; what was given up by then stays so.
  @discardableResult
  public func skip(_ missing: MissingTransactions) throws -> ImportSummary {
    do {
      return ImportSummary(try Skipping(device: device).skip(missing.hole).imported)
    } catch {
      throw FeedSyncError(error, operation: "skip what is missing")
    }
  }
}
