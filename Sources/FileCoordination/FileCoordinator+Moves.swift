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
    let found = state.withLock { state in
      state.active.lazy.compactMap { key, items in
        items.mover(of: old).map { (claim: key, item: $0) }
      }.first
    }
    guard let found else { throw CoordinationError.notWriting(path: path.string) }
    guard old != target else { return }
    let moved = ClaimedItem(target, found.item.options)
    // Before it is said: the arbiter may end in between.
    try node.extend(found.claim, by: moved)
    try node.post(.moved(claim: found.claim, from: old, to: target))
    // It may go further from there.
    state.withLock { $0.active[found.claim]?.append(moved) }
    if let own = presenter.value.flatMap({ node.presenters.key(of: $0) }) {
      node.presenters.noteMove(by: own, from: old, to: target)
      // Where it cannot be written, what this process says when it is back is right all the same.
      try? node.notePresented(own)
    }
  }
}
