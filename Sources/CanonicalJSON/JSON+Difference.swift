extension JSON {
  /// The members that differ between this object and another, as an object of their keys.
  package func differing(from other: JSON) -> JSON {
    guard case .object(let old) = self, case .object(let new) = other else { return true }
    var named = JSONObject()
    for member in old.members where new[member.key] == nil { named[member.key] = true }
    for (key, value) in new.members where old[key] != value {
      named[key] = old[key].map { $0.differing(from: value) } ?? true
    }
    return .object(named)
  }
}
