import DocumentStorage
import Replication
import SystemPackage

/// What the world gives: the time and chance, passed in so that a test or simulation decides them.
package struct Ambient: Sendable {
  /// The wall clock, in milliseconds since 1970.
  package let now: @Sendable () -> Int64
  /// 64 random bits.
  package let random: @Sendable () -> UInt64
  /// What tells a database from a copy of it elsewhere; nil where there is nothing to tell by.
  package let environment: @Sendable (_ database: FilePath) -> [UInt8]?

  package init(
    now: @escaping @Sendable () -> Int64, random: @escaping @Sendable () -> UInt64,
    environment: @escaping @Sendable (_ database: FilePath) -> [UInt8]? = { _ in nil }
  ) {
    self.now = now
    self.random = random
    self.environment = environment
  }

  /// The wall clock as the hybrid clock counts.
  package var time: HybridTime { HybridTime(milliseconds: now()) }

  /// A new random identifier.
  package func identifier<ID: Identifier128>() -> ID {
    ID(rawValue: UInt128(random()) << 64 | UInt128(random()))
  }

  /// What the device with this database is known by.
  func identity(of database: FilePath) -> DeviceIdentity {
    DeviceIdentity(environment: { environment(database) }, mint: { identifier() })
  }

  /// A name for a temporary file: hidden, and never synced.
  package func temporaryName() -> FilePath.Component {
    FilePath.Component(".feedsync-\(random().lowercaseHexadecimal(digits: 16)).nosync")
      ?? ".feedsync-0.nosync"
  }
}
