import BackgroundService
import SystemFiles
import SystemPackage
import Testing

@Suite("Installing a service") struct ServiceInstallerTests {
  @Test("writes, enables and starts the unit; done again, it changes nothing")
  func install() throws {
    let scene = Scene()
    let service = try WatchService.sample()
    let first = try scene.installer.install(service)
    #expect(first == .init(change: .installed, start: .started))
    #expect(scene.text(service.unit) == UnitText.render(service))
    #expect(scene.manager.running == [service.unit.description])
    let names = scene.names
    #expect(names.count == 2)
    #expect(names.contains { $0.contains("default.target.wants") && $0.contains("-> /home") })

    let again = try scene.installer.install(service)
    #expect(again == .init(change: .unchanged, start: .ranAlready))
    #expect(scene.names == names)
    #expect(scene.manager.told == ["daemon-reload", "restart", "daemon-reload"])
  }

  @Test("starts it anew where it has become another one, and where it has ended")
  func update() throws {
    let scene = Scene()
    let old = try WatchService.sample()
    _ = try scene.installer.install(old)
    let new = try WatchService.sample(container: "/home/ann/Moved")
    #expect(try !scene.installer.status(of: old.unit).isCurrent(new))
    #expect(
      try scene.installer.install(new)
        == .init(change: .updated, start: .started))
    #expect(try scene.installer.status(of: old.unit).isCurrent(new))
    scene.manager.change { $0.running = [] }
    #expect(
      try scene.installer.install(new) == .init(change: .unchanged, start: .started))
  }

  @Test("starts it anew where it has become another one while systemd could not be asked")
  func updateUnheard() throws {
    let scene = Scene()
    _ = try scene.installer.install(try .sample())
    let new = try WatchService.sample(container: "/home/ann/Moved")
    scene.manager.change { $0.isReachable = false }
    #expect(try scene.installer.install(new).change == .updated)
    scene.manager.change { $0.isReachable = true }
    #expect(
      try scene.installer.install(new) == .init(change: .unchanged, start: .started))
    #expect(
      try scene.installer.install(new) == .init(change: .unchanged, start: .ranAlready))
  }

  @Test("without a systemd that answers enables it for the next login")
  func unreachable() throws {
    let scene = Scene()
    scene.manager.change { $0.isReachable = false }
    let service = try WatchService.sample()
    let done = try scene.installer.install(service)
    #expect(
      done
        == .init(
          change: .installed, start: .unreachable("Failed to connect to bus: No medium found")))
    let status = try scene.installer.status(of: service.unit)
    #expect(status.isInstalled && status.isEnabled)
    #expect(scene.names.count == 2)
    let removal = try scene.installer.remove(service.unit)
    #expect(removal.wasInstalled && removal.unreachable != nil)
    #expect(scene.names.isEmpty)
  }

  @Test("starts nothing where systemd reads its units elsewhere")
  func elsewhere() throws {
    let scene = Scene()
    scene.manager.change { $0.directory = "/root/.config/systemd/user" }
    let service = try WatchService.sample()
    #expect(try scene.installer.install(service).start == .readsElsewhere)
    #expect(scene.manager.told == ["daemon-reload"])
    _ = try scene.installer.remove(service.unit)
    #expect(scene.manager.told == ["daemon-reload"])
    #expect(scene.names.isEmpty)
  }

  @Test("and removing it leave what others wrote")
  func foreign() throws {
    let scene = Scene()
    let service = try WatchService.sample()
    let file = scene.installer.file(of: service.unit)
    let other = Scene.directory.appending("other.service")
    scene.files.put(file, Array("[Service]\n".utf8))
    scene.files.put(other, [1])
    #expect(throws: ServiceError.notOurs(file)) { try scene.installer.install(service) }
    #expect(throws: ServiceError.notOurs(file)) { try scene.installer.remove(service.unit) }
    #expect(try scene.installer.installed().isEmpty)
    scene.files.removeTree(file)
    let before = scene.names
    _ = try scene.installer.install(service)
    #expect(try scene.installer.installed() == [service.unit])
    #expect(try scene.installer.remove(service.unit).wasInstalled)
    #expect(scene.names == before)
  }

  @Test("and removing it undoes all, the directories too, and can be done twice")
  func remove() throws {
    let scene = Scene()
    let (one, two) = (
      try WatchService.sample(), try WatchService.sample(id: "bbbbbbbbbbbbbbbbbbbb")
    )
    _ = try scene.installer.install(one)
    _ = try scene.installer.install(two)
    #expect(try scene.installer.installed().count == 2)
    #expect(try scene.installer.remove(one.unit) == .init(wasInstalled: true, unreachable: nil))
    #expect(scene.manager.running == [two.unit.description])
    #expect(try scene.installer.status(of: two.unit).isEnabled)
    #expect(try scene.installer.remove(one.unit) == .init(wasInstalled: false, unreachable: nil))
    _ = try scene.installer.remove(two.unit)
    #expect(scene.manager.running == [])
    #expect((try? scene.files.status(of: "/home/ann/.config/systemd")) == nil)
    #expect((try? scene.files.status(of: "/home/ann/.config")) != nil)
    #expect(scene.manager.told.suffix(2) == ["stop", "daemon-reload"])
  }

  @Test("and removing it ends what still runs, though its file is gone")
  func removedByHand() throws {
    let scene = Scene()
    let service = try WatchService.sample()
    _ = try scene.installer.install(service)
    scene.files.removeTree(scene.installer.file(of: service.unit))
    #expect(try scene.installer.remove(service.unit).wasInstalled)
    #expect(scene.manager.running == [] && scene.names.isEmpty)
    #expect(try !scene.installer.remove(service.unit).wasInstalled)
  }

  @Test("says what systemd refuses")
  func refused() throws {
    let scene = Scene()
    scene.manager.change { $0.refused = ["restart"] }
    let service = try WatchService.sample()
    #expect(
      throws: ServiceError.refused(
        command: "systemctl --user restart \(service.unit)", detail: "Job failed.")
    ) { try scene.installer.install(service) }
  }

  @Test("tells whether the program that it names is still there")
  func program() throws {
    let scene = Scene()
    let service = try WatchService.sample()
    _ = try scene.installer.install(service)
    let status = try scene.installer.status(of: service.unit)
    #expect(status.program == service.executable)
    #expect(!status.programExists)
    scene.files.put(FilePath(service.executable), [1])
    #expect(try scene.installer.status(of: service.unit).programExists)
  }

  @Test("is not left half done by a failure: done again, it is whole", arguments: 1...12)
  func failures(call: Int) throws {
    let scene = Scene()
    let service = try WatchService.sample()
    scene.files.kill(at: call)
    let failed = (try? scene.installer.install(service)) == nil
    #expect(failed == scene.files.wasKilled)
    scene.files.reboot()
    _ = try scene.installer.install(service)
    #expect(scene.text(service.unit) == UnitText.render(service))
    let status = try scene.installer.status(of: service.unit)
    #expect(status.isEnabled && status.isCurrent(service))
  }
}

@Suite("The program's path") struct ProgramPathTests {
  private let links: [FilePath: FilePath] = [
    "/home/ann/bin/feedsync": "/opt/feedsync-2/feedsync",
    "/opt/feedsync-2/feedsync": "/opt/feedsync-2/feedsync",
    "/usr/bin/feedsync": "/usr/bin/feedsync",
  ]

  private func choose(_ called: String, in directory: FilePath = "/home/ann") -> FilePath {
    ProgramPath.choose(
      called: called, searchPath: "/usr/bin:bin:/opt/feedsync-2", workingDirectory: directory,
      own: "/opt/feedsync-2/feedsync", resolve: { links[$0] })
  }

  @Test("is the one by which it was called, links and all")
  func called() {
    #expect(choose("/home/ann/bin/feedsync") == "/home/ann/bin/feedsync")
    #expect(choose("./bin/../bin/feedsync") == "/home/ann/bin/feedsync")
    // Found by the search path, past a program of the same name that is another one.
    #expect(choose("feedsync") == "/home/ann/bin/feedsync")
    #expect(choose("feedsync", in: "/") == "/opt/feedsync-2/feedsync")
  }

  @Test("is its own where it was called by a name that leads elsewhere")
  func elsewhere() {
    #expect(choose("/usr/bin/feedsync") == "/opt/feedsync-2/feedsync")
    #expect(choose("") == "/opt/feedsync-2/feedsync")
  }
}
