import SystemFiles
import SystemPackage

extension FileSystem {
  /// Puts a file in the place of another in one step, and removes it where that fails.
  func replace(_ path: FilePath, by staged: FilePath) throws(FileError) {
    do throws(FileError) {
      try rename(staged, to: path)
    } catch {
      // What failed first is what is told.
      try? remove(staged)
      throw error
    }
  }
}
