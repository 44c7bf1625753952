import Syncing
import SystemFiles
import SystemPackage
import Testing

@Suite("A local state that is not there") struct StateAwayTests {
  private let house: Household
  private let folder: FilePath
  private let kept: FilePath
  private var state: FilePath { house.directory.root }

  /// Ann's device is in the folder, and her state's disk is not mounted.
  init() throws {
    house = try Household()
    folder = try house.makeFolder("folder")
    try house.initialise(folder)
    kept = house.root.appending("kept")
    try house.move(house.directory.root, to: kept)
  }

  private func directory(isNamed: Bool) -> DeviceDirectory {
    DeviceDirectory(
      root: state, isRootNamed: isNamed, files: house.files, ambient: house.directory.ambient)
  }

  @Test(
    "is away where it was named, and has its device when it is back",
    arguments: [false, true])
  func named(hasMountPoint: Bool) throws {
    if hasMountPoint { try house.files.makeDirectory(state, mode: 0o700) }
    let directory = directory(isNamed: true)
    #expect(throws: DeviceError.stateAway(state)) { try directory.open(container: folder) }
    // Of what was never chosen nothing is known to be away.
    #expect(throws: DeviceError.noContainerChosen(state: state)) {
      try directory.open(container: nil)
    }
    if hasMountPoint { try house.files.removeDirectory(state) }
    try house.move(kept, to: state)
    #expect(try directory.open(container: folder).container.root == folder)
  }

  @Test("is none yet where nobody named it")
  func unnamed() throws {
    #expect(throws: DeviceError.notInitialised(folder, state: state)) {
      try directory(isNamed: false).open(container: folder)
    }
  }

  @Test("is there where it has anything in it: the device is what it lacks")
  func another() throws {
    try house.initialise(try house.makeFolder("other"))
    #expect(throws: DeviceError.notInitialised(folder, state: state)) {
      try directory(isNamed: true).open(container: folder)
    }
  }

  @Test("is made by init, as any that was named")
  func initialised() throws {
    let made = try house.initialise(folder, in: directory(isNamed: true))
    #expect(!made.isCreated)
  }

  @Test("since it cannot be looked at is a failure, and not a device that never was")
  func failing() throws {
    // The name of a link that leads to itself can be asked for nothing.
    try house.files.makeSymbolicLink(state, to: state)
    #expect {
      try directory(isNamed: false).open(container: folder)
    } throws: { error in
      (error as? FileError)?.errno == .tooManySymbolicLinkLevels
    }
  }
}
