import Replication

extension Fingerprint {
  /// The fingerprint of a transaction, bound to all before it in its stream (protocol.md 2).
  ///
  /// SHA-256 over the fingerprint before it, the nonce and the canonical form, cut to 128 bits. It
  /// depends neither on the file that carries the transaction nor on its compression.
  package init(after previous: Fingerprint, nonce: UInt64, canonicalForm: [UInt8]) {
    self.init(rawValue: Digest.first128(previous.rawValue, nonce, canonicalForm))
  }
}

/// The canonical form of a transaction: what its fingerprint is taken of.
///
/// Sequence, time, the whole context, then each operation with its strings in place.
package enum CanonicalTransaction {
  package static func bytes(
    sequence: UInt64, time: HybridTime, context: Context, operations: OperationList
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(64 + operations.count * 96)
    append(sequence, time, context, operations, to: &output) { _ in }
    return output
  }

  /// The fingerprint of a transaction, of its form piece by piece: an id that stands once in a file
  /// may be that of a million operations.
  ///
  /// - parameter piece: Where the pieces are made.
  static func fingerprint(
    after previous: Fingerprint, nonce: UInt64, _ sequence: UInt64, _ time: HybridTime,
    _ context: Context, _ operations: OperationList, piece: inout [UInt8]
  ) -> Fingerprint {
    var digest = Digest.First128(previous.rawValue, nonce)
    piece.removeAll(keepingCapacity: true)
    append(sequence, time, context, operations, to: &piece) { piece in
      digest.update(piece)
      piece.removeAll(keepingCapacity: true)
    }
    digest.update(piece)
    return Fingerprint(rawValue: digest.finish())
  }

  /// A piece is done once it has so many bytes.
  private static let pieceBytes = 1 << 20

  /// - parameter onPiece: Called between operations, where there is more than a piece.
  private static func append(
    _ sequence: UInt64, _ time: HybridTime, _ context: Context, _ operations: OperationList,
    to output: inout [UInt8], onPiece: (inout [UInt8]) -> Void
  ) {
    output.append(bigEndian: sequence)
    output.append(bigEndian: time.rawValue)
    output.appendVarint(UInt64(context.entries.count))
    for entry in context.entries {
      output.append(entry.stream)
      output.append(bigEndian: entry.sequence)
      output.append(entry.fingerprint)
    }
    output.appendVarint(UInt64(operations.count))
    let table = operations.table
    // By address: a slice of an array counts references, and an import makes it of each operation.
    table.keys.ids.withUnsafeBytes { ids in
      table.payloads.withUnsafeBytes { payloads in
        for index in operations.rows {
          append(table.rows[index], of: table, ids, payloads, to: &output)
          if output.count >= pieceBytes { onPiece(&output) }
        }
      }
    }
  }

  private static func append(
    _ row: OperationTable.Row, of table: OperationTable, _ ids: UnsafeRawBufferPointer,
    _ payloads: UnsafeRawBufferPointer, to output: inout [UInt8]
  ) {
    let document = Int(row.document)
    let place = table.keys.places[document]
    let collection = Int(place.collection)
    table.keys.collections[collection].bytes.withUnsafeBytes { output.appendBlock($0) }
    output.appendBlock(UnsafeRawBufferPointer(rebasing: ids[place.id]))
    let insert = table.documents[document].insert
    output.append(insert.stream)
    output.append(bigEndian: insert.sequence)
    output.appendVarint(UInt64(insert.index))
    output.appendBlock(table.paths[Int(row.path)].bytes)
    output.append(row.kind.envelope)
    output.appendBlock(UnsafeRawBufferPointer(rebasing: payloads[row.bytes]))
  }
}

extension OperationKind {
  /// The frozen envelope in one byte.
  ///
  /// The code is in the low four bits, what it covers in the next two, then whether it carries a
  /// value. The top bit is reserved.
  var envelope: UInt8 { code | cover.rawValue << 4 | (carriesValue ? 0x40 : 0) }

  init?(envelope: UInt8) {
    guard envelope & 0x80 == 0, let cover = Cover(rawValue: envelope >> 4 & 3) else { return nil }
    self.init(code: envelope & 0x0F, cover: cover, carriesValue: envelope & 0x40 != 0)
    guard isConsistent else { return nil }
  }
}
