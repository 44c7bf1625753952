import FeedSync
import Foundation
import Testing

@testable import FeedLibrary

@Suite("A user's cache") struct CacheDirectoryTests {
  @Test("is where --cache, NERDFEED_STATE, XDG_DATA_HOME and HOME say, in this order")
  func order() throws {
    var environment = ["HOME": "/home/ann", "XDG_DATA_HOME": "/data", "NERDFEED_STATE": "/state"]
    func found(_ named: String? = nil) throws -> String {
      try Library.cacheDirectory(named: named, environment: environment)
    }
    #expect(try found("/named") == "/named")
    #expect(try found() == "/state")
    environment["NERDFEED_STATE"] = ""
    #expect(try found() == "/data/nerdfeed")
    environment["XDG_DATA_HOME"] = nil
    #expect(try found() == "/home/ann/.local/share/nerdfeed")
    environment["HOME"] = nil
    #expect(throws: LibraryError.self) { try found() }
  }

  @Test("is one in all working directories with a relative XDG_DATA_HOME, which counts for nothing")
  func relative() throws {
    let environment = ["HOME": "/home/ann", "XDG_DATA_HOME": "data"]
    #expect(
      try Library.cacheDirectory(environment: environment) == "/home/ann/.local/share/nerdfeed")
  }

  @Test("is refused where machines would share it over a network, and not made there")
  func network() throws {
    let house = try Household()
    let container = try house.library("ann").store.container
    let (shared, now) = (house.cache("shared"), house.now)
    let error = #expect(throws: LibraryError.self) {
      try Library(
        container, cache: shared, busySeconds: 0, network: { $0 == shared ? "nfs4" : nil }
      ) { now }
    }
    #expect(error?.cause == .cacheOnNetwork("nfs4") && error?.code == .configuration)
    #expect(error?.subject == shared && error?.hint?.contains("NERDFEED_STATE") == true)
    #expect(!FileManager.default.fileExists(atPath: shared))
    #expect(DatabasePlace.network(of: house.root.path) == nil)
  }
}
