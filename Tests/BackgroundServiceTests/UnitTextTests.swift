import BackgroundService
import SystemPackage
import Testing

@Suite("The unit's text") struct UnitTextTests {
  @Test("runs watch with program, state and container in full, and again after a failure")
  func plain() throws {
    let lines = UnitText.render(try .sample()).split(separator: "\n")
    #expect(
      lines.contains(
        #"ExecStart="/home/ann/.local/bin/feedsync" "watch" "--state""#
          + #" "/home/ann/.local/share/feedsync" "--container" "/home/ann/Sync/notes""#))
    for line in [
      "Restart=on-failure", "StartLimitIntervalSec=0", "WantedBy=default.target",
      "RestartPreventExitStatus=64 78", "UMask=0022",
    ] {
      #expect(lines.contains(Substring(line)))
    }
  }

  @Test(
    "gives back the words that were put in",
    arguments: WatchService.awkward + WatchService.accented)
  func awkward(path: String) throws {
    let service = try WatchService.sample(executable: path, state: path, container: path)
    let command = try #require(UnitText.command(of: UnitText.render(service)))
    #expect(command.program == path)
    #expect(command.arguments == ["watch", "--state", path, "--container", path])
  }

  @Test("writes percent and dollar signs twice, but a program's dollar sign once")
  func signs() throws {
    let text = UnitText.render(
      try .sample(executable: "/a$b%c", state: "/s$%", container: "/c"))
    #expect(text.contains(#"ExecStart="/a$b%%c" "watch" "--state" "/s$$%%""#))
  }

  @Test("writes them twice also where an accent follows, with which they are other characters")
  func accents() throws {
    let text = UnitText.render(try .sample(state: "/%\u{301}$\u{301}"))
    #expect(text.unicodeScalars.contains("/%%\u{301}$$\u{301}\"".unicodeScalars))
  }

  @Test("goes by way of the shell where systemd refuses the program's path")
  func shell() throws {
    let text = UnitText.render(try .sample(executable: "/it's/feedsync"))
    #expect(
      text.contains(#"ExecStart="/bin/sh" "-c" "exec \"$$0\" \"$$@\"" "/it's/feedsync" "watch""#))
  }

  @Test("takes no line from an identifier, which comes from the shared folder")
  func identifier() throws {
    let text = UnitText.render(
      try .sample(identifier: "x\nExecStart=/bin/evil\r%h\\"))
    #expect(text.contains("Description=feedsync watch of x?ExecStart=/bin/evil?%%h/\n"))
    #expect(text.split(separator: "\n").filter { $0.hasPrefix("ExecStart=") }.count == 1)
  }

  @Test("and crontabs are refused a path that they cannot hold", arguments: ["a\nb", "a\u{7f}b"])
  func refused(name: String) {
    #expect(throws: ServiceError.unwritable(FilePath("/" + name))) {
      try WatchService.sample(container: "/" + name)
    }
  }

  @Test("of a path that is not UTF-8 is refused")
  func notUTF8() throws {
    let path = try #require(FilePath(bytes: [0x2f, 0x61, 0xff]))
    let unit = UnitName(container: "aa", state: "/s", isUsual: true)
    #expect(throws: ServiceError.unwritable(path)) {
      try WatchService(
        unit: unit, executable: "/f", state: "/s", container: path, identifier: "", umask: 0)
    }
  }

  @Test(
    "that a user wrote is not understood by half",
    arguments: ["ExecStart=/a %h", "ExecStart=\"/a", "ExecStart=\"/a\\n\"", "ExecStart=", ""])
  func foreign(line: String) {
    #expect(UnitText.command(of: "[Service]\n\(line)\n")?.program == nil)
  }
}

@Suite("The unit's name") struct UnitNameTests {
  @Test("tells containers and states apart, and is the same each time")
  func names() {
    let names = [
      ("aaaaaaaaaaaaaaaa", "/s", true), ("aaaaaaaaaaaaaaaa", "/s", false),
      ("aaaaaaaaaaaaaaaa", "/t", false), ("aaaaaaaaaaab", "/s", true),
    ]
    .map { UnitName(container: $0.0, state: FilePath($0.1), isUsual: $0.2).description }
    #expect(Set(names).count == 4)
    #expect(names[0] == "feedsync-aaaaaaaaaaaa.service")
    #expect(names[1] == "feedsync-aaaaaaaaaaaa-5ed1fbd7.service")
  }
}
