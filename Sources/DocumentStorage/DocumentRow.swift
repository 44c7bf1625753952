import Replication

/// What is stored of a document beside its key, found out without the database.
struct DocumentRow: Sendable {
  /// Where its state stands among those that were made with it.
  let state: Range<Int>
  /// Whether it shows.
  let isVisible: Bool
  let conflictCount: Int
  /// How many removals wait.
  let pending: Int
  let newer: KindCodes
  let provisionalLevel: Int

  /// - parameters:
  ///   - encoder: Appends the state to `states`.
  ///   - number: Gives the local number of a stream.
  init(
    of state: DocumentState, by encoder: inout StateEncoder, to states: inout [UInt8],
    number: (StreamID) throws -> Int64
  ) throws {
    (isVisible, conflictCount) = state.summary()
    let start = states.count
    try encoder.append(state, to: &states, number: number)
    self.state = start..<states.count
    pending = state.pending.count
    newer = state.newerKinds
    provisionalLevel = state.provisionalLevel
  }
}
