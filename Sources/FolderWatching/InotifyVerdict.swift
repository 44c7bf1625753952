import CInotifyTools
import Glibc
import SystemPackage

/// What a watched directory is to feedsync.
package enum WatchedPlace: Hashable {
  /// The directory of the cookie files.
  case cookies
  /// The container, watched for `logs` and for its marker.
  case container
  /// `logs/`.
  case logs
  /// A direct sub-directory of `logs/`.
  case stream(FilePath.Component)

  /// The mask to watch it with.
  ///
  /// A link is never followed, save by the path that the user has given for the container.
  package var mask: UInt32 {
    let itself = IN_DELETE_SELF | IN_MOVE_SELF
    let names = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM
    let flags = IN_ONLYDIR | IN_EXCL_UNLINK
    return switch self {
    case .cookies: UInt32(IN_CREATE | IN_MOVED_TO | itself | flags)
    case .container: UInt32(names | itself | flags)
    // A directory may be given to this user only after it was made.
    case .logs: UInt32(names | IN_ATTRIB | itself | flags | IN_DONT_FOLLOW)
    case .stream: UInt32(names | IN_CLOSE_WRITE | itself | flags | IN_DONT_FOLLOW)
    }
  }
}

/// What an inotify event means, as a function of the event alone.
package enum InotifyVerdict: Hashable {
  /// Nothing.
  case ignore
  /// The watches no longer fit, or events were lost: subscribe anew and have all rescanned.
  case resubscribe
  /// The cookie with this number was touched.
  case cookie(UInt64)
  /// Something changed in this stream directory.
  case changed(FilePath.Component)
  /// This stream directory appeared and is not watched yet.
  case appeared(FilePath.Component)

  /// Judges an event; `place` is nil for a watch descriptor that is not known (any more).
  package init(place: WatchedPlace?, watch: Int32, mask: UInt32, name: UnsafeBufferPointer<UInt8>) {
    func has(_ bits: Int32) -> Bool { mask & UInt32(bitPattern: bits) != 0 }
    if watch == -1 || has(Int32(IN_Q_OVERFLOW)) {
      self = .resubscribe
      return
    }
    guard let place else {
      self = .ignore
      return
    }
    if has(Int32(IN_MOVE_SELF | IN_UNMOUNT)) {
      self = .resubscribe
      return
    }
    if has(Int32(IN_DELETE_SELF | IN_IGNORED)) {
      // That a stream directory is gone is said by `logs/` too, and with its name.
      if case .stream = place { self = .ignore } else { self = .resubscribe }
      return
    }
    let isDirectory = has(Int32(IN_ISDIR))
    let isArrival = has(Int32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB))
    self.init(place: place, name: name, isDirectory: isDirectory, isArrival: isArrival)
  }

  /// A container without it is taken for one that is away.
  private static let marker = "feedsync.container"

  private init(
    place: WatchedPlace, name: UnsafeBufferPointer<UInt8>, isDirectory: Bool, isArrival: Bool
  ) {
    switch place {
    case .cookies:
      self = CookieFile.number(in: name).map { .cookie($0) } ?? .ignore
    case .container:
      // That the marker goes is found by the next look, which may find it there again.
      let isMarker = isArrival && name.elementsEqual(Self.marker.utf8)
      self = isMarker || name.elementsEqual("logs".utf8) ? .resubscribe : .ignore
    case .logs:
      guard isDirectory, let stream = FilePath.Component(bytes: name) else {
        self = .ignore
        return
      }
      self = isArrival ? .appeared(stream) : .changed(stream)
    case .stream(let stream):
      self = isDirectory || TemporaryName.matches(name) ? .ignore : .changed(stream)
    }
  }
}

extension FilePath.Component {
  /// The component with these very bytes, which need not be UTF-8.
  init?(bytes: UnsafeBufferPointer<UInt8>) {
    let text = bytes.map { CChar(bitPattern: $0) } + [0]
    self.init(platformString: text)
  }
}
