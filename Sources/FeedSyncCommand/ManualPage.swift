/// A page of the manual, made from a command's own help.
struct ManualPage {
  /// `feedsync` or `feedsync-put`.
  let name: String
  private var lines: [String]

  var fileName: String { name + ".1" }
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// All pages: one for the tool, and one for each of its commands with what is below it.
  static func all() throws -> [ManualPage] {
    let tool = try CommandHelp.tool()
    let common = try CommandHelp.commonOptions()
    let commands = tool.shown.sorted { $0.commandName < $1.commandName }
    return [ManualPage(tool: tool, commands: commands, common: common)]
      + commands.map { ManualPage(command: $0, tool: tool.commandName, common: common) }
  }

  private init(name: String, abstract: String?) {
    self.name = name
    lines = [
      ".\\\" Made from the command's own help; see tools/install.",
      ".Dd \(Version.manualDate)", ".Dt \(name.uppercased()) 1", ".Os feedsync \(Version.text)",
      ".Sh NAME", ".Nm \(name)", ".Nd \(Self.plain(abstract ?? ""))",
    ]
  }

  /// An abstract as mdoc wants it: no capital, no full stop.
  private static func plain(_ abstract: String) -> String {
    let text = abstract.hasSuffix(".") ? String(abstract.dropLast()) : abstract
    return Roff.escaped(text.prefix(1).lowercased() + text.dropFirst())
  }
}

// MARK: - The tool's page

extension ManualPage {
  private init(tool: CommandHelp, commands: [CommandHelp], common: Set<String>) {
    self.init(name: tool.commandName, abstract: tool.abstract)
    lines += [".Sh SYNOPSIS", ".Nm", ".Ar command", ".Op Ar argument ...", ".Sh DESCRIPTION"]
    lines += Roff.text(tool.discussion ?? "")
    lines += [".Sh COMMANDS", ".Bl -tag -width Ds"]
    for command in commands {
      lines += [".It Xr \(name)-\(command.commandName) 1"] + Roff.text(command.abstract ?? "")
    }
    lines += [".El", ".Sh OPTIONS", "Every command takes these."]
    let options = commands.lazy.flatMap(\.shownArguments)
      .reduce(into: [ArgumentHelpText]()) { found, option in
        guard let name = option.preferredName?.name, common.contains(name),
          !found.contains(where: { $0.preferredName?.name == name })
        else { return }
        found.append(option)
      }
    list(options)
    entries(
      "ENVIRONMENT", intro: "None of these is needed where --state and --container are given.",
      ManualText.environment, macro: "Ev ")
    entries("FILES", intro: nil, ManualText.files, macro: "Pa ")
    let statuses = ManualText.exitStatuses.map { ("\($0.code?.rawValue ?? 0)", $0.text) }
    entries("EXIT STATUS", intro: nil, statuses, macro: "")
    examples()
    lines += [".Sh SEE ALSO"] + seeAlso(commands.map { "\(name)-\($0.commandName)" })
  }

  private mutating func entries(
    _ title: String, intro: String?, _ entries: [ManualText.Entry], macro: String
  ) {
    lines.append(".Sh \(title)")
    if let intro { lines += Roff.text(intro) }
    lines.append(".Bl -tag -width Ds")
    for entry in entries {
      lines += [".It \(macro)\(Roff.escaped(entry.term))"] + Roff.text(entry.text)
    }
    lines.append(".El")
  }

  private mutating func examples() {
    lines.append(".Sh EXAMPLES")
    for (index, example) in ManualText.examples.enumerated() {
      if index > 0 { lines.append(".Pp") }
      lines += Roff.text(example.term)
      lines += [".Bd -literal -offset indent"]
      lines += example.text.split(separator: "\n").map { Roff.line($0) } + [".Ed"]
    }
  }

  private func seeAlso(_ names: [String]) -> [String] {
    names.enumerated().map { index, name in
      ".Xr \(name) 1\(index + 1 < names.count ? " ," : "")"
    }
  }
}

// MARK: - A command's page

extension ManualPage {
  private init(command: CommandHelp, tool: String, common: Set<String>) {
    self.init(name: "\(tool)-\(command.commandName)", abstract: command.abstract)
    lines.append(".Sh SYNOPSIS")
    let called = "\(tool) \(command.commandName)"
    if command.shown.isEmpty {
      synopsis(command, called: called, common: common)
    } else {
      for sub in command.shown {
        synopsis(sub, called: "\(called) \(sub.commandName)", common: common)
      }
    }
    lines.append(".Sh DESCRIPTION")
    lines += Roff.text(command.abstract ?? "")
    if let discussion = command.discussion { lines += [".Pp"] + Roff.text(discussion) }
    for sub in command.shown {
      lines += [".Ss \(called) \(sub.commandName)"] + Roff.text(sub.abstract ?? "")
      if sub.commandName == command.defaultSubcommand {
        lines += Roff.text("It is what '\(called)' alone does.")
      }
      if let discussion = sub.discussion { lines += [".Pp"] + Roff.text(discussion) }
      list(sub.shownArguments.filter { !$0.isIn(common) })
    }
    let own = command.shown.isEmpty ? command.shownArguments.filter { !$0.isIn(common) } : []
    lines += [".Sh OPTIONS"]
    list(own)
    if !own.isEmpty { lines.append(".Pp") }
    lines += [
      "The options that every command takes, such as", ".Fl -state ,", ".Fl -container", "and",
      ".Fl -format ,", "are described in", ".Xr \(tool) 1 ;",
      "so are exit statuses, environment and files.", ".Sh SEE ALSO", ".Xr \(tool) 1",
    ]
  }

  private mutating func synopsis(_ command: CommandHelp, called: String, common: Set<String>) {
    lines.append(".Nm \(called)")
    let own = command.shownArguments.filter { !$0.isIn(common) }
    lines += own.filter { !$0.isPositional }.map { $0.synopsis }
    lines += own.filter(\.isPositional).map { $0.synopsis }
  }

  private mutating func list(_ arguments: [ArgumentHelpText]) {
    guard !arguments.isEmpty else { return }
    lines.append(".Bl -tag -width Ds")
    for argument in arguments {
      lines += [".It \(argument.names?.isEmpty == false ? argument.flags : argument.value)"]
      lines += Roff.text(argument.abstract ?? "")
      if let discussion = argument.discussion { lines += Roff.text(discussion) }
      lines += argument.values
    }
    lines.append(".El")
  }
}

extension ArgumentHelpText {
  fileprivate func isIn(_ common: Set<String>) -> Bool {
    preferredName.map { common.contains($0.name) } ?? false
  }

  /// The value that stands for itself on the command line.
  fileprivate var value: String {
    "Ar \(valueName ?? "value")\(isRepeating ? " ..." : "")"
  }

  /// All spellings of an option.
  fileprivate var flags: String {
    let spelled = (names ?? []).map { name in
      "Fl \(name.kind == "long" ? "-" : "")\(name.name)" + (takesValue ? " " + value : "")
    }
    return spelled.joined(separator: " , ")
  }

  fileprivate var synopsis: String {
    guard let name = preferredName, !isPositional else {
      return isOptional ? ".Op \(value)" : ".\(value)"
    }
    let flag = "Fl \(name.kind == "long" ? "-" : "")\(name.name)" + (takesValue ? " " + value : "")
    return isOptional ? ".Op \(flag)" : ".\(flag)"
  }

  /// What it may be, and what it is when left out.
  fileprivate var values: [String] {
    let values =
      (allValues ?? []).isEmpty ? nil : "One of: \((allValues ?? []).joined(separator: ", "))."
    let usual = defaultValue.map { "Default: \($0)." }
    return [values, usual].compactMap { $0 }.map { Roff.line($0) }
  }
}
