import Glibc
import SystemFiles
import SystemPackage

/// The directory of the arbiter's lock and socket, on a local disk, for its owner alone.
///
/// It stays open, and all that is in it is reached through the open directory: so a path of any
/// length fits into a socket's address, and a directory put in its place later changes nothing.
package final class CoordinationPlace: Sendable {
  /// Where it is, for people and for telling places apart.
  package let path: FilePath
  let user: UInt32
  private let peers: UInt32?
  private let directory: Descriptor

  private enum Name {
    static let lock = "arbiter.lock"
    static let socket = "arbiter.socket"
    static let members = "members"
    static let snapshots = "snapshots"
  }

  /// Opens the directory, making it if only it is missing.
  ///
  /// - parameters:
  ///   - user: who has to own it: the one that this process runs as.
  ///   - peers: whose all connections are taken for, in tests; nil: whose the system says.
  /// - throws: `CoordinationError.unsafePlace` where others could reach in.
  package init(
    _ path: FilePath, user: UInt32 = geteuid(), peers: UInt32? = nil
  ) throws(CoordinationError) {
    self.path = path
    self.user = user
    self.peers = peers
    directory = try Self.open(path, user: user)
    do {
      guard try LinuxFileSystem().kind(of: path) == .local else {
        throw CoordinationError.unsafePlace(path: path.string, .notLocal)
      }
    } catch let error as CoordinationError {
      throw error
    } catch {
      throw CoordinationError.system(operation: "statfs", path: path.string, errno: 0)
    }
    for name in [Name.members, Name.snapshots] {
      _ = try Self.open(directory.path.appending(name), user: user)
    }
  }

  private static func open(
    _ path: FilePath, user: UInt32
  ) throws(CoordinationError) -> Descriptor {
    if path.withPlatformString({ mkdir($0, 0o700) }) != 0, errno != EEXIST {
      throw .system(operation: "mkdir", path: path.string, errno: errno)
    }
    let number = path.withPlatformString {
      Glibc.open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }
    guard number >= 0 else {
      let code = errno
      if code == ELOOP || code == ENOTDIR {
        throw .unsafePlace(path: path.string, .wrongKind)
      }
      throw .system(operation: "open", path: path.string, errno: code)
    }
    let descriptor = Descriptor(number)
    do {
      let status = try descriptor.status()
      guard status.st_uid == user else {
        throw CoordinationError.unsafePlace(path: path.string, .ownedBy(user: status.st_uid))
      }
      guard status.st_mode & 0o077 == 0 else {
        throw CoordinationError.unsafePlace(
          path: path.string, .openToOthers(mode: status.st_mode & 0o7777))
      }
    } catch let error as CoordinationError {
      throw error
    } catch {
      throw CoordinationError.system(operation: "fstat", path: path.string, errno: 0)
    }
    return descriptor
  }

  /// The file whose lock makes a process the arbiter; never removed and never replaced.
  var lock: FilePath { directory.path.appending(Name.lock) }
  var socket: FilePath { directory.path.appending(Name.socket) }
  var members: FilePath { directory.path.appending(Name.members) }
  /// By its real path, since accessors hand the paths of snapshots to other programs.
  var snapshots: FilePath { path.appending(Name.snapshots) }

  /// The socket for people, who have no use for a descriptor's path.
  var socketText: String { path.appending(Name.socket).string }

  /// Refuses a socket that somebody else has put there.
  func checkSocket() throws(CoordinationError) {
    let status: FileStatus
    do {
      status = try LinuxFileSystem().status(of: socket)
    } catch {
      throw .noArbiter(path: socketText, errno: error.errno.rawValue)
    }
    guard status.kind == .socket else { throw .unsafePlace(path: socketText, .wrongKind) }
    guard status.owner == user else {
      throw .unsafePlace(path: socketText, .ownedBy(user: status.owner))
    }
  }

  /// Refuses a connection with somebody else, who has come past the directory and the socket.
  ///
  /// - returns: The process at the other end.
  func checkPeer(of connection: UnixSocket) throws -> Int32 {
    let (process, found) = try connection.peer()
    let peer = peers ?? found
    guard peer == user else {
      throw CoordinationError.unsafePlace(path: socketText, .ownedBy(user: peer))
    }
    return process
  }
}
