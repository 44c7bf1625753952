import CanonicalJSON
import DocumentStorage
import Syncing

/// The other devices, as far as they keep something or are not waited for.
enum PeerText {
  static func lines(_ survey: CompactionSurvey) -> [String] {
    survey.awaited.map { peer in
      "to be heard from: \(name(peer)), \(heard(peer)), has not said that it has all"
    }
      + survey.away.map { peer in
        "not waited for: \(name(peer)), \(heard(peer)), longer ago than the horizon"
      }
  }

  private static func name(_ peer: PeerRecord) -> String {
    ReportText.device(peer.stream, name: peer.name)
  }

  private static func heard(_ peer: PeerRecord) -> String {
    peer.heardAt.map { "last heard from \(ReportJSON.time($0))" }
      ?? "heard from before that was noted"
  }

  static func json(_ peers: [PeerRecord]) -> JSON {
    .array(
      peers.map { peer in
        .object([
          "device": ReportJSON.device(peer.stream, name: peer.name),
          "heard_at": peer.heardAt.map { .text(ReportJSON.time($0)) } ?? .null,
          "live": .bool(peer.isLive), "has_all": .bool(peer.hasAll), "has": .number(peer.has),
          "awaited": .bool(peer.isLive && !peer.hasAll),
        ])
      })
  }
}
