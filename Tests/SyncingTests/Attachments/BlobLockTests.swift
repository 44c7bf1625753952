import BlobStorage
import DocumentStorage
import Syncing
import SystemFiles
import Testing

/// Several processes of a device, with a database and a folder on a disk.
@Suite("A device's blobs, while another process attaches one") struct BlobLockTests {
  @Test("stay, and go when that is over")
  func attaching() throws {
    let world = try World(.real)
    let state = world.root.appending("state")
    try world.files.makeDirectory(state, mode: 0o700)
    let ann = try world.peer(
      "ann", in: try world.folder("shared"), database: StoreDatabase(directory: state))
    let hash = try ann.attach("text", to: "n")
    try ann.detach(from: "n")
    try ann.look()
    world.advance(milliseconds: CompactionLimits.week)
    let source = world.root.appending("other")
    try world.files.publish([1], at: source, temporaryName: "t")
    try Attaching(device: ann.device).attach(BlobSource(file: source, in: world.files)) { _, _ in
      let (removed, isKept) = try (ann.look().removed, ann.keeps(hash))
      #expect(removed.isEmpty && isKept)
    }
    #expect(try ann.look().removed == [ann.blobs.file(hash, of: ann.stream)])
  }
}
