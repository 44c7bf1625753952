/// What an operation does, as far as merging needs to know it (protocol.md 9, 17).
///
/// `cover` and `carriesValue` are the frozen envelope: they stand in every segment beside the code,
/// so that a version that does not know the code still covers rightly.
package struct OperationKind: Hashable, Sendable {
  /// Which operations that its author had seen an operation covers.
  package enum Cover: UInt8, Sendable {
    /// None.
    case nothing = 0
    /// Those at or below its path.
    case path = 1
    /// Those of the whole document, until an edit that had not seen it undoes the delete.
    case document = 2
  }

  package let code: UInt8
  package let cover: Cover
  package let carriesValue: Bool

  package init(code: UInt8, cover: Cover, carriesValue: Bool) {
    self.code = code
    self.cover = cover
    self.carriesValue = carriesValue
  }

  /// Gives the path a value.
  package static let set = OperationKind(code: 0, cover: .path, carriesValue: true)
  /// Makes the path an object without members.
  package static let clear = OperationKind(code: 1, cover: .path, carriesValue: true)
  /// Takes away what stands at and below the path.
  package static let remove = OperationKind(code: 2, cover: .path, carriesValue: false)
  /// Deletes the document.
  package static let delete = OperationKind(code: 3, cover: .document, carriesValue: false)
  /// Adds an amount to the counter at the path, whatever others add (protocol.md 14).
  package static let increment = OperationKind(code: 4, cover: .nothing, carriesValue: true)
  /// Makes the path a counter that starts with a number.
  package static let counter = OperationKind(code: 5, cover: .path, carriesValue: true)
  /// Puts the element that the path's last key names into the set above it (protocol.md 15).
  package static let add = OperationKind(code: 6, cover: .path, carriesValue: true)
  /// Makes the path a set without elements.
  package static let emptySet = OperationKind(code: 7, cover: .path, carriesValue: true)

  /// The kinds of this version, by their codes.
  package static let known: [OperationKind] = [
    .set, .clear, .remove, .delete, .increment, .counter, .add, .emptySet,
  ]

  /// Whether this version knows what the operation means, not just what it covers.
  package var isUnderstood: Bool { Int(code) < Self.known.count }

  /// Whether code and envelope fit together; a known code has one envelope only.
  package var isConsistent: Bool { !isUnderstood || self == Self.known[Int(code)] }

  /// What documentation and dumps call it.
  package var name: String {
    switch self {
    case .set: "set"
    case .clear: "clear"
    case .remove: "remove"
    case .delete: "delete"
    case .increment: "increment"
    case .counter: "counter"
    case .add: "add"
    case .emptySet: "empty-set"
    default: "unknown-\(code)"
    }
  }
}

/// Some of the sixteen codes that a kind can have.
///
///     var newer = KindCodes()
///     newer.insert(operation.kind)
///     newer.subtracting(.understood).isEmpty  // whether this program understands all of them
package struct KindCodes: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package init(_ kind: OperationKind) { self.init(rawValue: 1 << UInt16(kind.code & 15)) }

  /// Those that this version understands.
  package static let known = KindCodes(OperationKind.known.map { KindCodes($0) })

  /// Those that the program understands: this version's, but where the simulator has a device run a
  /// newer one, which knows a kind that shows nothing.
  ///
  /// It decides what is claimed, and what is not written over; not what shows.
  @TaskLocal package static var understood = KindCodes.known

  /// Those of these that the program does not understand.
  package var newer: KindCodes {
    let codes = subtracting(.known)
    return codes.isEmpty ? codes : codes.subtracting(.understood)
  }
}
