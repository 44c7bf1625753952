import SystemPackage

/// Under which path a program is to be called again later.
package enum ProgramPath {
  /// The path by which it was called, links and all, or else its own.
  ///
  /// Links are kept, since an upgrade may put another program behind one; the path is its own
  /// where that by which it was called does not lead to the program that runs.
  ///
  /// - parameters:
  ///   - called: the program's name as its caller gave it.
  ///   - own: where the running program's file is.
  ///   - resolve: gives a path without links, or nil where nothing is.
  package static func choose(
    called: String, searchPath: String, workingDirectory: FilePath, own: FilePath,
    resolve: (FilePath) -> FilePath?
  ) -> FilePath {
    let called = FilePath(called)
    let directories =
      called.components.count > 1 || called.isAbsolute
      ? [workingDirectory]
      : searchPath.split(separator: ":", omittingEmptySubsequences: false).map {
        workingDirectory.pushing(FilePath(String($0)))
      }
    for directory in directories {
      let path = directory.pushing(called).lexicallyNormalized()
      if let found = resolve(path), found == own { return path }
    }
    return own
  }
}
