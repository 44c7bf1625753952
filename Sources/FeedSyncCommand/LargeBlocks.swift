import Foundation

/// What of the memory that nobody needs the system gets back, and when.
///
/// A C library without these options does as it always did.
enum LargeBlocks {
  private typealias Option = @convention(c) (Int32, Int32) -> Int32
  /// Options of `mallopt(3)`, which Swift's Glibc module does not have.
  private static let trimThreshold: Int32 = -1
  private static let mapThreshold: Int32 = -3

  /// Has those of a mebibyte and more given back to the system as soon as nobody needs them.
  ///
  /// As large ones come and go, glibc raises the size from which it does so, up to 32 MiB, and
  /// keeps what is smaller: an import of ten million operations took 109 MB at most where one of a
  /// million took 91, and now takes 86 to 93 where that takes 84, in the same time.
  static func giveBack() { set(mapThreshold, to: 1 << 20) }

  /// Has up to 16 MiB of smaller ones kept, for whoever needs about the same again and again.
  ///
  /// Else each transaction of a load begins with memory that the kernel has to clear first: half of
  /// its time in the kernel.
  static func keepSmallOnes() { set(trimThreshold, to: 16 << 20) }

  private static func set(_ option: Int32, to value: Int32) {
    guard let function = dlsym(nil, "mallopt") else { return }
    _ = unsafeBitCast(function, to: Option.self)(option, value)
  }
}
