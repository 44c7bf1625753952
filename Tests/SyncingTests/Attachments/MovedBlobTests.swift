import BlobStorage
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A device moves on to another folder of its container.
@Suite("A device's blobs, where its folder is another one") struct MovedBlobTests {
  @Test("come along from the old one, as far as they are whole")
  func moved() throws {
    let house = try Household()
    let old = try house.makeFolder("old")
    try house.initialise(old)
    let new = house.root.appending("new")
    try house.copy(old, to: new)
    let ann = try house.open()
    var hashes: [BlobHash] = []
    for text in ["kept", "damaged"] {
      let source = house.root.appending(FilePath.Component(text) ?? "f")
      try house.files.publish(Array(text.utf8), at: source, temporaryName: "t")
      try Attaching(device: ann.device).attach(BlobSource(file: source, in: house.files)) {
        blob, _ in
        hashes.append(blob.hash)
      }
    }
    let damaged = ann.blobs.file(hashes[1], of: ann.stream)
    try house.files.remove(damaged)
    try house.files.publish([1], at: damaged, temporaryName: "t")
    try house.initialise(new)
    let moved = try house.open()
    #expect(moved.folder == new)
    #expect(try moved.blobs.hashes(of: ann.stream) == [hashes[0]])
  }
}
