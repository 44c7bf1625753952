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

  struct Outgoing {
    /// Whether it can still be sent on.
    var isOpen = true
    /// What there was no room for yet, in its order.
    var unsent: [UInt8] = []
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
  /// What is said; the lock keeps messages whole and in order.
  let outgoing = Mutex(Outgoing())
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
      peer = try place.checkPeer(of: socket)
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

  func close() { socket.shutDown() }
}
