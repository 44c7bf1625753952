import FileCoordination
import Foundation
import Glibc
import SystemPackage
import Testing

/// Links on the way to an item, by which it would have two names.
@Suite struct LinkOnTheWayTests {
  let workshop: Workshop
  let (here, there): (CoordinationDomain, CoordinationDomain)

  init() throws {
    workshop = try Workshop()
    (here, there) = (try workshop.domain(), try workshop.domain())
  }

  private func link(_ path: FilePath, to target: FilePath) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path.string, withDestinationPath: target.string)
  }

  @Test func anItemWhoseFolderBecameALinkWhileItWasWaitedForIsRefused() throws {
    let (folder, aside) = (try workshop.file("folder"), try workshop.file("aside"))
    try Workshop.makeFolder(folder)
    let file = try workshop.file("folder/f", "text")
    let worker = try FileCoordinator(here).write(file) { [there] _ in
      let worker = Worker {
        try FileCoordinator(there).write(file) { _ in _ = Issue.record("the accessor was run") }
      }
      try here.waitForWaiters(1)
      try FileManager.default.moveItem(atPath: folder.string, toPath: aside.string)
      try link(folder, to: aside)
      return worker
    }
    // By the same name another item is claimed by now.
    try FileCoordinator(here).write(file) { path in
      #expect(path == aside.appending("f"))
      #expect(throws: CoordinationError.replaced(path: file.string)) { try worker.join() }
    }
  }

  @Test(arguments: ["link/f", "link/folder/f"])
  func anItemBehindALinkThatLeadsNowhereIsRefused(name: String) throws {
    let target = try workshop.file("target")
    try link(try workshop.file("link"), to: target)
    let file = workshop.files.appending(name)
    let error = CoordinationError.system(operation: "find", path: file.string, errno: ENOENT)
    #expect(throws: error) {
      try FileCoordinator(there).write(file) { _ in _ = Issue.record("the accessor was run") }
    }
    try Workshop.makeFolder(target)
    try FileCoordinator(there).write(file) { path in
      let rest = name.split(separator: "/").dropFirst().joined(separator: "/")
      #expect(path == target.appending(rest))
    }
  }
}
