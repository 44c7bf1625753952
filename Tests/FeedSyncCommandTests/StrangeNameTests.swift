import Foundation
import Testing

@Suite("Names that come from the folder") struct StrangeNameTests {
  @Test("write no lines of their own into what is told, and command no terminal")
  func controls() throws {
    let machine = try Machine(initialised: false)
    let name = "x\nforged\u{1B}[31m\u{7F}\u{9B}1m"
    let created = try machine.feedsync("init", machine.folder.path, "--identifier", name)
    #expect(created.status == 0)
    try machine.feedsync("put", "n", "d", #"{"x\nforged\u001b[31m\u007f\u009b1m":1}"#)
    let directory = try #require(try machine.logs().first).deletingLastPathComponent()
    try Data().write(to: directory.appending(path: name + ".txt"))
    for command in [["status"], ["containers"], ["history", "n", "d"], ["leave"]] {
      let run = try Command.run(command, environment: machine.environment)
      #expect(run.status == 0)
      #expect(!run.lines.contains { $0.hasPrefix("forged") }, "\(command)")
      #expect(run.output.contains(#"x\nforged\u001b[31m\u007f\u009b1m"#), "\(command)")
      let controls = run.output.unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n"
      }
      #expect(controls.isEmpty, "\(command)")
    }
  }
}
