import CanonicalJSON
import Foundation
import GRDB
import GRDBSQLite
import Replication
import Synchronization

/// The SQL function `feedsync_body(state)`: the canonical body of a stored document, NULL if it
/// does not show.
///
/// Every connection to the database has it, since declared indexes are made of it.
final class BodyFunction: Sendable {
  static let name = "feedsync_body"

  fileprivate struct Memory {
    /// The last state rendered and what came out: an expression asks for it several times a row.
    var state: [UInt8] = []
    var body: [UInt8]?
    var streams: [Int64: StreamID] = [:]
  }

  private let memory = Mutex(Memory())
  /// Whether it is reading the streams on the connection that called it; the authorizer lets it.
  let isReadingStreams = Atomic(false)

  /// Defines the function on a connection, which keeps this object until it is closed.
  func define(on connection: OpaquePointer) throws {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
    let code = sqlite3_create_function_v2(
      connection, Self.name, 1, flags, Unmanaged.passRetained(self).toOpaque(),
      { context, _, arguments in
        guard let context, let data = sqlite3_user_data(context), let value = arguments?[0] else {
          return
        }
        Unmanaged<BodyFunction>.fromOpaque(data).takeUnretainedValue().answer(value, to: context)
      }, nil, nil,
      { data in
        guard let data else { return }
        Unmanaged<BodyFunction>.fromOpaque(data).release()
      })
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  /// Forgets the streams' numbers: a transaction that gave some out has been rolled back.
  func forgetStreams() { memory.withLock { $0.streams = [:] } }

  private func answer(_ value: OpaquePointer, to context: OpaquePointer) {
    let count = Int(sqlite3_value_bytes(value))
    guard sqlite3_value_type(value) == SQLITE_BLOB, let start = sqlite3_value_blob(value) else {
      return sqlite3_result_null(context)
    }
    let state = UnsafeBufferPointer(
      start: start.assumingMemoryBound(to: UInt8.self), count: count)
    do {
      try memory.withLock { memory in
        try memory.render(state) {
          isReadingStreams.store(true, ordering: .relaxed)
          defer { isReadingStreams.store(false, ordering: .relaxed) }
          return try StreamTable.read(sqlite3_context_db_handle(context))
        }
        guard let body = memory.body else { return sqlite3_result_null(context) }
        body.withUnsafeBytes { bytes in
          sqlite3_result_text(
            context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(clamping: bytes.count), Self.copied)
        }
      }
    } catch {
      sqlite3_result_error(context, "a stored document is damaged", -1)
      sqlite3_result_error_code(context, SQLITE_CORRUPT)
    }
  }

  /// SQLITE_TRANSIENT, whose C macro Swift cannot read: SQLite makes a copy.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}

extension BodyFunction.Memory {
  fileprivate mutating func render(
    _ state: UnsafeBufferPointer<UInt8>, readStreams: () throws -> [Int64: StreamID]
  ) throws {
    if !self.state.isEmpty, self.state.elementsEqual(state) { return }
    self.state.removeAll(keepingCapacity: true)
    if let rendering = try Rendering(inFrontOf: state) {
      body = rendering.body
    } else {
      body = try StoredBody.render(state) ?? mergedBody(Array(state), readStreams)
    }
    self.state.append(contentsOf: state)
  }

  /// The body of a document in which something competes.
  private mutating func mergedBody(
    _ bytes: [UInt8], _ readStreams: () throws -> [Int64: StreamID]
  ) throws -> [UInt8]? {
    let state: DocumentState
    do {
      state = try StateCoding.decode(bytes, streams: KnownStreams(streams: streams))
    } catch is UnknownStream {
      streams = try readStreams()
      state = try StateCoding.decode(bytes, streams: KnownStreams(streams: streams))
    }
    // The merge relies on what the coding does not check.
    let paths = state.entries.map(\.effect.path)
    guard paths.allSatisfy({ Path(validating: $0.bytes.array) != nil }), paths == paths.sorted()
    else {
      throw StoredBytes.damage
    }
    return state.view().body
  }
}

private struct UnknownStream: Error {}

private struct KnownStreams: StreamNumbers {
  let streams: [Int64: StreamID]

  func stream(number: Int64) throws -> StreamID {
    guard let stream = streams[number] else { throw UnknownStream() }
    return stream
  }
}

/// The streams' numbers, read on a connection from within a function that it calls.
private enum StreamTable {
  static func read(_ connection: OpaquePointer?) throws -> [Int64: StreamID] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let sql = "SELECT id, stream FROM main.streams"
    guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
      throw StoredBytes.damage
    }
    var streams: [Int64: StreamID] = [:]
    while sqlite3_step(statement) == SQLITE_ROW {
      guard let bytes = sqlite3_column_blob(statement, 1) else { throw StoredBytes.damage }
      let data = Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 1)))
      streams[sqlite3_column_int64(statement, 0)] = try StreamID(column: data)
    }
    return streams
  }
}
