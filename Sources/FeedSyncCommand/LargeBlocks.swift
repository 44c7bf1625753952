import Foundation

/// Where large blocks of memory come from.
enum LargeBlocks {
  private typealias Option = @convention(c) (Int32, Int32) -> Int32
  /// `M_MMAP_THRESHOLD` of `mallopt(3)`, which Swift's Glibc module does not have.
  private static let mapThreshold: Int32 = -3

  /// Has those of a mebibyte and more given back to the system as soon as nobody needs them.
  ///
  /// As large ones come and go, glibc raises the size from which it does so, up to 32 MiB, and
  /// keeps what is smaller: an import of ten million operations took 109 MB at most where one of a
  /// million took 91, and now takes 86 to 93 where that takes 84, in the same time. A C library
  /// without the option does as it always did.
  static func giveBack() {
    guard let function = dlsym(nil, "mallopt") else { return }
    _ = unsafeBitCast(function, to: Option.self)(mapThreshold, 1 << 20)
  }
}
