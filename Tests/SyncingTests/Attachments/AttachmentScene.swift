import BlobStorage
import CanonicalJSON
import DocumentStorage
import Foundation
import Replication
import SharedFolder
import Syncing
import SystemFiles
import SystemPackage
import Testing

extension Peer {
  var blobs: BlobFolder { BlobFolder(device.container) }

  /// Attaches text to a document of `notes`, as a command does; returns its hash.
  @discardableResult
  func attach(_ text: String, to id: String, as name: String = "a.txt") throws -> BlobHash {
    let files = device.container.files
    let source = device.container.root.removingLastComponent().appending("source-\(stream)")
    if let fake = files as? InMemoryFileSystem {
      fake.put(source, Array(text.utf8))
    } else {
      try Data(text.utf8).write(to: URL(filePath: source.string))
    }
    let attaching = try Attaching(device: device)
    let hash = try attaching.attach(BlobSource(file: source, in: files)) { stored, check in
      let reference = BlobReference(hash: stored.hash, size: stored.size, name: name, type: nil)
      let patch: JSON = .object([
        "attachments": .object([ByteString(name): reference.json])
      ])
      try write { writer in
        _ = try writer.patch(patch, at: Self.key(id))
        try check(writer)
      }
      return stored.hash
    }
    try publish()
    return hash
  }

  /// Takes an attachment out of a document.
  func detach(_ name: String = "a.txt", from id: String) throws {
    let members: JSON = .object([ByteString(name): .null])
    try write { _ = try $0.patch(.object(["attachments": members]), at: Self.key(id)) }
    try publish()
  }

  /// Hears of everything, and says so.
  func hearAndSay() throws {
    try importAll()
    _ = try device.database.acknowledge(
      after: 0, now: device.ambient.time, nonce: device.nonce)
    try publish()
  }

  /// Whether this device's own copy of a blob is there.
  func keeps(_ hash: BlobHash, of stream: StreamID? = nil) throws -> Bool {
    try blobs.hashes(of: stream ?? self.stream).contains(hash)
  }

  /// What its upkeep does for blobs.
  @discardableResult
  func look() throws -> BlobReport {
    try Compactor(device: device, limits: .small()).run().blobs
  }

  /// What its upkeep does for blobs, while something else is done.
  ///
  /// - parameter turn: at which of the questions whether to stop that is done, from 1.
  /// - returns: whether there were as many questions.
  func look(atQuestion turn: Int, _ body: @escaping () throws -> Void) throws -> Bool {
    var compactor = Compactor(device: device, limits: .small())
    var asked = 0
    var failure: (any Error)?
    compactor.isStopping = {
      asked += 1
      guard asked == turn else { return false }
      do { try body() } catch { failure = error }
      return false
    }
    _ = try compactor.run()
    if let failure { throw failure }
    return asked >= turn
  }

  /// Whether the blobs of a document are here.
  func availability(of id: String) throws -> [BlobAvailability] {
    let survey = try AttachmentSurvey(device: device)
    var found: [AttachmentSurvey.Found] = []
    try survey.forEach(at: Self.key(id)) { found.append($0) }
    var judge = AttachmentJudge(survey, of: found)
    return try found.map { try judge.availability(of: $0, verifies: true) }
  }
}

extension World {
  /// Brings a device's blobs to another's folder, and none of the logs.
  func giveBlobs(_ author: Peer, to other: Peer) throws {
    for hash in try author.blobs.hashes(of: author.stream) {
      let path = author.blobs.file(hash, of: author.stream)
      let bytes = try files.contents(of: path, limit: 1 << 20).bytes
      try place(bytes, at: other.blobs.file(hash, of: author.stream))
    }
  }
}
