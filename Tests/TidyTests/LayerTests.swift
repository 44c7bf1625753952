import Foundation
import Testing

/// A module imports only what stands before it in the table of modules.
@Suite struct LayerTests {
  /// The table, from the bottom up.
  static let layers = [
    "CanonicalJSON", "Replication", "CZlib", "SegmentFormat", "SystemFiles", "BackgroundService",
    "FileCoordination", "CInotifyTools", "FolderWatching", "SharedFolder", "BlobStorage",
    "DocumentFiles", "DocumentStorage", "Syncing", "FeedSync", "FeedSyncCommand", "CLibXML2",
    "FeedReading",
    "FeedFetching", "FeedLibrary", "NerdfeedCommand", "InStepExample", "BookmarksExample",
    "ReferenceModel",
    "SyncSimulator",
  ]

  /// What modules may use besides; an empty list means nothing at all.
  static let outside: [String: Set<String>] = [
    "CanonicalJSON": ["Glibc"], "Replication": [],
    "SegmentFormat": ["Crypto"],
    "SystemFiles": ["Glibc", "SystemPackage", "Synchronization"],
    "BackgroundService": ["SystemPackage"],
    "FileCoordination": ["Dispatch", "Glibc", "SystemPackage", "Synchronization"],
    "FolderWatching": ["Dispatch", "Glibc", "SystemPackage", "Synchronization"],
    "SharedFolder": ["SystemPackage"],
    "BlobStorage": ["Crypto", "SystemPackage"],
    "DocumentFiles": [
      "Crypto", "Dispatch", "Foundation", "Glibc", "SystemPackage", "Synchronization",
    ],
    "DocumentStorage": [
      "Dispatch", "Foundation", "GRDB", "GRDBSQLite", "Synchronization", "SystemPackage",
    ],
    "Syncing": ["SystemPackage", "Synchronization"],
    "FeedSync": ["Dispatch", "Foundation", "Synchronization", "SystemPackage"],
    "FeedSyncCommand": [
      "ArgumentParser", "Foundation", "Synchronization", "SystemPackage",
    ],
    "FeedReading": ["Glibc"],
    "FeedFetching": [
      "AsyncHTTPClient", "Glibc", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Synchronization",
    ],
    "FeedLibrary": ["Crypto", "Foundation", "GRDB"],
    "NerdfeedCommand": ["ArgumentParser", "Foundation", "Synchronization"],
    "InStepExample": ["Foundation"], "BookmarksExample": ["Foundation"],
    "ReferenceModel": [],
    "SyncSimulator": ["ArgumentParser", "Foundation", "Synchronization", "SystemPackage"],
  ]

  @Test func everyModuleImportsOnlyLowerLayersAndWhatItIsAllowed() throws {
    let files = try SourceTree.files(under: "Sources")
    #expect(files.count > 50)
    for file in files {
      let own = try #require(Self.layers.firstIndex(of: file.target), "\(file) has no layer")
      for module in file.imports {
        if let layer = Self.layers.firstIndex(of: module) {
          #expect(layer < own, "\(file) imports \(module), which stands above it")
        } else {
          let allowed = Self.outside[file.target] ?? []
          #expect(allowed.contains(module), "\(file) imports \(module)")
        }
      }
    }
  }

  @Test func theExamplesUseTheLibraryAlone() throws {
    let examples = try SourceTree.files(under: "Sources").filter { $0.target.hasSuffix("Example") }
    #expect(examples.count == 2)
    for file in examples { #expect(Set(file.imports) == ["FeedSync", "Foundation"], "\(file)") }
  }

  @Test func theFeedReaderUsesThePublicLibraryAlone() throws {
    let reader: Set<String> = ["FeedLibrary", "NerdfeedCommand"]
    let files = try SourceTree.files(under: "Sources").filter { reader.contains($0.target) }
    #expect(files.count > 20)
    let allowed = reader.union(["FeedFetching", "FeedReading", "FeedSync"])
    for file in files {
      let below = Set(file.imports).intersection(Self.layers)
      #expect(below.isSubset(of: allowed), "\(file) imports \(below.subtracting(allowed))")
    }
  }

  @Test func noTypeIsNamedLikeAModule() throws {
    let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    for file in try SourceTree.files(under: "Sources") {
      for line in file.lines {
        let words = line.split(whereSeparator: { " :<{(".contains($0) })
        guard let kind = words.firstIndex(where: { kinds.contains($0) }),
          kind + 1 < words.endIndex, !line.contains("//")
        else { continue }
        #expect(!Self.layers.contains(String(words[kind + 1])), "\(file): \(line)")
      }
    }
  }

  @Test func theManifestListsTheTargetsInTheOrderOfTheLayers() throws {
    let text = try SourceTree.text(of: "Package.swift")
    let manifest = try #require(text.components(separatedBy: "\n  targets: [").last)
    let places = try Self.layers.map { layer in
      try #require(manifest.range(of: "name: \"\(layer)\""), "\(layer)").lowerBound
    }
    #expect(places == places.sorted())
  }

  @Test func thePageOfTheArchitectureTellsOfEveryModuleInThatOrder() throws {
    let text = try SourceTree.text(of: "Sources/FeedSync/FeedSync.docc/Architecture.md")
    let rows = text.matches(of: /\n\| `(\w+)` \|/).map { String($0.output.1) }
    // What is C, or an example, stands behind the table.
    let besides = text.matches(of: /`(C[A-Z]\w+|\w+Example)`/).map { String($0.output.1) }
    #expect(rows == Self.layers.filter { !besides.contains($0) })
    #expect(besides.allSatisfy { Self.layers.contains($0) })
  }
}
