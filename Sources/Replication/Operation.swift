import CanonicalJSON

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

  /// Whether this version knows what the operation means, not just what it covers.
  package var isUnderstood: Bool { code <= Self.delete.code }

  /// Whether code and envelope fit together; a known code has one envelope only.
  package var isConsistent: Bool {
    switch code {
    case Self.set.code: self == .set
    case Self.clear.code: self == .clear
    case Self.remove.code: self == .remove
    case Self.delete.code: self == .delete
    default: true
    }
  }
}

/// One step of a transaction: something done to one path of one document.
package struct Operation: Hashable, Sendable {
  package let document: DocumentKey
  /// The `clear` of the root that made the document which this operation edits; an insert names
  /// itself (protocol.md 13).
  package let insert: Dot
  package let path: Path
  package let kind: OperationKind
  /// The value of a `set`, or what a kind unknown to this version carries; empty for others.
  package let payload: [UInt8]

  package init(
    document: DocumentKey, insert: Dot, path: Path, kind: OperationKind, payload: [UInt8] = []
  ) {
    self.document = document
    self.insert = insert
    self.path = path
    self.kind = kind
    self.payload = payload
  }
}

/// What a device wrote at once, and what it had seen then (protocol.md 1, 2, 8).
package struct Transaction: Sendable {
  package struct Header: Hashable, Sendable {
    package let stream: StreamID
    package let sequence: UInt64
    package let time: HybridTime
    /// What the author had seen; it has an entry for the author's own stream unless it is the
    /// first transaction.
    package let context: Context
    /// A random number of the process that wrote it: two clones never agree on it.
    package let nonce: UInt64
    package let fingerprint: Fingerprint

    package init(
      stream: StreamID, sequence: UInt64, time: HybridTime, context: Context, nonce: UInt64,
      fingerprint: Fingerprint
    ) {
      self.stream = stream
      self.sequence = sequence
      self.time = time
      self.context = context
      self.nonce = nonce
      self.fingerprint = fingerprint
    }

    /// The stamp of the operation at `index`.
    package func stamp(_ index: Int) -> Stamp {
      Stamp(
        time: time,
        dot: Dot(stream: stream, sequence: sequence, index: UInt32(truncatingIfNeeded: index)),
        fingerprint: fingerprint)
    }

    /// What having applied this transaction, and all before it, means in a context.
    package var tip: Context.Entry {
      Context.Entry(stream: stream, sequence: sequence, fingerprint: fingerprint)
    }
  }

  package let header: Header
  package let operations: [Operation]

  package init(header: Header, operations: [Operation]) {
    self.header = header
    self.operations = operations
  }
}
