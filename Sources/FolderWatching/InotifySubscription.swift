import CInotifyTools
import SystemPackage

/// All the watches on one container, made at once; when they no longer fit, one makes new ones.
///
/// Repairing a set of watches after a directory was moved or events were lost needs to know what
/// nobody can know any more. A new inotify instance and a rescan need not.
final class InotifySubscription {
  /// How many stream directories are watched at most, lest a hostile folder take the watches of
  /// all the user's programs.
  static let streamLimit = 4096

  /// The directories that a subscription is about.
  struct Paths {
    let container: FilePath
    let cookies: CookieFile
    var logs: FilePath { container.appending("logs") }
  }

  private let paths: Paths
  private let library: InotifyLibrary
  private let container: FileIdentity?
  private let logs: FileIdentity?
  private var places: [Int32: WatchedPlace] = [:]

  /// Why not all is watched that should be, if so.
  private(set) var shortcoming: PollingReason?
  /// Whether `logs/` is there and watched.
  private(set) var hasLogs = false
  /// Whether the container is there, and not just the place where it is to be mounted: a container
  /// has its marker at least.
  private(set) var hasContainer = false

  /// The descriptors to interrupt ``next()`` with, by ending the watch on the cookies.
  let interruption: (descriptor: Int32, watch: Int32)

  /// Watches all that is there: the cookies, the container, `logs/`, and each directory in it.
  init(paths: Paths) throws(WatchError) {
    self.paths = paths
    // Before the watches: what is replaced in between is found by the next tick.
    container = FileIdentity(paths.container)
    logs = FileIdentity(paths.logs)
    let cookies: FilePath
    do throws(Errno) {
      cookies = try paths.cookies.open()
    } catch {
      throw .unavailable(.cookies(error))
    }
    library = try InotifyLibrary(watching: cookies, mask: WatchedPlace.cookies.mask)
    interruption = (library.descriptor, library.watch)
    places[library.watch] = .cookies
    _ = add(paths.container, as: .container)
    hasLogs = add(paths.logs, as: .logs)
    if hasLogs { addStreams() }
    hasContainer = container != nil && (hasLogs || !isEmpty(paths.container))
  }

  /// Ends all the watches.
  func end() { library.end() }

  /// Whether the paths name other directories than when this began, or not all is watched.
  var isStale: Bool {
    shortcoming != nil || !paths.cookies.isInPlace || FileIdentity(paths.container) != container
      || FileIdentity(paths.logs) != logs
      || !hasContainer && container != nil && !isEmpty(paths.container)
  }

  /// Waits for the next event, and watches a stream directory that has appeared.
  func next() throws(Errno) -> InotifyVerdict {
    let verdict = try library.next { watch, mask, name in
      let place = place(of: watch)
      if mask & UInt32(IN_IGNORED) != 0 { places[watch] = nil }
      return InotifyVerdict(place: place, watch: watch, mask: mask, name: name)
    }
    if case .appeared(let stream) = verdict { addStream(stream) }
    return verdict
  }

  private func isEmpty(_ directory: FilePath) -> Bool {
    (try? DirectoryListing.names(at: directory))?.isEmpty ?? false
  }

  private func addStreams() {
    do {
      for stream in try DirectoryListing.directories(at: paths.logs) { addStream(stream) }
    } catch {
      note(error)
    }
  }

  private func addStream(_ stream: FilePath.Component) {
    guard places.count < Self.streamLimit else {
      shortcoming = .watchesExhausted
      return
    }
    _ = add(paths.logs.appending(stream), as: .stream(stream))
  }

  private func add(_ path: FilePath, as place: WatchedPlace) -> Bool {
    do {
      if let watch = try library.watch(path, mask: place.mask) { places[watch] = place }
      return true
    } catch {
      if case .stream = place, error == .permissionDenied { return false }
      note(error)
      return false
    }
  }

  private func note(_ errno: Errno) {
    switch errno {
    // Gone again, or a link, or a file: whether that is an error is for the scan to say.
    case .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels: break
    case .noSpace: shortcoming = .watchesExhausted
    default: shortcoming = .unavailable(errno)
    }
  }

  /// What a watch descriptor is for.
  ///
  /// A stream directory that was removed and made again has a new one, which the library does not
  /// tell when it is added, but finds the path of.
  private func place(of watch: Int32) -> WatchedPlace? {
    if let place = places[watch] { return place }
    guard watch > 0, let path = library.path(of: watch), !path.isEmpty,
      path.removingLastComponent() == paths.logs, let name = path.lastComponent
    else { return nil }
    places[watch] = .stream(name)
    return .stream(name)
  }
}
