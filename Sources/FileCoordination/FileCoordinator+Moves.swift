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
    let writers = writers(of: old)
    guard let mover = writers.first else { throw CoordinationError.notWriting(path: path.string) }
    guard old != target else { return }
    for (claim, item) in writers {
      let moved = ClaimedItem(target, item.options)
      // Before it is said: the arbiter may end in between.
      try node.extend(claim, by: moved)
      if claim == mover.claim {
        try node.post(.moved(claim: claim, from: old, to: target))
      } else {
        // One access may be inside of another, which goes on by the new name.
        node.sayAnew(claim)
      }
      // It may go further from there.
      state.withLock { $0.active[claim]?.append(moved) }
    }
    if let own = presenter.value.flatMap({ node.presenters.key(of: $0) }) {
      node.presenters.noteMove(by: own, from: old, to: target)
      // Where it cannot be written, what this process says when it is back is right all the same.
      try? node.notePresented(own)
    }
  }

  /// The accesses that take place and write an item, and as which of their items: first one that
  /// takes contents along, if there is any, since waiting accesses go by that.
  private func writers(
    of item: ItemPath
  ) -> [(claim: CoordinationKey, item: ClaimedItem)] {
    let found = state.withLock { state in
      state.active.compactMap { key, items in
        items.mover(of: item).map { (claim: key, item: $0) }
      }
    }.sorted { $0.claim.number < $1.claim.number }
    return found.filter(\.item.takesContentsAlong) + found.filter { !$0.item.takesContentsAlong }
  }
}
