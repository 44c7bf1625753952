import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Trying out a folder") struct FolderTrialTests {
  private static let name: FilePath.Component = ".feedsync-0123.nosync"

  @Test("finds nothing on file systems that work, and leaves nothing behind")
  func works() throws {
    let scratch = try TemporaryDirectory()
    let real = LinuxFileSystem()
    #expect(FolderTrial(files: real).run(in: scratch.path, name: Self.name) == .init())
    #expect(try real.list(scratch.path).isEmpty)
    for features in [InMemoryFileSystem.Features(), .renameOnly] {
      let fake = InMemoryFileSystem(features: features)
      fake.putDirectory("/c")
      #expect(FolderTrial(files: fake).run(in: "/c", name: Self.name) == .init())
      #expect(try fake.list("/c").isEmpty)
    }
  }

  @Test(
    "tells the first step that fails, and leaves nothing behind",
    arguments: [
      FileOperation.makeDirectory, .create, .write, .synchronize, .read, .list, .rename,
      .synchronizeDirectory,
    ])
  func fails(operation: FileOperation) throws {
    let fake = InMemoryFileSystem()
    fake.putDirectory("/c")
    fake.fail(operation, with: .ioError)
    let outcome = FolderTrial(files: fake).run(in: "/c", name: Self.name)
    guard case .failed(let error)? = outcome.faults.first else {
      Issue.record("\(outcome)")
      return
    }
    #expect(error.operation == operation && error.errno == .ioError)
    #expect(outcome.faults.count == 1)
    #expect(try fake.list("/c").isEmpty)
  }

  @Test("tells what cannot be removed again")
  func leftover() throws {
    let fake = InMemoryFileSystem()
    fake.putDirectory("/c")
    fake.fail(.remove, with: .ioError, lasting: true)
    let outcome = FolderTrial(files: fake).run(in: "/c", name: Self.name)
    #expect(outcome.leftover == "/c/.feedsync-0123.nosync")
  }
}
