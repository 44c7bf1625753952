import ArgumentParser
import CanonicalJSON
import Replication
import SegmentFormat

/// One line of a workload.
struct WorkloadTransaction {
  /// What is done to one document.
  enum Edit {
    case patch(DocumentKey, JSON)
    case delete(DocumentKey)
  }

  let device: Int64
  var time: HybridTime
  var round: Int64
  let edits: [Edit]

  init(parsing line: [UInt8]) throws {
    guard case .object(let object) = try JSON(parsing: line),
      case .integer(let device) = object["d"], case .integer(let clock) = object["t"],
      case .integer(let round) = object["r"], case .array(let operations) = object["ops"]
    else { throw ValidationError("a line of the workload is not a transaction") }
    self.device = device
    time = HybridTime(milliseconds: clock >> 12, counter: UInt16(clock & 0xFFF))
    self.round = round
    edits = try operations.map { try Edit($0) }
  }
}

extension WorkloadTransaction.Edit {
  fileprivate init(_ operation: JSON) throws {
    guard case .array(let parts) = operation, parts.count == 3,
      case .string(let document) = parts[0]
    else { throw ValidationError("an operation is not [document, field, value]") }
    let key = DocumentKey(collection: "items", id: document)
    switch parts[1] {
    case .null: self = .delete(key)
    case .string(let field):
      var patch = JSONObject()
      patch[field] = parts[2]
      self = .patch(key, .object(patch))
    default: throw ValidationError("a field is not a string")
    }
  }

  /// The document.
  var key: DocumentKey {
    switch self {
    case .patch(let key, _), .delete(let key): key
    }
  }

  /// The steps of it, and the body that comes out; nil if it changes nothing.
  func plan(on state: DocumentState, _ frontier: Frontier) -> (plan: EditPlan, body: JSON?)? {
    switch self {
    case .delete: return state.planDelete(frontier: frontier).map { ($0, nil) }
    case .patch(_, let patch):
      let body = (state.view().json ?? .object(JSONObject())).mergePatched(with: patch)
      let outcome = state.plan(
        writing: body, patch: patch, rewritesEqual: true, frontier: frontier,
        digest: Digest.token)
      guard case .write(let plan) = outcome else { return nil }
      return (plan, body)
    }
  }
}
