import SystemFiles
import SystemPackage

extension ContainerFolder {
  /// Has the disk keep the names in some sub-folders of `logs/`, and those of the sub-folders.
  ///
  /// For whoever gives something up because it was found there: whoever wrote that may have died
  /// before its name was on the disk.
  package func keepNames(in directories: Set<FilePath.Component>) throws(FileError) {
    guard !directories.isEmpty else { return }
    for directory in directories.sorted(by: { $0.string < $1.string }) {
      try files.synchronizeDirectory(logs.appending(directory))
    }
    try files.synchronizeDirectory(logs)
    try files.synchronizeDirectory(root)
  }
}
