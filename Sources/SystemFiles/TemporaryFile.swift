import SystemPackage

/// A file being written that has no final name yet.
///
/// It ends in exactly one of `place(_:at:)`, when that succeeds, and `discard(_:)`; after either
/// it must not be used again.
package struct TemporaryFile: Hashable, Sendable {
  /// The descriptor, or a fake's number for it.
  package let handle: Int32

  /// The directory in which it was created.
  package let directory: FilePath

  /// The name it has, or would get if its file system refuses to give a nameless file one.
  package let fallbackName: FilePath.Component

  /// Whether it stands in the directory under `fallbackName`.
  package let isNamed: Bool

  /// Describes a file that a file system has just created.
  package init(
    handle: Int32, directory: FilePath, fallbackName: FilePath.Component, isNamed: Bool
  ) {
    self.handle = handle
    self.directory = directory
    self.fallbackName = fallbackName
    self.isNamed = isNamed
  }

  /// Where it stands, if it has a name, and where it would stand if it had one.
  package var fallbackPath: FilePath { directory.appending(fallbackName) }

  /// The path that errors name.
  package var path: FilePath { isNamed ? fallbackPath : directory }
}
