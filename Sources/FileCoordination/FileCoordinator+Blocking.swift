import SystemPackage

extension FileCoordinator {
  /// Reads an item, on this thread, when its turn has come.
  ///
  ///     let text = try coordinator.read("/home/ann/Sync/notes.txt") { path in
  ///       try String(contentsOfFile: path.string, encoding: .utf8)
  ///     }
  ///
  /// - parameters:
  ///   - timeout: how long to wait at most; nil: for as long as it takes.
  ///   - accessor: gets the path that the item has by then.
  /// - throws: ``CoordinationError``, and what the accessor throws.
  public func read<Result>(
    _ path: FilePath, _ options: FileAccessIntent.ReadingOptions = [], timeout: Duration? = nil,
    _ accessor: (FilePath) throws -> Result
  ) throws -> Result {
    try coordinate([.reading(path, options)], timeout: timeout) { try accessor($0[0]) }
  }

  /// Writes an item, on this thread, when its turn has come.
  ///
  /// - throws: ``CoordinationError``, and what the accessor throws.
  @discardableResult
  public func write<Result>(
    _ path: FilePath, _ writing: FileAccessIntent.Writing = .plain, timeout: Duration? = nil,
    _ accessor: (FilePath) throws -> Result
  ) throws -> Result {
    try coordinate([.writing(path, writing)], timeout: timeout) { try accessor($0[0]) }
  }

  /// Accesses several items as one, on this thread: all are claimed together or none.
  ///
  /// - parameter accessor: gets the paths in the order of the intents.
  /// - throws: ``CoordinationError``, and what the accessor throws.
  @discardableResult
  public func coordinate<Result>(
    _ intents: [FileAccessIntent], timeout: Duration? = nil,
    _ accessor: ([FilePath]) throws -> Result
  ) throws -> Result {
    try checkQueue(before: intents)
    let access = try PendingAccess(intents, by: self, timeout: timeout)
    let waiter = Waiter<[ItemPath]>()
    try access.begin { waiter.finish($0) }
    let paths = try access.wait(waiter)
    return try access.run(paths, accessor)
  }

  /// Refuses to wait for an answer that the calling thread is to give.
  func checkQueue(before intents: [FileAccessIntent]) throws(CoordinationError) {
    let own = presenter.value.flatMap { node.presenters.key(of: $0) }
    guard !node.presenters.servesPresenter(otherThan: own) else {
      throw .onPresentersQueue(path: intents.first?.path.string ?? "")
    }
  }
}
