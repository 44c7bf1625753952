import CanonicalJSON
import Foundation
import Testing

@Suite("What is wrong though a command goes on") struct WarningTests {
  @Test("is told with --format json as errors are: one object a line")
  func inJSON() throws {
    let machine = try Machine()
    try FileManager.default.removeItem(at: machine.folder)
    let put = try machine.feedsync("put", "n", "x", "{}", "--format", "json")
    #expect(put.status == 0)
    #expect(put.errors.split(separator: "\n").count == 1)
    let object = try #require(try JSON(parsing: Array(put.errors.utf8)).object)
    #expect(object.keys == ["warning"])
    let warning = try #require(object["warning"]?.object)
    #expect(warning.keys == ["code", "file", "hint", "message", "operation"])
    #expect(warning["code"] == 66)
    #expect(warning["file"]?.text?.hasPrefix(machine.folder.path) == true)
    #expect(warning["message"]?.text?.contains("working locally") == true)
  }

  @Test("does not keep a program from reading the error behind it")
  func beforeAnError() throws {
    let machine = try Machine()
    try FileManager.default.removeItem(at: machine.folder)
    let get = try machine.feedsync("get", "n", "none", "--format", "json")
    #expect(get.status == 1)
    let objects = try get.errors.split(separator: "\n").map {
      try #require(try JSON(parsing: Array($0.utf8)).object)
    }
    #expect(objects.map(\.keys) == [["warning"], ["error"]])
    #expect(objects.last?["error"]?.object?["code"] == 1)
  }

  @Test("is told to people in words")
  func inText() throws {
    let machine = try Machine()
    try FileManager.default.removeItem(at: machine.folder)
    let put = try machine.feedsync("put", "n", "x", "{}")
    #expect(put.errors.hasPrefix("feedsync: warning: \(machine.folder.path)"))
    #expect(put.errors.contains("\n  hint: "))
  }
}
