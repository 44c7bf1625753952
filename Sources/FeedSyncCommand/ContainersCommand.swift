import ArgumentParser
import CanonicalJSON
import FeedSync
import Syncing

struct ContainersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "containers", abstract: "List the containers that this state has a device in.",
    discussion: """
      Several containers may stand side by side; commands work on the default one unless \
      --container or FEEDSYNC_CONTAINER names another.
      """,
    subcommands: [ContainersListCommand.self, ContainersDefaultCommand.self],
    defaultSubcommand: ContainersListCommand.self)
}

struct ContainersListCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List them; one that cannot be used is listed with the reason.",
    discussion: "A star marks the default. With --format json, each is one object a line.")

  @OptionGroup var global: GlobalOptions

  func run() throws {
    for container in try global.directory().containers() {
      switch global.format {
      case .text: for line in ContainerReport.text(container) { Output.line(line) }
      case .json: Output.line(ContainerReport.json(container))
      }
    }
  }
}

struct ContainersDefaultCommand: StoreCommand {
  static let configuration = CommandConfiguration(
    commandName: "default", abstract: "Choose the container that commands work on.",
    discussion: "Until then it is the one that 'init' was last run on.")

  @OptionGroup var global: GlobalOptions
  @Argument(help: "Its folder, its id, or the beginning of its id.", completion: .directory)
  var name: String

  func run() throws {
    let directory = try global.directory()
    let id = try directory.container(named: name)
    try directory.makeDefault(id)
    if global.format == .json { Output.line(.object(["container": .text(id.description)])) }
  }
}

private enum ContainerReport {
  // Member by member: as one literal of optionals it takes the compiler most of a minute.
  static func json(_ container: KnownContainer) -> JSON {
    var members: JSONObject = [
      "default": .bool(container.isDefault), "device": .null, "documents": .null,
      "error": failure(of: container), "id": .text(container.id.description),
      "identifier": .null, "path": .null, "present": .bool(false), "unpublished": .null,
    ]
    if let details = container.details {
      members["device"] = ReportJSON.device(details.device.stream, name: details.device.name)
      members["documents"] = .number(details.documents)
      members["identifier"] = .text(details.identifier)
      members["path"] = .text(details.device.path.string)
      members["present"] = .bool(details.isPresent)
      members["unpublished"] = .number(details.unpublished)
    }
    return .object(members)
  }

  private static func failure(of container: KnownContainer) -> JSON {
    guard let failure = container.failure else { return .null }
    let error = FeedSyncError(failure, operation: "open the container")
    let hint = error.hint.map { JSON.text($0) }
    return .object([
      "code": .number(error.code.rawValue), "hint": hint ?? .null, "message": .text(error.message),
    ])
  }

  static func text(_ container: KnownContainer) -> [String] {
    let star = container.isDefault ? "*" : " "
    var lines = ["\(star) \(container.id)"]
    if let details = container.details {
      lines[0] += " \(NameText.escaped(details.identifier))"
      let away = details.isPresent || container.failure != nil ? "" : " (not there)"
      lines.append("    folder \(NameText.escaped(details.device.path.string))\(away)")
      lines.append(
        "    device \(details.device.name), \(CountText.of(details.documents, "document")), "
          + "\(CountText.of(details.unpublished, "transaction")) to be published")
    }
    if let failure = container.failure {
      let error = FeedSyncError(failure, operation: "open the container")
      lines.append("    error: \(error.message)")
    }
    return lines
  }
}
