import FileCoordination
import SystemFiles
import SystemPackage

extension DocumentFolder {
  /// Whether a document that was opened has what it had.
  ///
  /// It waits for nobody: whoever writes it meanwhile is found out by what he writes, or by the
  /// stamp that the file has when it has been read.
  func compare(_ path: FilePath, with known: ContentsDigest) throws -> DocumentMachine.Input {
    let place = try self.place(of: path)
    let file = try openDirectory(of: place).open(place.name)
    let before = try file.status()
    guard before.size == known.size, try ContentsDigest(of: file) == known else {
      return .otherContents
    }
    // What is expected from now on has to be the very file that was read, as it was then.
    let after = FileStamp(try file.status())
    guard FileStamp(before) == after else { return .otherContents }
    return .sameContents(after, hasConflicts: try hasConflicts(place))
  }

  /// Whether somebody presents a document, and so saves it, if it was there, before an access does
  /// anything: then it may become something else for that.
  func isOpen(_ file: FilePath, seenAs seen: SeenVersion) throws -> Bool {
    guard case .version = seen else { return false }
    let path = try place(of: file).path.string
    // What is shown of names that are not UTF-8 stands for many, and names that look the same for
    // two.
    guard !path.unicodeScalars.contains("\u{FFFD}") else { return false }
    return try domain.report().presenters.contains { presenter in
      presenter.path?.utf8.elementsEqual(path.utf8) == true && !presenter.hasLapsed
    }
  }
}
