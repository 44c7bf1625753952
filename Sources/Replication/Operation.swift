/// One step of a transaction: something done to one path of one document.
package struct Operation: Hashable, Sendable {
  package let document: DocumentKey
  /// The `clear` of the root that made the document which this operation edits; an insert names
  /// itself (protocol.md 13).
  package let insert: Dot
  package let path: Path
  package let kind: OperationKind
  /// The value of a `set`, the amount of an `increment`, the start of a `counter`, or what a kind
  /// unknown to this version carries; empty for others.
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
  package let operations: OperationList
  /// What is missing of it; nil if it is whole.
  package let reduction: Reduction?

  package init(header: Header, operations: OperationList, reduction: Reduction? = nil) {
    self.header = header
    self.operations = operations
    self.reduction = reduction
  }

  /// Whether it has all operations that it had: one that tells of others of which nothing is left
  /// may.
  package var isWhole: Bool {
    switch reduction {
    case nil: true
    case .leftOut: false
    case .partial(let partial): partial.places.count == partial.count
    }
  }

  /// Whether nothing is left of it but its name.
  package var isLeftOut: Bool {
    if case .leftOut = reduction { return true }
    return false
  }

  /// The places of what is left of it, where that is not all; else each is its index.
  package var places: [Int]? {
    if case .partial(let partial) = reduction { return partial.places }
    return nil
  }

  /// The index by which an operation that is left is named.
  ///
  /// - parameter offset: its index in ``operations``.
  package func place(_ offset: Int) -> Int { places?[offset] ?? offset }

  /// The stamp of an operation that is left, as ``place(_:)`` finds it.
  package func stamp(_ offset: Int) -> Stamp { header.stamp(place(offset)) }
}

extension Operation {
  /// Whether what is known of the operation's kind holds of its path and payload.
  package var isWellFormed: Bool { kind.allows(payload.span, at: path) }
}

extension OperationKind {
  /// Whether an operation of this kind may have a path and a payload, as far as is known.
  package func allows(_ payload: Span<UInt8>, at path: Path) -> Bool {
    switch self {
    case .set: !path.isRoot && Leaf.isForm(payload)
    case .delete: path.isRoot && payload.isEmpty
    case .increment: !path.isRoot && CounterAmount.increment(of: payload.array) != nil
    case .counter: !path.isRoot && CounterAmount.start(of: payload.array) != nil
    case .emptySet: !path.isRoot && payload.isEmpty
    case .add: payload.isEmpty && path.isElementOfSet
    default: true
    }
  }
}

extension Span<UInt8> {
  /// A copy of the bytes.
  var array: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
