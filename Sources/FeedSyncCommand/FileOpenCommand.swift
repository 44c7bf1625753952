import ArgumentParser
import FeedSync
import Foundation
import SystemPackage

extension FileCommand {
  struct Open: StoreCommand {
    static let configuration = CommandConfiguration(
      commandName: "open", abstract: "Open a file, or a version of it, in a program.",
      discussion: """
        With a display, in the program that xdg-open finds; without one, in $VISUAL or $EDITOR. \
        Ends as that program ends. A version is for looking at: what is changed there is a change \
        of the version.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var file: DocumentArgument
    @Option(
      help: ArgumentHelp(
        "This version: a number, handle or identifier from 'versions'.", valueName: "version"))
    var version: String?
    @Option(
      name: .customLong("with"),
      help: ArgumentHelp("In this program, which may have arguments.", valueName: "program"))
    var program: String?
    @Flag(help: "Print where it is, and open nothing.") var printPath = false

    func run() throws {
      let folder = try FileCommand.folder(global)
      let versions = try FileVersions(of: file.path, in: folder)
      let chosen = try versions.named(version ?? "current").version
      guard !printPath else { return Output.path(chosen.path, format: global.format) }
      let path = chosen.path.string
      let words = try Self.words(program: program, environment: ProcessInfo.processInfo.environment)
      Output.flush()
      let status = try ForegroundCommand(words + [path], path: path, format: global.format).run()
      if status != 0 { throw ExitStatus(rawValue: status) }
    }

    /// What opens files, before the file's path.
    static func words(
      program: String?, environment: [String: String]
    ) throws -> [String] {
      func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
      }
      if program == nil, variable("DISPLAY") ?? variable("WAYLAND_DISPLAY") != nil {
        return ["xdg-open"]
      }
      guard let editor = program ?? variable("VISUAL") ?? variable("EDITOR") else {
        throw FeedSyncError(
          .configuration, operation: "file open",
          message: "there is no display, and neither VISUAL nor EDITOR is set",
          hint: "name a program: --with PROGRAM; or use --print-path")
      }
      // As git does: it may be a program with arguments.
      return ["sh", "-c", "\(editor) \"$@\"", editor]
    }
  }
}
