import Glibc
import SystemFiles
import SystemPackage

extension FileCoordinator {
  /// Opens an item inside of an accessor, as the very file that was claimed.
  ///
  /// A symbolic link put at its path, or on the way to it, since it was looked at is refused. Nor
  /// does it wait for somebody at the other end of a FIFO.
  ///
  ///     try coordinator.write(path) { path in
  ///       try coordinator.withOpen(path, .writeOnly, options: [.create, .truncate]) {
  ///         try $0.writeAll(bytes)
  ///       }
  ///     }
  ///
  /// - throws: ``CoordinationError/replaced(path:)``,
  ///   ``CoordinationError/leavesFolder(path:folder:)``, and what `body` throws.
  @discardableResult
  public func withOpen<Value>(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode,
    options: FileDescriptor.OpenOptions = [],
    _ body: (FileDescriptor) throws -> Value
  ) throws -> Value {
    let expected = try resolver.resolve(path, followingLink: false).path
    guard expected.bytes == path.bytes else {
      throw CoordinationError.replaced(path: path.string)
    }
    // What has to be emptied is emptied after it is known to be the right file.
    let flags = mode.rawValue | options.subtracting(.truncate).rawValue
    let number = path.withPlatformString {
      Glibc.open($0, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode_t(0o666))
    }
    guard number >= 0 else {
      let code = errno
      if code == ELOOP { throw CoordinationError.replaced(path: path.string) }
      throw CoordinationError.system(operation: "open", path: path.string, errno: code)
    }
    let descriptor = Descriptor(number)
    try Self.check(descriptor, is: expected)
    if options.contains(.truncate), ftruncate(number, 0) != 0 {
      throw CoordinationError.system(operation: "truncate", path: path.string, errno: errno)
    }
    return try withExtendedLifetime(descriptor) { try body(FileDescriptor(rawValue: number)) }
  }

  /// The kernel knows by which path a file was really opened.
  private static func check(
    _ descriptor: Descriptor, is expected: ItemPath
  ) throws(CoordinationError) {
    do {
      let found = try LinuxFileSystem().canonicalPath(of: descriptor.path)
      guard found.bytes == expected.bytes else {
        throw CoordinationError.replaced(path: expected.text)
      }
    } catch let error as CoordinationError {
      throw error
    } catch {
      throw .replaced(path: expected.text)
    }
  }
}
