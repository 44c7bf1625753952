import CanonicalJSON
import Replication

/// What a document shows, stored with its state where that alone does not tell.
///
/// Whoever renders a row has its bytes and nothing else, as an index must: what a context means of
/// a stream that has branches, they do not say (protocol.md 26), nor whether an insert has come.
/// Nearly no document has one.
struct Rendering: Equatable {
  /// The canonical body; nil if the document does not show.
  let body: [UInt8]?

  /// Nil where the state shows the same without knowledge of the streams.
  init?(of state: DocumentState) {
    guard state.dependsOnBranches || state.hasOrphans else { return nil }
    let body = state.view().body
    guard body != state.withoutLineage.view().body else { return nil }
    self.body = body
  }

  /// Reads what follows ``StateCoding/renderedVersion``.
  init(from reader: inout StoredBytes) throws {
    let isVisible = try reader.byte() == 1
    let bytes = try reader.block().array
    body = isVisible ? bytes : nil
  }

  /// What is stored in front of a state; nil if nothing is.
  init?(inFrontOf state: UnsafeBufferPointer<UInt8>) throws {
    guard state.first == StateCoding.renderedVersion else { return nil }
    var reader = StoredBytes(Array(state.dropFirst()))
    try self.init(from: &reader)
  }

  func write(into output: inout [UInt8]) {
    output.append(body == nil ? 0 : 1)
    output.appendBlock(body ?? [])
  }
}
