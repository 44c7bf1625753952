import CanonicalJSON
import ReferenceModel
import Replication

extension ForkHistory {
  mutating func read(on device: Int, _ key: DocumentKey) {
    let core = devices[device].core
    let state = core.state(of: key)
    let view = state.view()
    guard let body = view.json,
      let token = VersionToken(
        of: view, in: state, frontier: core.frontier, digest: SimulatedDevice.digest)
    else { return }
    devices[device].reads.append(Read(key: key, token: token, body: body))
  }

  mutating func write(on device: Int, _ random: inout SplitMix) throws {
    guard var draft = devices[device].core.beginDraft(wall: wall) else { return }
    if !devices[device].reads.isEmpty, random.chance(20) {
      let read = random.pick(devices[device].reads)
      let wanted = random.edited(read.body)
      guard put(wanted, on: read.key, token: read.token, device, &draft) else { return }
    } else {
      let key = random.pick(keys)
      let core = devices[device].core
      if core.isNewer, random.chance(40) {
        guard let plan = core.state(of: key).planNewer(frontier: core.frontier, &random) else {
          return
        }
        devices[device].core.perform(
          plan, wanted: core.state(of: key).view().json, at: key, in: &draft)
      } else if hasKinds, random.chance(40) {
        let state = core.state(of: key)
        let (path, edit) = (random.memberPath(), random.kindEdit())
        guard case .write(let plan, let body) = state.plan(edit, at: path, frontier: core.frontier),
          state.newerPath(touchedBy: plan) == nil
        else { return }
        devices[device].core.perform(plan, wanted: body, at: key, in: &draft)
      } else if random.chance(20) {
        guard let plan = core.state(of: key).planDelete(frontier: core.frontier) else { return }
        devices[device].core.perform(plan, wanted: nil, at: key, in: &draft)
      } else {
        let body = core.state(of: key).view().json
        let wanted = body.map { random.edited($0) } ?? random.document()
        guard put(wanted, on: key, token: nil, device, &draft) else { return }
      }
    }
    if let sent = devices[device].core.commit(draft) { try record([sent], by: device) }
    let released = devices[device].core.releaseRemovals(wall: wall)
    try record(released, by: device)
    try check(device, draft.changed.union(released.flatMap(\.operations).map(\.document)))
  }

  private mutating func put(
    _ wanted: JSON, on key: DocumentKey, token: VersionToken?, _ device: Int,
    _ draft: inout SimulatedDevice.Draft
  ) -> Bool {
    let core = devices[device].core
    let outcome = core.state(of: key, in: draft).plan(
      writing: wanted, token: token, frontier: core.frontier, digest: SimulatedDevice.digest)
    guard case .write(let plan) = outcome,
      core.state(of: key, in: draft).newerPath(touchedBy: plan) == nil
    else { return false }
    devices[device].core.perform(plan, wanted: wanted, at: key, in: &draft)
    return true
  }
}
