import ArgumentParser
import CanonicalJSON
import FeedSync
import Foundation
import Syncing
import SystemPackage

struct InitCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a synced folder a container, or join the one that it is.",
    discussion: """
      The first machine makes the container; each further one, once the syncer has brought the \
      folder, joins it. The folder itself is never created.
      """)

  @OptionGroup var global: GlobalOptions
  @Argument(help: ArgumentHelp("The synced folder.", valueName: "dir"), completion: .directory)
  var folder: String
  @Option(
    help: "What the container is for, such as org.example.notes (default: the folder's name).")
  var identifier: String?
  @Option(help: "What other machines call this device (default: the host's name).")
  var deviceName: String?
  @Flag(help: "Never make a container: fail if there is none yet.") var join = false

  func run() async throws {
    let name = deviceName ?? ProcessInfo.processInfo.hostName
    guard (1...64).contains(name.utf8.count), !name.unicodeScalars.contains(where: \.isControl)
    else {
      throw FeedSyncError(
        .badInput, operation: "init",
        message: "a device's name has 1 to 64 bytes and no control characters")
    }
    let request = DeviceDirectory.Request(
      folder: FilePath(folder), identifier: identifier, deviceName: name, joinsOnly: join)
    let done = try global.directory().initialise(request)
    if let file = done.ignoreFile, global.verbose {
      Output.warn("wrote the syncer's ignore patterns to \(file.string)")
    }
    let word = done.isCreated ? "created" : "joined"
    switch global.format {
    case .text: Output.line(word)
    case .json:
      Output.line(
        .object([
          "result": .text(word), "container": .text(done.marker.container.description),
          "identifier": .text(done.marker.identifier),
          "device": .object([
            "id": .text(done.device.record.stream.description), "name": .text(name),
          ]),
        ]))
    }
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool { properties.generalCategory == .control }
}
