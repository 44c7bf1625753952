import CanonicalJSON
import ReferenceModel
import Replication

extension PlainModel.Kind {
  /// A lane that brings a new kind of operation adds it here and to the model.
  init(_ operation: Replication.Operation) throws {
    switch operation.kind {
    case .set: self = .set(Leaf(unchecked: operation.payload).json)
    case .clear: self = .clear
    case .remove: self = .remove
    case .delete: self = .delete
    case .increment:
      guard let amount = CounterAmount.increment(of: operation.payload) else {
        throw Finding("an increment cannot be read")
      }
      self = .increment(amount)
    case .counter:
      let start = CounterStart(payload: operation.payload)
      self = .start(
        start?.number ?? 0, mark: start?.mark ?? 0,
        counted: Set(
          (start?.counted ?? []).map {
            PlainModel.Counted(
              stream: $0.dot.stream.rawValue, sequence: $0.dot.sequence,
              index: Int($0.dot.index), fingerprint: $0.fingerprint.rawValue)
          }))
    case .add: self = .add
    case .emptySet: self = .emptySet
    case Forerunner.remark: self = .newer(cover: .nothing, carriesValue: true)
    default: throw Finding("the model does not know operations of kind \(operation.kind.code)")
    }
  }
}
