// swift-tools-version: 6.1
import Foundation
import PackageDescription

// A package of its own, so that the project's build needs no benchmark library. What it measures is
// visible inside the project's package alone, whose name is that of the folder it stands in: these
// benchmarks are compiled as a part of it.
let project = URL(fileURLWithPath: Context.packageDirectory).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent().lastPathComponent.lowercased()
let packageName = String(project.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })

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
        .swiftLanguageMode(.v6), .unsafeFlags(["-package-name", packageName]),
      ],
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ]
)
