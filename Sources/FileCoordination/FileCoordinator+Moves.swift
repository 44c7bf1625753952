import SystemPackage

extension FileCoordinator {
  /// Says that an item has another path now, inside of the accessor that moved it.
  ///
  /// Accesses that wait for the item will get its new path, except those that replace what has the
  /// old name. Presenters of the item, of what is in it and of folders around it are told. Where
  /// nothing has moved it does nothing. Who claims the new path may come before this is heard of:
  /// an access that writes both paths keeps others from both.
  ///
  /// - throws: ``CoordinationError/notWriting(path:)`` outside of an accessor of this coordinator
  ///   that writes the item.
  public func item(at path: FilePath, didMoveTo new: FilePath) throws {
    let anywhere = try ItemResolver(folder: nil)
    let old = try anywhere.resolve(path, followingLink: false).path
    let target = try resolver.resolve(new, followingLink: false).path
    guard let found = mover(of: old) else {
      throw CoordinationError.notWriting(path: path.string)
    }
    guard old != target else { return }
    let moved = ClaimedItem(target, found.item.options)
    // Before it is said: the arbiter may end in between.
    try node.extend(found.claim, by: moved, movedFrom: old)
    try node.post(.moved(claim: found.claim, from: old, to: target))
    // It may go further from there.
    state.withLock { state in
      state.active[found.claim]?.add(moved)
      for claim in state.active.keys { state.active[claim]?.follow(from: old, to: target) }
    }
    if let own = presenter.value.flatMap({ node.presenters.key(of: $0) }) {
      node.presenters.noteMove(by: own, from: old, to: target)
      // Where it cannot be written, what this process says when it is back is right all the same.
      try? node.notePresented(own)
    }
  }

  /// Which access moves an item, and as which of its own: where one is inside of another, one that
  /// takes contents along, since the new name is claimed likewise, or else the outer one.
  private func mover(of item: ItemPath) -> (claim: CoordinationKey, item: ClaimedItem)? {
    let writers = state.withLock { state in
      state.active.compactMap { key, items in
        items.mover(of: item).map { (claim: key, item: $0) }
      }
    }.sorted { $0.claim.number < $1.claim.number }
    return writers.first(where: \.item.takesContentsAlong) ?? writers.first
  }
}
