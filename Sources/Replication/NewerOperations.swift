/// Operations of newer versions, whose kinds this one does not understand (protocol.md 17).
///
/// They are kept and cover by their envelopes; what they mean is not shown, and what they may touch
/// is not written.
extension DocumentState {
  /// The kinds of all operations kept.
  package var kinds: KindCodes {
    entries.reduce(into: []) { codes, entry in codes.formUnion(KindCodes(entry.effect.kind)) }
  }

  /// Those of newer versions.
  package var newerKinds: KindCodes { kinds.newer }

  /// The paths, sorted, at which they do something: show a value or take one away.
  package func newerPaths() -> [Path] {
    guard hasNewer else { return [] }
    let (newer, visible) = (newerKinds, Set(visibility().values))
    let paths = entries.indices.filter { index in
      let kind = entries[index].effect.kind
      return newer.contains(KindCodes(kind)) && (!kind.carriesValue || visible.contains(index))
    }.map { entries[$0].effect.path }
    return Set(paths).sorted()
  }

  private var hasNewer: Bool { entries.contains { !$0.effect.kind.isUnderstood } }

  /// The first path of one of which the insert is not here.
  ///
  /// Who takes it away takes away what led up to it, which nobody here has seen: it may be a value
  /// that it only says something about.
  private func newerOrphanPath() -> Path? {
    guard hasNewer else { return nil }
    let newer = newerKinds
    return visibility().orphans.map { entries[$0].effect }
      .filter { newer.contains(KindCodes($0.kind)) }.map(\.path).min()
  }

  /// The first path of theirs that `plan` would write at, above or below; nil if there is none.
  ///
  /// Deleting the document is allowed: by the envelope it is known what that takes away.
  package func newerPath(touchedBy plan: EditPlan) -> Path? {
    if plan.settlesOrphans, plan.steps.contains(where: { $0.kind != .delete }),
      let path = newerOrphanPath()
    {
      return path
    }
    return newerPaths().first { path in
      plan.steps.contains { step in
        step.kind != .delete
          && (path.isAtOrBelow(step.path) || step.path.isAtOrBelow(path))
      }
    }
  }
}
