import Replication
import SystemPackage

/// What the world gives: the time and chance, passed in so that a test or simulation decides them.
package struct Ambient: Sendable {
  /// The wall clock, in milliseconds since 1970.
  package let now: @Sendable () -> Int64
  /// 64 random bits.
  package let random: @Sendable () -> UInt64

  package init(
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64
  ) {
    self.now = now
    self.random = random
  }

  /// The wall clock as the hybrid clock counts.
  package var time: HybridTime { HybridTime(milliseconds: now()) }

  /// A new random identifier.
  package func identifier<ID: Identifier128>() -> ID {
    ID(rawValue: UInt128(random()) << 64 | UInt128(random()))
  }

  /// A name for a temporary file: hidden, and never synced.
  package func temporaryName() -> FilePath.Component {
    FilePath.Component(".feedsync-\(random().lowercaseHexadecimal(digits: 16)).nosync")
      ?? ".feedsync-0.nosync"
  }
}
