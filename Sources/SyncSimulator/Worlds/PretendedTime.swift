import ReferenceModel
import Synchronization

/// The time of a world, and how far each device's clock is from it.
final class PretendedTime: Sendable {
  private let state: Mutex<(now: Int64, skews: [Int64])>

  init(devices: Int) {
    // 2026-01-01.
    state = Mutex((now: 1_767_225_600_000, skews: Array(repeating: 0, count: devices)))
  }

  func advance(milliseconds: Int64) { state.withLock { $0.now += milliseconds } }

  /// Adds the clock of another device.
  func addDevice(skewedBy milliseconds: Int64) {
    state.withLock { $0.skews.append(milliseconds) }
  }

  func skew(_ device: Int, by milliseconds: Int64) {
    state.withLock { $0.skews[device] = milliseconds }
  }

  /// A device's wall clock, in milliseconds since 1970.
  func wall(of device: Int) -> Int64 { state.withLock { $0.now + $0.skews[device] } }
}

/// A device's chance; each step that it takes part in begins it anew.
final class PretendedChance: Sendable {
  private let generator: Mutex<SplitMix>

  init(seed: UInt64) { generator = Mutex(SplitMix(seed: seed)) }

  func restart(seed: UInt64) { generator.withLock { $0 = SplitMix(seed: seed) } }
  func next() -> UInt64 { generator.withLock { $0.next() } }
}
