import Glibc
import SystemPackage

// A file that is held open, to be written again and again.
extension OpenFile {
  /// Opens a file for writing.
  ///
  ///     let note = try OpenFile(writing: state.appending("note.json"), isNew: true)
  ///     try note.overwrite(with: bytes)
  ///
  /// - parameter isNew: whether it is made, for its owner alone, where it is not there.
  package convenience init(writing path: FilePath, isNew: Bool = false) throws(FileError) {
    let flags = O_WRONLY | (isNew ? O_CREAT : 0)
    self.init(
      descriptor: try SystemCall.open(path, flags, mode: S_IRUSR | S_IWUSR, for: .open),
      path: path)
  }

  /// Writes over its beginning.
  package func overwrite(with bytes: [UInt8]) throws(FileError) {
    var written = 0
    while written < bytes.count {
      written += try SystemCall.run(.write, on: path) {
        bytes[written...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, written) }
      }
    }
  }
}
