import SystemFiles
import SystemPackage

/// A folder that something syncs, known by the mark that the syncer leaves in it.
package struct SyncedPlace: Hashable, Sendable {
  package let folder: FilePath
  /// What syncs it, for people.
  package let syncer: String

  private static let marks: [(name: FilePath.Component, syncer: String)] = [
    (".stfolder", "Syncthing"), (Marker.name, "feedsync"), (".dropbox.cache", "Dropbox"),
    (".dropbox", "Dropbox"), (".nextcloudsync.log", "Nextcloud"),
    (".owncloudsync.log", "ownCloud"),
  ]

  /// The nearest synced folder that holds `path`, or is it.
  package static func around(_ path: FilePath, files: any FileSystem) -> SyncedPlace? {
    var folder = path
    while true {
      for mark in marks where files.shows(mark.name, in: folder) {
        // Dropbox keeps its settings in a home folder under the same name.
        let isSettings =
          mark.name.string == ".dropbox"
          && (try? files.status(of: folder.appending(mark.name)))?.kind == .directory
        if !isSettings { return SyncedPlace(folder: folder, syncer: mark.syncer) }
      }
      guard folder.parent != folder, !folder.components.isEmpty else { return nil }
      folder = folder.parent
    }
  }
}

extension FileSystem {
  /// Whether a folder has something of this name, and lists it.
  ///
  /// Above the shares of a server, smbnetfs takes any name for that of another share.
  package func shows(_ name: FilePath.Component, in folder: FilePath) -> Bool {
    // Asked for the name first, smbnetfs would list it from then on.
    do throws(FileError) {
      return try list(folder).contains { $0.name == name }
    } catch {
      // Who may pass through a folder, but not list it, has to believe the name.
      guard error.errno == .permissionDenied else { return false }
      return (try? status(of: folder.appending(name))) != nil
    }
  }
}
