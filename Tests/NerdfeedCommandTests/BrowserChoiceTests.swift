import Testing

@testable import NerdfeedCommand

/// Which program opens a page, and with which arguments.
@Suite struct BrowserChoiceTests {
  private static let link = "https://e.org/a%20b?%s=1:2"

  private func words(
    _ variable: String, isProgram: (String) -> Bool = { _ in true }
  ) -> [String] {
    BrowserChoice(variable, isProgram: isProgram).words(opening: Self.link)
  }

  @Test(
    "$BROWSER may have arguments, and %s stands for the address",
    arguments: [
      ("firefox", ["firefox", link]), ("", ["xdg-open", link]), (" : ", ["xdg-open", link]),
      ("firefox  --new-window", ["firefox", "--new-window", link]),
      ("firefox --url %s --private", ["firefox", "--url", link, "--private"]),
      ("show --url=%s", ["show", "--url=" + link]), ("show %%s%c80%d", ["show", "%s:80%d", link]),
      ("show '%s' \"a b\" c\\ d '' '\\'", ["show", link, "a b", "c d", "", "\\"]),
      ("show 'a b", ["show", "a b", link]), ("show 100%", ["show", "100%", link]),
    ])
  func itMayHaveArguments(_ variable: String, _ words: [String]) {
    #expect(self.words(variable) == words)
  }

  @Test("Nothing in an address is taken for a word, an option's place or a shell's sign")
  func nothingInAnAddressCounts() {
    let words = BrowserChoice("show -u %s %s") { _ in true }.words(opening: "https://e.org/'; x %s")
    #expect(words == ["show", "-u", "https://e.org/'; x %s", "https://e.org/'; x %s"])
  }

  @Test("Of several programs the first that is there counts, else the first")
  func theFirstThatIsThereCounts() {
    #expect(words("none -x:w3m -T %s:other") { $0 == "w3m" } == ["w3m", "-T", Self.link])
    #expect(words("none -x:w3m") { _ in false } == ["none", "-x", Self.link])
    let path = "/opt/My Browser/run"
    #expect(words(path) { $0 == path } == [path, Self.link])
    #expect(words("'/opt/My Browser/run' -n") { $0 == path } == [path, "-n", Self.link])
  }

  @Test("A browser of the terminal is known with arguments, too")
  func aBrowserOfTheTerminalIsKnown() {
    func needsTerminal(_ variable: String) -> Bool {
      BrowserChoice(variable) { $0 != "none" && !$0.contains(" ") }.needsTerminal
    }
    #expect(needsTerminal("/usr/bin/w3m -T text/html") && needsTerminal("none:lynx %s"))
    #expect(!needsTerminal("w3mimg") && !needsTerminal("firefox w3m") && !needsTerminal(""))
  }
}
