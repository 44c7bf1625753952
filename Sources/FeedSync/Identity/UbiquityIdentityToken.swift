import Foundation
import SharedFolder
import Syncing
import SystemFiles

/// Stands for whose container a folder is: `ubiquityIdentityToken`'s counterpart.
///
///     let token = UbiquityContainer.identityToken(at: "/home/ann/Sync/notes")
///     if token != lastToken { … }  // Another container, another user, or none.
///
/// Two are equal if they are of one container and one user of this machine. It is opaque: compare
/// it, and keep it across runs. It holds through a move and a new mount of the folder, whose device
/// and inode numbers are therefore no part of it. Having one does not mean that the folder can be
/// read or written, nor that this device has joined.
public struct UbiquityIdentityToken: Hashable, Codable, Sendable {
  private let text: String

  package init(container: String, user: UInt32) { text = "\(container)-\(user)" }
}

extension UbiquityContainer {
  /// One for all who ask: it knows which processes it has sent that have not come back.
  private static let probe = FolderProbe(seconds: 5)

  /// Whose container a folder is now, for the user who asks; nil if there is none, or its file
  /// system does not answer within five seconds.
  ///
  /// Reads one small file, and needs no device.
  public static func identityToken(at folder: String) -> UbiquityIdentityToken? {
    let path = StateLocation.absolute(folder)
    if case .silent = probe.ask(path, file: Marker.name) { return nil }
    let container = ContainerFolder(root: path, files: LinuxFileSystem())
    guard let marker = try? container.marker() else { return nil }
    return UbiquityIdentityToken(container: marker.container.description, user: geteuid())
  }

  /// Whose container stands under this one's path now; nil while it is away.
  public var identityToken: UbiquityIdentityToken? {
    do {
      switch try device.asked().absence() {
      case nil, .copy: return ownIdentityToken
      default: return nil
      }
    } catch ContainerError.otherContainer(_, _, let found) {
      return UbiquityIdentityToken(container: found.description, user: geteuid())
    } catch {
      return nil
    }
  }

  /// Whose container this is, whether or not its folder is there: what ``identityToken`` is while
  /// nothing is wrong.
  public var ownIdentityToken: UbiquityIdentityToken {
    UbiquityIdentityToken(container: id, user: geteuid())
  }
}
