import FeedSync
import Foundation
import Testing

/// A document of the tests with an attachment of its own.
private struct Trip: Codable, Equatable {
  var title: String
  var cover: DocumentAttachment?
}

@Suite("Attachments of documents") struct AttachmentTests {
  private let place: Place
  private let ann: DocumentStore
  private let bob: DocumentStore

  init() throws {
    place = try Place()
    ann = try place.store("ann")
    bob = try place.store("bob")
  }

  private func file(_ name: String, _ text: String) throws -> String {
    let url = place.root.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url.path
  }

  @Test("are read on another device, verified, whole or not at all")
  func story() throws {
    let photo = try file("alps.jpg", "a photo")
    let result = try ann.attach(photo, to: "alps", in: "trips", type: "image/jpeg")
    #expect(result.changedCount == 1 && result.publishingFailure == nil)
    #expect(result.value.name == "alps.jpg" && result.value.size == 7)
    try bob.importAll()
    let entry = try #require(try bob.attachments(of: "alps", in: "trips", verifying: true).first)
    #expect(entry.attachment == result.value)
    #expect(entry.path == "/attachments/alps.jpg" && entry.isShown)
    guard case .here(let device) = entry.availability else {
      Issue.record("it is \(entry.availability.word)")
      return
    }
    #expect(device.name == "ann")
    let out = place.root.appending(path: "out.jpg")
    try bob.export(entry.attachment, to: out.path)
    #expect(try Data(contentsOf: out) == Data("a photo".utf8))
    var read: [UInt8] = []
    try bob.read(entry.attachment) { read += $0 }
    #expect(read == Array("a photo".utf8))
    let error = #expect(throws: FeedSyncError.self) {
      try bob.export(entry.attachment, to: out.path)
    }
    #expect(error?.code == .cannotWrite)
    try bob.export(entry.attachment, to: out.path, replacing: true)
  }

  @Test("are stored and read without blocking the caller's thread, too")
  func asynchronous() async throws {
    let result = try await ann.attach(try file("a", "text"), to: "n", in: "notes")
    let out = place.root.appending(path: "out").path
    try await ann.export(result.value, to: out)
    #expect(try String(contentsOfFile: out, encoding: .utf8) == "text")
  }

  @Test("are properties of a program's own types, too")
  func properties() throws {
    let photo = try file("alps.jpg", "a photo")
    try ann.write { try $0.put(Trip(title: "Alps"), at: "alps", in: "trips") }
    let attached = try ann.attach(photo) { attachment, writer in
      try writer.update(Trip.self, at: "alps", in: "trips") { $0.cover = attachment }
    }
    try bob.importAll()
    let trip = try bob.read { try $0.get(Trip.self, at: "alps", in: "trips") }
    #expect(trip == Trip(title: "Alps", cover: attached.value))
    #expect(try bob.attachments(of: "alps", in: "trips").map(\.path) == ["/cover"])
    #expect(try bob.availability(of: attached.value, verifying: true).isHere)
  }

  @Test("that have not arrived are told apart from those that are lost")
  func states() throws {
    let attachment = try ann.attach(try file("a", "text"), to: "n", in: "notes").value
    try bob.importAll()
    let blobs = place.folder.appending(path: "blobs")
    try FileManager.default.removeItem(at: blobs)
    let awaited = #expect(throws: FeedSyncError.self) {
      try bob.export(attachment, to: place.root.appending(path: "out").path)
    }
    #expect(awaited?.code == .tryAgain)
    let lost = #expect(throws: FeedSyncError.self) {
      try ann.export(attachment, to: place.root.appending(path: "out").path)
    }
    #expect(lost?.code == .cannotRead)
    #expect(try bob.availability(of: attachment).word == "awaited")
    #expect(try ann.availability(of: attachment) == .lost)
    #expect(!FileManager.default.fileExists(atPath: place.root.appending(path: "out").path))
    #expect(ann.diagnose().contains { $0.check == "attachments" && $0.severity == .error })
    #expect(bob.diagnose().contains { $0.check == "attachments" && $0.severity == .note })
    // To attach it again heals it, though the document says nothing new.
    #expect(try ann.attach(try file("a", "text"), to: "n", in: "notes").changedCount == 0)
    #expect(try ann.availability(of: attachment, verifying: true).isHere)
  }

  @Test("are awaited from whoever refers to them in another document")
  func otherDocument() throws {
    let attachment = try ann.attach(try file("a", "text"), to: "n", in: "notes").value
    try bob.attach(try file("b", "text"), to: "m", in: "notes")
    try ann.importAll()
    try FileManager.default.removeItem(at: place.folder.appending(path: "blobs"))
    let availability = try ann.availability(of: attachment)
    guard case .awaited(let senders) = availability else {
      Issue.record("it is \(availability.word)")
      return
    }
    #expect(senders.map(\.name) == ["bob"])
    for verifying in [false, true] {
      let entries = try ann.attachments(of: "n", in: "notes", verifying: verifying)
      #expect(entries.map(\.availability) == [availability])
      var listed: [AttachmentAvailability] = []
      try ann.forEachAttachment(verifying: verifying) { listed.append($0.availability) }
      #expect(listed == [availability, availability])
    }
    let findings = ann.diagnose().filter { $0.check == "attachments" }
    #expect(findings.map(\.severity) == [.note])
  }

  @Test("are taken out by name, and what is none is named")
  func removing() throws {
    try ann.attach(try file("a", "text"), to: "n", in: "notes")
    let result = try ann.removeAttachments(["a", "b"], from: "n", in: "notes")
    #expect(result.value == ["b"] && result.changedCount == 1)
    #expect(try ann.attachments(of: "n", in: "notes").isEmpty)
  }

  @Test("never take the place of something else, nor of a document's other members")
  func refused() throws {
    let photo = try file("a", "text")
    try ann.write { writer in
      try writer.put(["attachments": "mine"], at: "n", in: "notes")
      try writer.put(["attachments": ["a": "mine"]], at: "m", in: "notes")
    }
    for id in ["n", "m"] {
      let error = #expect(throws: FeedSyncError.self) {
        try ann.attach(photo, to: id, in: "notes")
      }
      #expect(error?.code == .badInput)
    }
    for name in ["", "..", "a/b", "a\nb", String(repeating: "x", count: 256)] {
      let error = #expect(throws: FeedSyncError.self) {
        try ann.attach(photo, to: "o", in: "notes", as: name)
      }
      #expect(error?.code == .badInput, "\(name)")
    }
    #expect(throws: FeedSyncError.self) { try ann.attach("/none", to: "o", in: "notes") }
    #expect(throws: FeedSyncError.self) { try ann.attach("/etc", to: "o", in: "notes") }
    #expect(try ann.read { try $0.document("o", in: "notes") } == nil)
  }
}
