import CanonicalJSON
import Foundation
import Testing

@Suite("The commands on attachments") struct AttachCommandTests {
  private let machine: Machine
  private let bob: [String: String]
  private var photo: URL { machine.root.appending(path: "photo.jpg") }

  init() throws {
    machine = try Machine()
    bob = try machine.joined("bob")
    try Data("a photo".utf8).write(to: photo)
  }

  private func blobs() throws -> [URL] {
    let root = machine.folder.appending(path: "blobs")
    return try FileManager.default.contentsOfDirectory(
      at: root, includingPropertiesForKeys: nil
    ).flatMap {
      try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
  }

  @Test("attach, list, get, verify and remove, here and on another machine")
  func story() throws {
    #expect(try machine.feedsync("attach", "notes", "n", photo.path).output == "")
    let again = try machine.feedsync(
      "attach", "notes", "n", photo.path, "--as", "other.jpg", "--type", "image/jpeg", "--format",
      "json")
    let attachment = try #require(try again.json().object?["attachment"]?.object)
    #expect(attachment.keys == ["name", "sha256", "size", "type"])
    #expect(attachment["type"]?.text == "image/jpeg")
    #expect(try blobs().map(\.lastPathComponent) == [attachment["sha256"]?.text])
    try FileManager.default.removeItem(at: photo)
    try machine.feedsync("import", environment: bob)
    #expect(
      try machine.feedsync("attachments", environment: bob).output
        == "here\t7\tnotes/n\tother.jpg\nhere\t7\tnotes/n\tphoto.jpg\n")
    let get = try machine.feedsync(
      "attachments", "get", "notes", "n", "photo.jpg", environment: bob)
    #expect(get.output == "a photo")
    let out = machine.root.appending(path: "out").path
    let write = ["attachments", "get", "notes", "n", "/attachments/other.jpg", "-o", out]
    #expect(try Command.run(write, environment: bob).status == 0)
    #expect(try String(contentsOfFile: out, encoding: .utf8) == "a photo")
    #expect(try Command.run(write, environment: bob).status == 73)
    #expect(try Command.run(write + ["--force"], environment: bob).status == 0)
    #expect(try machine.feedsync("attachments", "verify", environment: bob).status == 0)
    let remove = try machine.feedsync(
      "attachments", "remove", "notes", "n", "photo.jpg", "none", environment: bob)
    #expect(remove.status == 1 && remove.errors.contains("'none'"))
    try machine.feedsync("import")
    #expect(try machine.feedsync("attachments", "list", "notes", "n").lines.count == 1)
  }

  @Test("of a document that is not there are not whole")
  func absent() throws {
    try machine.feedsync("put", "notes", "bare", "{}")
    for command in ["list", "verify"] {
      #expect(try machine.feedsync("attachments", command, "notes", "bare").status == 0)
      let run = try machine.feedsync("attachments", command, "notes", "typo", "--format", "json")
      #expect(run.status == 1 && run.output == "")
      #expect(try run.error()["message"]?.text == "there is no document 'typo' in 'notes'")
    }
  }

  @Test("of a pipe or a folder are refused with the way that there is")
  func pipe() throws {
    let fifo = machine.root.appending(path: "fifo").path
    try #require(mkfifo(fifo, 0o600) == 0)
    for file in [fifo, "/dev/null", machine.root.path] {
      let run = try machine.feedsync("attach", "notes", "n", file)
      #expect(run.status == 74 && run.errors.contains("on standard input"), "\(run.errors)")
    }
  }

  @Test("standard input is attached under the name that is given")
  func standardInput() throws {
    let attach = try machine.feedsync(
      "attach", "notes", "n", "-", "--as", "in.txt", input: "piped")
    #expect(attach.status == 0, "\(attach.errors)")
    #expect(try machine.feedsync("attachments", "get", "notes", "n", "in.txt").output == "piped")
    #expect(try machine.feedsync("attach", "notes", "n", "-").status == 64)
  }

  @Test("the statuses tell missing, not arrived, damaged and lost apart")
  func statuses() throws {
    try machine.feedsync("attach", "notes", "n", photo.path)
    try machine.feedsync("import", environment: bob)
    let blob = try #require(try blobs().first)
    func get(_ environment: [String: String]) throws -> CommandRun {
      try machine.feedsync(
        "attachments", "get", "notes", "n", "photo.jpg", "--format", "json",
        environment: environment)
    }
    let none = try machine.feedsync("attachments", "get", "notes", "n", "x", environment: bob)
    #expect(none.status == 1)
    try Data("a phot".utf8).write(to: blob)
    let damaged = try get(bob)
    #expect(damaged.status == 74 && damaged.output == "")
    #expect(try damaged.error()["message"]?.text?.contains("ends after 6 of 7") == true)
    let verify = try machine.feedsync("attachments", "verify", "--format", "json", environment: bob)
    #expect(verify.status == 1)
    let line = try #require(try verify.json().object)
    #expect(line["state"]?.text == "damaged")
    #expect(line["damaged"]?.elements?.count == 1)
    #expect(line["from"]?.elements?.first?.object?["name"]?.text == "ann")
    try FileManager.default.removeItem(at: blob)
    #expect(try get(bob).status == 75)
    let lost = try get(machine.environment)
    #expect(lost.status == 74)
    #expect(try lost.error()["message"]?.text?.contains("is lost") == true)
    #expect(try machine.feedsync("doctor").output.contains("is lost"))
  }

  @Test("links, FIFOs and directories in the folder are refused, and left as they are")
  func hostile() throws {
    try machine.feedsync("attach", "notes", "n", photo.path)
    let blob = try #require(try blobs().first)
    try FileManager.default.removeItem(at: blob)
    try FileManager.default.createSymbolicLink(at: blob, withDestinationURL: photo)
    let get = try machine.feedsync("attachments", "get", "notes", "n", "photo.jpg")
    #expect(get.status == 74 && get.errors.contains("symbolicLink"))
    #expect(try machine.feedsync("attach", "notes", "n", photo.path).status == 73)
    let blobs = machine.folder.appending(path: "blobs")
    let elsewhere = machine.root.appending(path: "elsewhere")
    try FileManager.default.moveItem(at: blobs, to: elsewhere)
    try FileManager.default.createSymbolicLink(at: blobs, withDestinationURL: elsewhere)
    let attach = try machine.feedsync("attach", "notes", "m", photo.path)
    #expect(attach.status == 73 && attach.errors.contains("symbolicLink"))
    #expect(try machine.feedsync("get", "notes", "m").status == 1)
  }

  @Test("blobs are no files of the logs: no import, no status and no doctor minds them")
  func unminded() throws {
    try machine.feedsync("attach", "notes", "n", photo.path)
    try Data("stray".utf8).write(to: machine.folder.appending(path: "blobs/stray.txt"))
    #expect(try machine.feedsync("import", environment: bob).status == 0)
    #expect(try machine.feedsync("doctor", environment: bob).output.contains("blobs") == false)
    let status = try machine.feedsync("status", environment: bob)
    #expect(!status.output.contains("blobs") && !status.output.contains("foreign"))
  }

  @Test("compact says what became of blobs")
  func compacting() throws {
    try machine.feedsync("settings", "set", "grace", "0")
    try machine.feedsync("attach", "notes", "n", photo.path)
    try machine.feedsync("attachments", "remove", "notes", "n", "photo.jpg")
    let compact = try machine.feedsync("compact", "--format", "json").json().object
    let blobs = try #require(compact?["blobs"]?.object)
    #expect(blobs["removed"] == .integer(1) && blobs["removed_bytes"] == .integer(7))
    #expect(try self.blobs().map(\.lastPathComponent) == [])
  }
}
