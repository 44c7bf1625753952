import Glibc
import Synchronization
import SystemPackage

/// A process's connection to the arbiter of another process.
final class SocketLink: Sendable {
  struct Incoming {
    var frames = WireFrames()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var hasEnded = false
  }

  struct Readers {
    /// Whether the link's own thread reads.
    var isThread = false
    /// Whether somebody reads who waits for an answer.
    var isWaiter = false
  }

  let socket: UnixSocket
  /// What has come; the lock keeps messages in order.
  let incoming = Mutex(Incoming())
  let readers = Mutex(Readers())
  let threadBell: Bell
  let waiterBell: Bell
  let deliver: @Sendable (ArbiterMessage) -> Void
  /// Whether it can still be sent on; the lock keeps messages whole.
  private let isOpen = Mutex(true)
  /// The arbiter's process.
  let peer: Int32

  /// Connects; nil if nobody listens now.
  ///
  /// - parameter deliver: takes what the arbiter says, on the thread of whoever reads it.
  init?(
    to place: CoordinationPlace, deliver: @escaping @Sendable (ArbiterMessage) -> Void
  ) throws(CoordinationError) {
    self.deliver = deliver
    do {
      try place.checkSocket()
    } catch .noArbiter(_, ENOENT) {
      return nil
    }
    do {
      threadBell = try Bell()
      waiterBell = try Bell()
      socket = try UnixSocket.connect(to: place.socket)
      let peer = try socket.peer()
      guard peer.user == place.user else {
        throw CoordinationError.unsafePlace(path: place.socketText, .ownedBy(user: peer.user))
      }
      self.peer = peer.process
    } catch let error as CoordinationError {
      throw error
    } catch {
      let code = (error as? Errno) ?? .ioError
      if code == .connectionRefused || code == .noSuchFileOrDirectory || code == .wouldBlock {
        return nil
      }
      throw .noArbiter(path: place.socketText, errno: code.rawValue)
    }
  }

  /// Sends a message; one that cannot be sent is said anew to the next arbiter.
  func send(_ message: MemberMessage) {
    let bytes = WireFormat.frame(message.wireBytes)
    isOpen.withLock { isOpen in
      var rest = bytes[...]
      while isOpen, !rest.isEmpty {
        do {
          rest = rest.dropFirst(try socket.send(rest))
        } catch {
          isOpen = false
        }
      }
    }
  }

  func close() { socket.shutDown() }
}
