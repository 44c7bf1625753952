// swift-tools-version: 6.1
import Foundation
import PackageDescription

// A package of its own, so that the project's build needs no benchmark library. Most of what it
// measures is visible inside the project's package alone, and SwiftPM gives each package a name of its
// own as the last word, so the compiler is told not to ask who may see what.
let project = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().lastPathComponent

let package = Package(
  name: "micro",
  dependencies: [
    .package(path: "../../.."),
    .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
  ],
  targets: [
    .executableTarget(
      name: "Store",
      dependencies: [
        .product(name: "FeedSync", package: project),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/Store",
      swiftSettings: [
        .swiftLanguageMode(.v6), .unsafeFlags(["-Xfrontend", "-disable-access-control"]),
      ],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
