import GRDB
import Replication

/// The local numbers of the streams that were met, for whoever has no database.
///
/// One object, since it is handed on for each context that is read or written.
final class NumberedStreams: StreamNumbers, Sendable {
  private let streams: [Int64: StreamID]
  private let numbers: [StreamID: Int64]

  init(_ directory: StreamDirectory) {
    streams = directory.streamsByNumber
    numbers = directory.rows.mapValues(\.number)
  }

  func stream(number: Int64) throws -> StreamID {
    guard let stream = streams[number] else {
      throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unknown stream \(number)")
    }
    return stream
  }

  /// - throws: where nothing that was applied names the stream.
  func number(_ stream: StreamID) throws -> Int64 {
    guard let number = numbers[stream] else {
      throw DatabaseError(resultCode: .SQLITE_INTERNAL, message: "\(stream) has no number")
    }
    return number
  }
}
