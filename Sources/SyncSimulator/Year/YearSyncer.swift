import Foundation
import SystemPackage

/// Carries files between the devices' folders and one that is always there, as the device that is
/// always on has it.
///
/// Of each stream the folder of the device that looks after it is the truth, additions and removals
/// alike. Files are linked, not copied: nobody changes one.
struct YearSyncer {
  /// Files of a folder.
  struct Sum: Codable {
    var files = 0
    var bytes = 0

    mutating func add(_ size: Int) {
      files += 1
      bytes += size
    }
  }

  private let logs: FilePath
  /// Of each stream the files that are there, and their sizes.
  private(set) var streams: [String: [String: Int]] = [:]
  /// What was ever brought there.
  private(set) var brought = Sum()

  init(folder: FilePath) throws {
    logs = folder.appending("logs")
    try FileManager.default.createDirectory(
      atPath: logs.string, withIntermediateDirectories: false)
  }

  func present(of stream: String) -> Sum {
    (streams[stream] ?? [:]).values.reduce(into: Sum()) { $0.add($1) }
  }

  var present: Sum {
    streams.keys.reduce(into: Sum()) { sum, stream in
      let part = present(of: stream)
      sum.files += part.files
      sum.bytes += part.bytes
    }
  }

  /// Brings what a device has written, and takes away what it has removed.
  mutating func push(from machine: YearMachine) throws {
    for stream in try machine.tended() { try push(stream, from: machine) }
  }

  private mutating func push(_ stream: String, from machine: YearMachine) throws {
    let source = machine.device.container.logs.appending(stream)
    let target = logs.appending(stream)
    let names = try Set(Self.list(source))
    var known = streams[stream] ?? [:]
    if known.isEmpty, !names.isEmpty { try Self.makeDirectory(target) }
    for name in names where known[name] == nil {
      let size = try Self.link(source.appending(name), target.appending(name))
      known[name] = size
      brought.add(size)
    }
    for name in known.keys where !names.contains(name) {
      try FileManager.default.removeItem(atPath: target.appending(name).string)
      known[name] = nil
    }
    streams[stream] = known
  }

  /// Makes a device's folder have what the one that is always there has of others.
  func pull(to machine: YearMachine) throws {
    let folder = machine.device.container.logs
    let tended = try Set(machine.tended())
    for (stream, files) in streams where !tended.contains(stream) && !files.isEmpty {
      let target = folder.appending(stream)
      var known = machine.names[stream] ?? []
      if known.isEmpty {
        try Self.makeDirectory(folder)
        try Self.makeDirectory(target)
      }
      for name in known where files[name] == nil {
        try FileManager.default.removeItem(atPath: target.appending(name).string)
        known.remove(name)
      }
      for name in files.keys where !known.contains(name) {
        _ = try Self.link(logs.appending(stream).appending(name), target.appending(name))
        known.insert(name)
      }
      machine.names[stream] = known
    }
  }

  /// Keeps all that is there now beside it, with the marker.
  func keep(as folder: FilePath) throws {
    try FileManager.default.copyItem(
      atPath: logs.removingLastComponent().string, toPath: folder.string)
  }

  private static func list(_ directory: FilePath) throws -> [String] {
    guard FileManager.default.fileExists(atPath: directory.string) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: directory.string)
  }

  private static func makeDirectory(_ path: FilePath) throws {
    try FileManager.default.createDirectory(
      atPath: path.string, withIntermediateDirectories: true)
  }

  /// - returns: how many bytes the file has.
  private static func link(_ source: FilePath, _ target: FilePath) throws -> Int {
    try FileManager.default.linkItem(atPath: source.string, toPath: target.string)
    let attributes = try FileManager.default.attributesOfItem(atPath: target.string)
    return (attributes[.size] as? Int) ?? 0
  }
}
