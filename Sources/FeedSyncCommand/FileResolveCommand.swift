import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import SystemPackage

extension FileCommand {
  struct Resolve: StoreCommand, AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "resolve", abstract: "Settle the conflicts of a file, on every machine.",
      discussion: """
        The chosen version becomes the file, and the conflict copies leave the synced folder, so \
        that the syncer brings the decision to all machines. What was not chosen is kept on this \
        machine, where 'versions' lists it; --discard deletes it for good. Programs that have the \
        file open are asked to save first; one that does not answer in time is named, and not \
        waited for. --verbose says whom else it waits for.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var file: DocumentArgument
    @Option(
      help: ArgumentHelp(
        "Keep this version: 'current', or a number or identifier from 'versions'.",
        valueName: "version"))
    var keep: String?
    @Option(
      help: ArgumentHelp(
        "Keep what you have merged: a file, or - for standard input.", valueName: "file"),
      completion: .file())
    var merged: String?
    @Flag(help: "Delete the versions in conflict that are not chosen.") var discard = false

    func validate() throws {
      guard (keep == nil) != (merged == nil) else {
        throw ValidationError("give one of --keep VERSION and --merged FILE")
      }
    }

    func run() async throws {
      let folder = try FileCommand.folder(global)
      // Before what was merged is read: a tool in front of a pipe may take as long as it likes.
      let versions = try FileVersions(of: file.path, in: folder)
      let count: Int
      if let keep {
        count = try await folder.resolve(
          versions.file, keeping: try versions.version(keep), settling: versions.others,
          discarding: discard)
      } else {
        count = try await folder.resolve(
          versions.file, merged: try contents(), expecting: versions.current,
          settling: versions.others, discarding: discard)
      }
      if global.format == .json { Output.line(.object(["resolved": .number(count)])) }
    }

    private func contents() throws -> [UInt8] {
      guard let merged, merged != "-" else {
        return try StandardInput.read()
      }
      do {
        return Array(try Data(contentsOf: URL(filePath: merged)))
      } catch {
        let isRefused = (error as? CocoaError)?.code == .fileReadNoPermission
        throw FeedSyncError(
          isRefused ? .notPermitted : .cannotRead, operation: "file resolve", file: merged,
          message: "cannot read the file: \(error.localizedDescription)")
      }
    }
  }

  struct Discard: StoreCommand, AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "discard", abstract: "Delete versions of a file for good.",
      discussion: """
        One in conflict is deleted on all machines. The current version is never deleted. A \
        version that is not there is named, and the command ends with 1; the others go.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var file: DocumentArgument
    @Argument(help: "Numbers or identifiers, as 'versions' lists them.") var versions: [String]

    func run() async throws {
      let folder = try FileCommand.folder(global)
      let known = try FileVersions(of: file.path, in: folder)
      var (chosen, isMissing): ([FileVersion], Bool) = ([], false)
      // All are found before the first goes: numbers change with it.
      for name in versions {
        do {
          chosen.append(try known.version(name))
        } catch let error as DocumentFileError {
          isMissing = true
          Output.error(FeedSyncError(error, operation: "file discard"), format: global.format)
        }
      }
      for version in chosen { try await folder.remove(version) }
      if global.format == .json { Output.line(.object(["discarded": .number(chosen.count)])) }
      if isMissing { throw ExitStatus.notFound }
    }
  }
}
