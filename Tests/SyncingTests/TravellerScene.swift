import DocumentStorage
import Replication
import SharedFolder
import Syncing
import SystemPackage
import Testing

/// Ann and Bob share a folder; Dan has been away for longer than they wait for anybody, and edited
/// a document that they have deleted and forgotten meanwhile (protocol.md 24).
///
/// He has a database on a disk, so that it can be put aside or go.
struct TravellerScene {
  let world: World
  let ann: Peer
  let bob: Peer
  /// Dan's machine, and his copy of the folder.
  let house: Household
  let away: FilePath
  private let disk: World
  private let folder: FilePath

  init() throws {
    world = try World()
    folder = try world.folder("shared")
    ann = try world.peer("ann", in: folder)
    bob = try world.peer("bob", in: folder)
    (disk, house, away) = try RecoveryScene.newcomer()
    try write("first")
  }

  /// Ann writes a document, in a file of its own.
  func write(_ id: String) throws {
    try ann.put(id, #"{"n":1,"tags":{"x":true}}"#)
    try ann.publish()
  }

  /// Dan edits a document while the others delete and forget it; nothing of that has come to him.
  ///
  /// It is in none of the files with which Ann's stream begins.
  ///
  /// - returns: what he shows of it.
  func edit(_ id: String) throws -> String? {
    try write(id)
    try send()
    let dan = try house.open()
    try dan.importAll()
    try dan.put(id, #"{"edited":true,"n":1,"tags":{"x":true}}"#)
    let seen = try dan.body(id)
    try forget(id)
    return seen
  }

  /// Bob deletes a document, and everybody at home forgets it.
  func forget(_ id: String) throws {
    try bob.importAll()
    try bob.delete(id)
    try bob.publish()
    try bob.put("other", "{}")
    try bob.publish()
    for _ in 0..<30 {
      world.advance(milliseconds: CompactionLimits.week)
      for peer in [ann, bob] {
        try peer.hearAndSay()
        try peer.hearAndSay()
        _ = try Compactor(device: peer.device, limits: .small()).run()
      }
    }
    let left = try world.logs(in: folder).flatMap { try $0.decoded().segment.transactions }
      .flatMap(\.operations).filter { $0.document == Peer.key(id) && $0.kind != .delete }
    // The deletion may stay, in a file that is not worth writing anew for it.
    #expect(left.isEmpty, "\(left)")
  }

  /// Dan's folder has what an author has in the other one, and no more of that one's.
  func send(of authors: [Peer]) throws {
    let directories = authors.map(\.directory)
    let files = try world.logs(in: folder).filter { directories.contains($0.directory) }
    let present = Set(files.map(\.key))
    for file in try disk.logs(in: away)
    where directories.contains(file.directory) && !present.contains(file.key) {
      try disk.remove(file.path(in: away))
    }
    for file in files { try disk.deliver(file, to: away) }
  }

  func send() throws { try send(of: [ann, bob]) }

  /// Dan's folder gets each file from which Ann has dropped something, beside what it has, in a
  /// form in which he cannot read it.
  ///
  /// - returns: how many those are.
  func sendReduced(as form: BadFile) throws -> Int {
    let files = try world.logs(in: folder).filter { file in
      try file.directory == ann.directory && file.decoded().segment.isReduced
    }
    for file in files { try form.place(file, in: away, of: disk) }
    return files.count
  }

  /// The others get what is new in Dan's folder.
  func bring() throws {
    let present = Set(try world.logs(in: folder).map(\.key))
    for file in try disk.logs(in: away) where !present.contains(file.key) {
      try world.deliver(file, to: folder)
    }
    for peer in [ann, bob] { try peer.importAll() }
  }

  /// Ann and Bob show a document, and list it as edited beside its deletion.
  func expect(_ body: String?, of id: String) throws {
    for peer in [ann, bob] {
      #expect(try peer.body(id) == body)
      let listed = try peer.conflicts(of: id)
      #expect(listed.count == 1 && listed.allSatisfy { $0.hasPrefix("delete : ") }, "\(listed)")
    }
  }
}
