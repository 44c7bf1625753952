import DocumentStorage
import Replication

extension StoreDatabase {
  /// The device that a user means by a name, an id, or the beginning of an id.
  package func stream(named text: String) throws -> StreamSummary {
    let all = try streamSummaries()
    let found = [
      all.filter { $0.name == text },
      text.count >= Self.shortestPrefix
        ? all.filter { $0.stream.description.hasPrefix(text) } : [],
    ].first { !$0.isEmpty }
    guard let found, let only = found.first, found.count == 1 else {
      throw DeviceError.unknownDevice(text, candidates: found?.count ?? 0)
    }
    return only
  }

  private static var shortestPrefix: Int { 4 }
}
