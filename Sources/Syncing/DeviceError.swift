import SystemPackage

/// Why no device can be opened.
package enum DeviceError: Error, Equatable, Sendable {
  /// No container was ever initialised in this state, nor is one named.
  case noContainerChosen(state: FilePath)
  /// The file that says which container was chosen cannot be understood.
  case choiceDamaged(FilePath)
  /// The folder is a container, but this state has no device in it.
  case notInitialised(FilePath, state: FilePath)
  /// The device's database is being made anew, and it cannot be told yet which device it will be.
  case rebuildUnfinished(older: FilePath)
  /// The state that was named is not there, or has nothing in it: its disk may be away.
  case stateAway(FilePath)
  /// The device has left the container.
  case left(FilePath)
  /// `--join` was asked for, and there is nothing to join.
  case nothingToJoin(FilePath)
  /// `--adopt` was asked for, and no other container of this state was in the folder.
  case nothingToAdopt(FilePath)
  /// `--adopt` was asked for, and all that might be meant is a damaged database, which does not
  /// tell where its container was; under the name `aside` it is one of the container that adopts.
  case placeUnknown(FilePath, aside: FilePath, folder: FilePath)
  /// No device is called so, or several are.
  case unknownDevice(String, candidates: Int)
  /// Nothing is missing of a device, so that there is nothing to give up.
  case nothingMissing(String)
  /// This device cannot give up what it wrote itself.
  case ownStream
  /// The state is on a file system that other machines can change: SQLite would be damaged there,
  /// and two machines would write as one device.
  case stateOnNetwork(FilePath, kind: String)
  /// Another process watches this device, or takes another's place by it, or leaves.
  case watched(FilePath, process: String)
}

/// Why a device does not leave its container.
package enum LeaveError: Error, Sendable {
  /// Something would be known to nobody else; `cause` kept it from being published.
  case unpublished(FilePath, transactions: Int, cause: any Error & Sendable)
  /// Another process has written meanwhile.
  case writtenMeanwhile(FilePath)
  /// Deletes and removals still wait for what their author saw, and nobody else knows of them.
  case removalsWait(FilePath, count: Int)
  /// The folder does not hold all that the local database does, so that this must not go.
  case folderIncomplete(FilePath, devices: [String])
  /// Others have dropped something that was not taken out here, or may have: the local database may
  /// have, alone, what an edit of this device stands on.
  case dropsNotHeeded(FilePath, devices: [String])
  /// A database whose place this device has taken has not given all that it holds.
  case recoveryUnfinished(FilePath, older: FilePath)
}
