import Glibc
import Synchronization
import SystemPackage

/// A process's connection to the arbiter of another process.
final class SocketLink: Sendable {
  private let socket: UnixSocket
  /// Whether it can still be sent on; the lock keeps messages whole.
  private let isOpen = Mutex(true)
  /// The arbiter's process.
  let peer: Int32

  /// Connects; nil if nobody listens now.
  init?(to place: CoordinationPlace) throws(CoordinationError) {
    do {
      try place.checkSocket()
    } catch .noArbiter(_, ENOENT) {
      return nil
    }
    do {
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

  /// Reads until the arbiter ends, or says what is no message.
  func read(_ body: (ArbiterMessage) -> Void) {
    var frames = WireFrames()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while let bytes = try? socket.receive(into: &buffer), !bytes.isEmpty {
      frames.append(bytes)
      do {
        while let frame = try frames.next() { body(try ArbiterMessage(wire: frame)) }
      } catch {
        break
      }
    }
    close()
  }

  func close() { socket.shutDown() }
}
