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
        machine, where 'versions' lists it. --seen names the versions that you have looked at: \
        others, which may have come since, stay in conflict. With --discard too, those that it \
        names are deleted for good; without it, or where --keep has a number, which may be \
        another version's by now, nothing is. Programs that have the file open are asked to save \
        first; one that does not answer in time is named, and not waited for. --verbose says whom \
        else it waits for.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var file: DocumentArgument
    @Option(
      help: ArgumentHelp(
        "Keep this version: 'current', or a handle, identifier or number from 'versions'.",
        valueName: "version"))
    var keep: String?
    @Option(
      help: ArgumentHelp(
        "Keep what you have merged: a file, or - for standard input.", valueName: "file"),
      completion: .file())
    var merged: String?
    @Option(
      help: ArgumentHelp(
        "Settle this version, by its handle or identifier, and no others; may be repeated.",
        valueName: "version"))
    var seen: [String] = []
    @Flag(help: "Delete the versions that --seen names, but for the chosen one.")
    var discard = false

    func validate() throws {
      guard (keep == nil) != (merged == nil) else {
        throw ValidationError("give one of --keep VERSION and --merged FILE")
      }
    }

    func run() async throws {
      let folder = try FileCommand.folder(global)
      // Before what was merged is read: a tool in front of a pipe may take as long as it likes.
      let versions = try FileVersions(of: file.path, in: folder)
      let chosen = try keep.map { try versions.named($0) }
      let settling = try settled(of: versions, chosen: chosen?.version)
      // Nobody may have seen what is not named, or has the number by now.
      let isDeleting = discard && !seen.isEmpty && chosen?.isByNumber != true
      let count: Int
      if let chosen {
        count = try await folder.resolve(
          versions.file, keeping: chosen.version, expecting: SeenVersion(versions.current),
          settling: settling, discarding: isDeleting)
      } else {
        count = try await folder.resolve(
          versions.file, merged: try contents(), expecting: SeenVersion(versions.current),
          settling: settling, discarding: isDeleting)
      }
      if discard, !isDeleting {
        Output.warning(
          FeedSyncError(
            .usage, operation: "file resolve", file: versions.file.string,
            message: "nothing is deleted: what was not chosen is kept on this machine",
            hint: "with --seen, \(FileVersions.namingHint)"))
      }
      if global.format == .json { Output.line(.object(["resolved": .number(count)])) }
    }

    /// Those that are named, and the chosen one; without names, all.
    private func settled(
      of versions: FileVersions, chosen: FileVersion?
    ) throws -> [FileVersion] {
      guard !seen.isEmpty else { return versions.others }
      var settled = chosen.map { [$0] } ?? []
      for name in seen {
        let named = try versions.named(name)
        guard !named.isByNumber else {
          throw versions.refusal(ofNumber: name, operation: "file resolve")
        }
        if !settled.contains(named.version) { settled.append(named.version) }
      }
      return settled
    }

    private func contents() throws -> [UInt8] {
      guard let merged, merged != "-" else {
        return try StandardInput.read()
      }
      return try StandardInput.contents(of: merged, operation: "file resolve")
    }
  }

  struct Discard: StoreCommand, AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "discard", abstract: "Delete versions of a file for good.",
      discussion: """
        One in conflict is deleted on all machines, if it is named by its handle or identifier. By \
        its number, which may be another version's since you looked, it leaves the synced folder \
        and is kept on this machine; one that is kept here already is refused by its number. The \
        current version is never deleted. A version that is not there is named, and the command \
        ends with 1; the others go.
        """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var file: DocumentArgument
    @Argument(help: "Handles, identifiers or numbers, as 'versions' lists them.")
    var versions: [String]

    func run() async throws {
      let folder = try FileCommand.folder(global)
      let known = try FileVersions(of: file.path, in: folder)
      var (chosen, isMissing): ([FileVersions.Named], Bool) = ([], false)
      // All are found before the first goes: numbers change with it.
      for name in ManyWords.distinct(versions + ManyWords.rest) {
        do {
          let named = try known.named(name)
          guard !named.isByNumber || named.version.origin != .kept else {
            throw known.refusal(ofNumber: name, operation: "file discard")
          }
          chosen.append(named)
        } catch let error as DocumentFileError {
          isMissing = true
          Output.error(FeedSyncError(error, operation: "file discard"), format: global.format)
        }
      }
      chosen = Self.once(chosen)
      let kept = try await discard(chosen, in: folder)
      if kept > 0 {
        Output.warning(
          FeedSyncError(
            .usage, operation: "file discard", file: known.file.string,
            message: "what was named by its number is not deleted, but kept on this machine",
            hint: FileVersions.namingHint))
      }
      if global.format == .json {
        Output.line(
          .object(["discarded": .number(chosen.count - kept), "kept": .number(kept)]))
      }
      if isMissing { throw ExitStatus.notFound }
    }

    /// Each version once; as it was named most surely.
    private static func once(_ chosen: [FileVersions.Named]) -> [FileVersions.Named] {
      let sure = chosen.filter { !$0.isByNumber } + chosen.filter(\.isByNumber)
      return ManyWords.distinct(sure) { Array($0.version.persistentIdentifier.utf8) }
    }

    /// - returns: How many are kept on this machine.
    private func discard(
      _ chosen: [FileVersions.Named], in folder: DocumentFolder
    ) async throws -> Int {
      var kept = 0
      for named in chosen {
        if named.isByNumber {
          // It may be one that has come since, and that nobody has seen on any machine.
          try await folder.markResolved([named.version])
          kept += 1
        } else {
          try await folder.remove(named.version)
        }
      }
      return kept
    }
  }
}

extension FileVersions {
  static let namingHint =
    "name what is to be deleted by the handle or identifier that 'feedsync file versions' shows"

  /// Why a number does not do.
  fileprivate func refusal(ofNumber name: String, operation: String) -> FeedSyncError {
    FeedSyncError(
      .usage, operation: operation, file: file.string,
      message: "number \(name) may be another version's since it was read off a list",
      hint: Self.namingHint)
  }
}
