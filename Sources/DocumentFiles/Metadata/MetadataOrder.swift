import SystemFiles

/// What gives the files of a ``MetadataQuery`` their order; among equals, their paths do.
///
///     query.order = [MetadataOrder(.modified, descending: true)]
public struct MetadataOrder: Hashable, Sendable {
  /// Something that is known of a file.
  public enum Attribute: String, Hashable, Sendable, CaseIterable {
    /// The path from the folder, byte by byte.
    case path
    /// The name alone, byte by byte.
    case name
    /// The size; what is not here comes before all else.
    case size
    /// When it was changed; what is not here comes before all else.
    case modified
    /// Missing, not downloaded, downloaded, current.
    case status
    /// How many conflicts it has.
    case conflicts
  }

  /// What is compared.
  public let attribute: Attribute
  /// Whether the greatest comes first.
  public let isDescending: Bool

  /// Orders by something that is known of each file.
  public init(_ attribute: Attribute, descending: Bool = false) {
    self.attribute = attribute
    isDescending = descending
  }
}

extension [MetadataOrder] {
  /// Whether one file comes before another.
  func precedes(_ one: MetadataItem, _ other: MetadataItem) -> Bool {
    for key in self {
      let order = key.attribute.compare(one, other)
      if order != 0 { return key.isDescending ? order > 0 : order < 0 }
    }
    return MetadataOrder.Attribute.path.compare(one, other) < 0
  }
}

extension MetadataOrder.Attribute {
  /// Less than zero if the first comes before the second, zero if neither does.
  fileprivate func compare(_ one: MetadataItem, _ other: MetadataItem) -> Int {
    switch self {
    case .path: Self.compare(one.path.bytes, other.path.bytes)
    case .name:
      Self.compare(one.path.lastComponent?.bytes ?? [], other.path.lastComponent?.bytes ?? [])
    case .size: Self.compare(one.size ?? -1, other.size ?? -1)
    case .modified: Self.compare(one.modified ?? .min, other.modified ?? .min)
    case .status: Self.compare(one.downloadingStatus.rank, other.downloadingStatus.rank)
    case .conflicts: Self.compare(one.conflicts, other.conflicts)
    }
  }

  private static func compare<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
    one < other ? -1 : one > other ? 1 : 0
  }

  private static func compare(_ one: [UInt8], _ other: [UInt8]) -> Int {
    if one.lexicographicallyPrecedes(other) { return -1 }
    return other.lexicographicallyPrecedes(one) ? 1 : 0
  }
}

extension MetadataItem.DownloadingStatus {
  fileprivate var rank: Int {
    switch self {
    case .missing: 0
    case .notDownloaded: 1
    case .downloaded: 2
    case .current: 3
    }
  }
}
