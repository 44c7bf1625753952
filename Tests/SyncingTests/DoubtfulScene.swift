import Syncing
import SystemFiles

/// A reader has what ann wrote, and what bob wrote who had seen ann's clone instead: whether bob
/// had seen what ann wrote, nobody can tell until the clone's branch arrives.
struct DoubtfulScene {
  let world: World
  let twin: Peer
  let reader: Peer

  /// - parameter write: writes what ann and her clone do; bob's write follows.
  init(_ write: (_ ann: Peer, _ twin: Peer) throws -> Void) throws {
    world = try World()
    let ann = try world.loner("ann")
    twin = try BranchTests.clone(of: ann, in: try world.folder("twin"), world: world)
    let bob = try world.loner("bob")
    reader = try world.loner("reader")
    try write(ann, twin)
    for peer in [ann, twin] { try peer.publish() }
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: bob.folder) }
    try bob.importAll()
    world.advance(milliseconds: 10)
    try bob.put("x", #"{"b":2}"#)
    try bob.publish()
    let written =
      try world.logs(in: ann.folder)
      + world.logs(in: bob.folder).filter { $0.directory == bob.directory }
    for file in written { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }

  func deliverTheBranch() throws {
    for file in try world.logs(in: twin.folder) { try world.deliver(file, to: reader.folder) }
    try reader.importAll()
  }
}
