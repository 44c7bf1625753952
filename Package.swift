// swift-tools-version: 6.2
import PackageDescription

// The order of the targets is the order of the layers: a module imports only what stands above
// it. `Tests/TidyTests` holds the sources to it.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

/// Of targets whose tests look at what is internal: release builds, which the tests are, show that
/// only where they are told to.
let testable = strict + [.unsafeFlags(["-enable-testing"], .when(configuration: .release))]

// Tests that drive what they test, and compute little themselves: optimizing them would take longer
// than it saves.
let driving = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let staticLibraries = [
  "CoreFoundation", "_FoundationCShims", "_FoundationCollections", "_CFXMLInterface",
  "_CFURLSessionInterface", "_FoundationICU", "BlocksRuntime", "dispatch", "stdc++", "m",
].map { "-l\($0)" }

// What else a start need not look for: the C++ library, of which tools/build puts an archive there,
// and the compiler's. And no table of twenty thousand names that no library asks the program for.
let fewerLibraries = [
  "-L\(Context.packageDirectory)/.build/archives", "-Xclang-linker", "-static-libgcc",
  "-Xlinker", "--no-export-dynamic",
]

// Loose, a hundred thousand relocations are two and a half megabytes that each start reads and that
// stay in a process's memory; packed, twenty kilobytes.
let packedRelocations = ["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"]

/// Of programs: Swift's libraries inside, so that they start in half the time, and need no
/// toolchain.
///
/// Only where tools/build asks for it, and only for the linker: `--static-swift-stdlib` would
/// compile all that the tests have compiled once more. The libraries are what Foundation's archives
/// need, which only modules that were compiled with that flag name to the linker.
let standalone: [LinkerSetting] =
  switch Context.environment["FEEDSYNC_LINK"] {
  case "static":
    [
      .unsafeFlags(
        ["-static-stdlib"] + fewerLibraries + staticLibraries, .when(platforms: [.linux]))
    ]
  case "packed":
    [
      .unsafeFlags(
        ["-static-stdlib"] + fewerLibraries + staticLibraries + packedRelocations,
        .when(platforms: [.linux]))
    ]
  default: []
  }

let package = Package(
  name: "feedsync",
  products: [
    .library(name: "FeedSync", targets: ["FeedSync"]),
    .executable(name: "feedsync", targets: ["FeedSyncCommand"]),
    .executable(name: "feedsync-simulate", targets: ["SyncSimulator"]),
    .executable(name: "nerdfeed", targets: ["NerdfeedCommand"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
  ],
  targets: [
    .target(name: "CanonicalJSON", swiftSettings: strict),
    .target(name: "Replication", dependencies: ["CanonicalJSON"], swiftSettings: strict),
    .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "SegmentFormat",
      dependencies: [
        "CanonicalJSON", "Replication", "CZlib",
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: strict),
    .target(
      name: "SystemFiles",
      dependencies: [.product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
    .target(
      name: "BackgroundService",
      dependencies: [
        "SystemFiles", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "FileCoordination",
      dependencies: [
        "SystemFiles", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .systemLibrary(name: "CInotifyTools", providers: [.apt(["libinotifytools0-dev"])]),
    .target(
      name: "FolderWatching",
      dependencies: [
        "SystemFiles", "CInotifyTools",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "SharedFolder",
      dependencies: [
        "CanonicalJSON", "Replication", "SegmentFormat", "SystemFiles",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "BlobStorage",
      dependencies: [
        "CanonicalJSON", "Replication", "SystemFiles", "SharedFolder",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "DocumentFiles",
      dependencies: [
        "SystemFiles", "FileCoordination", "FolderWatching", "SharedFolder",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "DocumentStorage",
      dependencies: [
        "CanonicalJSON", "Replication", "SegmentFormat", "SystemFiles",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .target(
      name: "Syncing",
      dependencies: [
        "CanonicalJSON", "Replication", "SegmentFormat", "SystemFiles", "FolderWatching",
        "SharedFolder", "BlobStorage", "DocumentStorage",
      ],
      swiftSettings: strict),
    .target(
      name: "FeedSync",
      dependencies: [
        "CanonicalJSON", "Replication", "SegmentFormat", "SystemFiles", "FileCoordination",
        "FolderWatching", "SharedFolder", "BlobStorage", "DocumentFiles", "DocumentStorage",
        "Syncing",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "FeedSyncCommand",
      dependencies: [
        "FeedSync", "BackgroundService",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict, linkerSettings: standalone),
    .systemLibrary(
      name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .target(name: "FeedReading", dependencies: ["CLibXML2"], swiftSettings: strict),
    .target(
      name: "FeedFetching",
      dependencies: [
        "CZlib", "FeedReading",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: testable),
    .target(
      name: "FeedLibrary",
      dependencies: [
        "FeedReading", "FeedSync", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: testable),
    .executableTarget(
      name: "NerdfeedCommand",
      dependencies: [
        "FeedReading", "FeedFetching", "FeedLibrary", "FeedSync",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: testable, linkerSettings: standalone),
    .executableTarget(
      name: "InStepExample", dependencies: ["FeedSync"], swiftSettings: strict),
    .executableTarget(
      name: "BookmarksExample", dependencies: ["FeedSync"], swiftSettings: strict),
    .target(name: "ReferenceModel", dependencies: ["CanonicalJSON"], swiftSettings: strict),
    .executableTarget(
      name: "SyncSimulator",
      dependencies: [
        "FeedSync", "ReferenceModel",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict, linkerSettings: standalone),

    .target(
      name: "TestSupport",
      dependencies: [
        "FolderWatching", "SystemFiles", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "CanonicalJSONTests", dependencies: ["CanonicalJSON", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ReplicationTests",
      dependencies: ["CanonicalJSON", "Replication", "ReferenceModel"],
      swiftSettings: strict),
    .testTarget(
      name: "SegmentFormatTests",
      dependencies: ["CanonicalJSON", "Replication", "SegmentFormat", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SystemFilesTests",
      dependencies: [
        "SystemFiles", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "BackgroundServiceTests",
      dependencies: [
        "BackgroundService", "SystemFiles",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .executableTarget(
      name: "CoordinationPeer",
      dependencies: [
        "FileCoordination", .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/CoordinationPeer", swiftSettings: strict, linkerSettings: standalone),
    .executableTarget(
      name: "DocumentPeer",
      dependencies: [
        "DocumentFiles", "FileCoordination",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/DocumentPeer", swiftSettings: strict, linkerSettings: standalone),
    .testTarget(
      name: "FileCoordinationTests",
      dependencies: [
        "FileCoordination", "SystemFiles", "CoordinationPeer", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "BlobStorageTests",
      dependencies: [
        "BlobStorage", "CanonicalJSON", "Replication", "SharedFolder", "SystemFiles", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "DocumentFilesTests",
      dependencies: [
        "DocumentFiles", "FileCoordination", "FolderWatching", "SharedFolder", "SystemFiles",
        "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "FolderWatchingTests",
      dependencies: [
        "FolderWatching", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "SyncingTests",
      dependencies: [
        "CanonicalJSON", "Replication", "SegmentFormat", "SystemFiles", "SharedFolder",
        "BlobStorage", "DocumentStorage", "FolderWatching", "Syncing", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "MigrationTests",
      dependencies: [
        "CanonicalJSON", "Replication", "SharedFolder", "SystemFiles", "DocumentStorage", "Syncing",
        "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "FeedSyncCommandTests",
      dependencies: [
        "CanonicalJSON", "CoordinationPeer", "FeedSyncCommand", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "FeedSyncTests",
      dependencies: [
        "FeedSync", "FeedSyncCommand", "InStepExample", "BookmarksExample", "Replication",
        "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: driving),
    .testTarget(name: "FeedReadingTests", dependencies: ["FeedReading"], swiftSettings: driving),
    .testTarget(
      name: "FeedFetchingTests",
      dependencies: [
        "CZlib", "FeedFetching", "FeedReading",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ],
      swiftSettings: driving),
    .testTarget(
      name: "FeedLibraryTests", dependencies: ["FeedLibrary", "FeedReading", "FeedSync"],
      swiftSettings: driving),
    .testTarget(
      name: "NerdfeedCommandTests",
      dependencies: ["NerdfeedCommand", "FeedFetching", "FeedLibrary", "FeedReading", "FeedSync"],
      swiftSettings: driving),
    .testTarget(name: "TidyTests", swiftSettings: driving),
  ]
)
