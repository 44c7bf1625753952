import SystemPackage

extension FileSystem {
  /// Makes a directory and those above it, for the owner alone, durably.
  package func makeOwnDirectories(_ directory: FilePath) throws(FileError) {
    try makeMissing(directory)
    // Also where they are there already: who made them may have died before they were on disk.
    let owner = try status(of: directory).owner
    var path = directory
    while path.parent != path, path.parent != "." {
      guard try status(of: path.parent).owner == owner else { return }
      path = path.parent
      try synchronizeDirectory(path)
    }
  }

  private func makeMissing(_ directory: FilePath) throws(FileError) {
    if (try? status(of: directory)) != nil { return }
    if directory.parent != directory, directory.parent != "." {
      try makeMissing(directory.parent)
    }
    do {
      try makeDirectory(directory, mode: 0o700)
    } catch {
      guard error.errno == .fileExists else { throw error }
    }
    try synchronizeDirectory(directory.parent)
  }
}
