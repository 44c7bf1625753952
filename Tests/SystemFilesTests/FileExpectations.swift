import SystemFiles
import SystemPackage
import Testing

/// A name from bytes that a literal cannot hold.
func component(_ bytes: [UInt8]) throws -> FilePath.Component {
  try #require(FilePath.Component(bytes: bytes))
}

/// What a call threw, or nil.
///
/// Call it outside of `#expect`: with Swift 6.3.1 a closure inside the macro's argument and the
/// next one in the same function were taken for one another, and the first was called twice.
func failure(_ body: () throws(FileError) -> Void) -> FileError? {
  do throws(FileError) {
    try body()
    return nil
  } catch {
    return error
  }
}
