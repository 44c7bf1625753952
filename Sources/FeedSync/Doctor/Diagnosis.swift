import FolderWatching
import Foundation
import Syncing
import SystemFiles
import SystemPackage

/// One subject of a diagnosis: looks, and says what it finds.
///
/// A check writes nothing (but ``PublishingCheck``, which removes what it makes), and says nothing
/// where its subject is not there: why a device cannot be opened is told by ``OpeningCheck`` alone.
package protocol DoctorCheck: Sendable {
  /// The word under which its findings are known.
  var name: String { get }
  func findings(in patient: Patient) throws -> [Finding]
}

/// All checks, in the order in which they are told.
///
/// A new one is a file of its own, and a line here.
package struct Diagnosis {
  package static let checks: [any DoctorCheck] = [
    OpeningCheck(), FolderCheck(), SharingCheck(), PublishingCheck(), DiskSpaceCheck(),
    IgnoreFileCheck(), StatePlaceCheck(), DatabaseCheck(), NewerVersionCheck(), GapCheck(),
    SetAsideCheck(), CloneCheck(), ManyDevicesCheck(),
    ForeignFilesCheck(), MarkerCopyCheck(), PublishedFilesCheck(), OutboxCheck(), ClockCheck(),
    AttachmentsCheck(), DocumentsCheck(), KeptVersionsCheck(), WatcherCheck(), WatchingCheck(),
    SettingsCheck(), OtherStatesCheck(), OlderDatabasesCheck(),
  ]

  /// Runs checks; one that fails is a finding, and the others go on.
  package static func run(
    _ checks: [any DoctorCheck] = Diagnosis.checks, on patient: Patient
  ) -> [Finding] {
    checks.flatMap { check in
      do {
        return try check.findings(in: patient)
      } catch {
        return [
          Finding(.error, check: check.name, FeedSyncError(error, operation: "diagnose"))
        ]
      }
    }
  }
}

extension UbiquityContainer {
  /// Looks for all that can be wrong with a container, its folder, and this device's state.
  ///
  ///     let findings = UbiquityContainer.diagnose("/home/ann/Sync/notes")
  ///     for finding in findings { print("\(finding.severity): \(finding.message)") }
  ///
  /// It works where nothing else does, with no container, a damaged database or a folder that is
  /// away; those are findings. It writes nothing but a directory of its own in the folder, to try
  /// out what publishing needs, which it removes. It reads and verifies what this device has
  /// published, so that it may take seconds.
  /// - parameters:
  ///   - folder: As for ``init(_:state:)``.
  ///   - state: As for ``init(_:state:)``.
  /// - returns: What was found, grouped by subject; empty if all is well.
  public static func diagnose(_ folder: String? = nil, state: String? = nil) -> [Finding] {
    do {
      let directory = try StateLocation.directory(named: state)
      let path = folder.map { StateLocation.absolute($0) }
      return Diagnosis.run(on: Patient(directory: directory, path: path, facts: .system))
    } catch {
      return [Finding(.error, check: "state", FeedSyncError(error, operation: "diagnose"))]
    }
  }
}

extension DocumentStore {
  /// Looks for all that can be wrong with this store's container, its folder, and its state.
  ///
  ///     let isWell = store.diagnose().allSatisfy { $0.severity == .note }
  ///
  /// - returns: As ``UbiquityContainer/diagnose(_:state:)``.
  public func diagnose() -> [Finding] {
    let state = device.database.file.removingLastComponent().removingLastComponent()
    return UbiquityContainer.diagnose(container.folder, state: state.string)
  }

  /// The same, without blocking the caller's thread.
  public func diagnose() async throws -> [Finding] { try await run { self.diagnose() } }
}

extension MachineFacts {
  /// What the system says now.
  package static var system: MachineFacts {
    MachineFacts(
      accounts: .system, freeSpace: { FreeSpace.of($0) },
      watching: { InotifyTrial.run(on: $0)?.description })
  }
}
