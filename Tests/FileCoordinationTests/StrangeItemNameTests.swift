import FileCoordination
import Foundation
import SystemFiles
import SystemPackage
import Testing

/// Names are bytes: of those that are not UTF-8, and of those that only look the same.
@Suite struct StrangeItemNameTests {
  private let workshop: Workshop

  init() throws { workshop = try Workshop() }

  /// A name that is not UTF-8.
  private func malformed(_ byte: UInt8) throws -> FilePath.Component {
    try #require(FilePath.Component(bytes: [UInt8(ascii: "f"), byte]))
  }

  private func make(_ path: FilePath, _ text: String) throws {
    let file = try FileDescriptor.open(
      path, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }

  @Test func anAccessIsToTheVeryFile() throws {
    let (here, there) = (try workshop.domain(), try workshop.domain())
    let (one, other) = (
      workshop.files.appending(try malformed(0xfe)), workshop.files.appending(try malformed(0xff))
    )
    try make(one, "old")
    let presenter = FakePresenter(one)
    try here.addFilePresenter(presenter)
    try FileCoordinator(there).write(one) { path in
      #expect(path == one)
      try make(path, "new")
      #expect(throws: CoordinationError.self) {
        try FileCoordinator(here).read(one, timeout: .milliseconds(10)) { _ in
          Issue.record("two have it")
        }
      }
      try FileCoordinator(here).write(other, timeout: .seconds(30)) { path in
        #expect(path == other)
      }
    }
    #expect(presenter.journal.wait(for: "changed"))
    #expect(presenter.journal.all.first == "relinquish writer")
    here.removeFilePresenter(presenter)
  }

  @Test func c21_anArchiveWithNamesThatAreNotUTF8CanBeUnpacked() throws {
    let folder = try workshop.file("album")
    try Workshop.makeFolder(folder)
    try make(folder.appending(try malformed(0xff)), "bytes")
    try make(folder.appending("gr\u{FC}n"), "text")
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      names = archive.namelist()
      print(archive.testzip(), len(names), "album/gr\\u00fcn" in names, "album/f\\u00a0" in names)
      """
    let output = try FileCoordinator(try workshop.domain()).read(folder, .forUploading) { path in
      try OptionTests.run("/usr/bin/python3", "-c", script, path.string)
    }
    #expect(output == "None 3 True True\n")
  }

  @Test func twoStatesWhoseNamesLookTheSameAreTwoDomains() throws {
    let folders =
      try ["Jos\u{E9}", "Jose\u{301}"].map { workshop.files.appending($0) }
      + [malformed(0xfe), malformed(0xff)].map { workshop.files.appending($0) }
    for folder in folders { try Workshop.makeFolder(folder) }
    let domains = try folders.map { try CoordinationDomain.inState($0) }
    #expect(Set(domains.map(ObjectIdentifier.init)).count == folders.count)
    #expect(try CoordinationDomain.inState(folders[0]) === domains[0])
    for domain in domains { domain.close() }
  }
}
