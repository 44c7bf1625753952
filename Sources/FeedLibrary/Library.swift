import FeedReading
import FeedSync
import Foundation

/// The feeds that somebody reads: what is synced of them, and what has been fetched here.
///
///     let container = try UbiquityContainer("/home/ann/Sync/notes")
///     let library = try Library(container, cache: "/home/ann/.local/share/nerdfeed")
///     let feed = try library.subscribe(to: Subscription(url: "https://example.org/feed")).feed
///     for item in try library.items(ItemQuery()) { print(item.title ?? "") }
///
/// Subscriptions and marks are documents of the container, see ``SyncedCollections``; articles are
/// in a cache of this machine, which can be removed at any time. Nothing here uses the network: who
/// has fetched a feed hands it over with ``receive(_:)``. Any number of threads and processes may
/// use one cache.
public final class Library: Sendable {
  /// The documents that are synced.
  public let store: DocumentStore
  let cache: CacheDatabase
  let clock: @Sendable () -> FeedInstant

  /// Opens the library of a container.
  ///
  /// - parameters:
  ///   - container: The synced folder that has the subscriptions and marks.
  ///   - cache: The directory of the caches, one for each container; made if it is missing, for
  ///     its owner alone.
  ///   - clock: Tells the time.
  /// - throws: ``LibraryError`` if the cache cannot be used, as on a network file system.
  public convenience init(
    _ container: UbiquityContainer, cache: String,
    clock: @escaping @Sendable () -> FeedInstant = {
      FeedInstant(secondsSince1970: Int64(Date().timeIntervalSince1970))
    }
  ) throws {
    try self.init(
      container, cache: cache, busySeconds: CacheDatabase.busySeconds, clock: clock)
  }

  /// - parameters:
  ///   - busySeconds: How long to wait for another process that has the cache.
  ///   - network: The network file system that a directory is on; nil for none.
  init(
    _ container: UbiquityContainer, cache: String, busySeconds: Double,
    network: (String) -> String? = DatabasePlace.network,
    clock: @escaping @Sendable () -> FeedInstant
  ) throws {
    if let kind = network(cache) {
      throw LibraryError(.cacheOnNetwork(kind), operation: "open the cache", subject: cache)
    }
    store = DocumentStore(container)
    self.cache = try CacheDatabase(
      directory: cache + "/" + container.id, busySeconds: busySeconds)
    self.clock = clock
  }

  /// Where the cache of a user is: the directory named, else `NERDFEED_STATE`, else
  /// `$XDG_DATA_HOME/nerdfeed`, else `~/.local/share/nerdfeed`.
  ///
  /// A relative `XDG_DATA_HOME` counts for nothing, as the XDG Base Directory Specification has it.
  ///
  /// - throws: ``LibraryError`` if there is no home.
  public static func cacheDirectory(
    named directory: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    func absolute(_ path: String) -> String {
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
    if let path = directory ?? variable("NERDFEED_STATE") { return absolute(path) }
    if let data = variable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/nerdfeed" }
    if let home = variable("HOME") { return absolute(home) + "/.local/share/nerdfeed" }
    let error = FeedSyncError(
      .configuration, operation: "find the cache", message: "HOME is not set",
      hint: "set NERDFEED_STATE, or name a directory with --cache DIR")
    throw LibraryError(.store(error), operation: error.operation)
  }

  /// Runs what uses the store, and takes over its errors.
  func run<Value>(
    _ operation: String, subject: String? = nil, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch {
      throw LibraryError.from(error, operation: operation, subject: subject)
    }
  }
}
