import CanonicalJSON
import DocumentStorage
import FeedSync

/// How a query finds its documents, in words and as JSON.
struct ExplanationText {
  private let plan: QueryPlan
  private let suggestion: MemberPath?
  private let collection: ByteString?

  init(_ explanation: QueryExplanation) {
    plan = explanation.plan
    suggestion = explanation.suggestion
    collection = explanation.collection
  }

  var lines: [String] {
    var lines = plan.steps.map { words(for: $0) }
    if plan.steps.isEmpty { lines.append("reads no documents") }
    if plan.readsEveryCollection, plan.verdict != .scan {
      lines.append("does so in every collection, since none is named")
    }
    lines += plan.sorts.map { "gathers and sorts what it found for \($0)" }
    if let suggestion {
      let name = collection.map { ShellWord.quoted($0.description) } ?? "COLLECTION"
      lines.append(
        "an index would help: feedsync index create \(name) \(ShellWord.quoted(suggestion.pointer))"
          + (collection == nil ? ", with the collection's name for COLLECTION" : ""))
    }
    return lines
  }

  private func words(for step: QueryPlan.Step) -> String {
    switch step {
    case .document: "finds documents by their ids"
    case .ids: "finds documents in a range of ids"
    case .index(let member, .value): "finds documents by the index on \(member.pointer)"
    case .index(let member, .range):
      "finds documents in a range of the index on \(member.pointer)"
    case .index(let member, .order):
      "reads documents in the order of the index on \(member.pointer)"
    case .scan:
      plan.readsEveryCollection
        ? "scans every document of every collection" : "scans every document of a collection"
    }
  }

  var json: JSON {
    .object([
      "verdict": .text(plan.verdict.rawValue), "steps": .array(plan.steps.map { json(for: $0) }),
      "every_collection": .bool(plan.readsEveryCollection),
      "sorts": .array(plan.sorts.map { .text($0) }),
      "suggestion": suggestion.map { .text($0.pointer) } ?? .null,
      "collection": suggestion == nil ? .null : collection.map { .string($0) } ?? .null,
      "sqlite": .array(plan.details.map { .text($0) }),
    ])
  }

  private func json(for step: QueryPlan.Step) -> JSON {
    switch step {
    case .document: .object(["access": .text("id")])
    case .ids: .object(["access": .text("ids")])
    case .scan: .object(["access": .text("scan")])
    case .index(let member, let use):
      .object([
        "access": .text("index"), "path": .text(member.pointer), "use": .text(use.rawValue),
      ])
    }
  }
}
