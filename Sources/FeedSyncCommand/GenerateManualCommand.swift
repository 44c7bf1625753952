import ArgumentParser
import FeedSync
import Foundation

/// Writes the manual; `tools/install` and packagers call it.
struct GenerateManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate-manual", abstract: "Write the manual's pages into a folder.",
    shouldDisplay: false)

  @Argument(help: "The folder, such as /usr/share/man/man1.", completion: .directory)
  var folder: String

  func run() throws {
    for page in try ManualPage.all() {
      let file = URL(filePath: folder).appending(path: page.fileName)
      do {
        try Data(page.text.utf8).write(to: file, options: .atomic)
      } catch {
        throw FeedSyncError(
          .cannotWrite, operation: "write the manual", file: file.path,
          message: "cannot write it: \(error.localizedDescription)",
          hint: "make the folder, or name another")
      }
      Output.line(file.path)
    }
  }
}
