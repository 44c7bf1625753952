import Replication

/// What is stored of a document beside its key, found out without the database.
struct DocumentRow: Sendable {
  let state: [UInt8]
  /// Whether it shows.
  let isVisible: Bool
  let conflictCount: Int
  /// How many removals wait.
  let pending: Int
  let newer: KindCodes
  let provisionalLevel: Int

  /// - parameter number: Gives the local number of a stream.
  init(of state: DocumentState, number: (StreamID) throws -> Int64) throws {
    (isVisible, conflictCount) = state.summary()
    self.state = try StateCoding.encode(state, number: number)
    pending = state.pending.count
    newer = state.newerKinds
    provisionalLevel = state.provisionalLevel
  }
}
