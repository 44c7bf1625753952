import Foundation

/// A Swift file of the project, as text.
struct SourceFile: Sendable, CustomStringConvertible {
  /// Relative to the project's root.
  let path: String
  let lines: [String]

  var description: String { path }

  /// The target's folder, such as "Replication".
  var target: String { String(path.split(separator: "/")[1]) }

  /// The modules it imports, without attributes and submodules.
  var imports: [String] {
    lines.compactMap { line in
      let words = line.split(separator: " ").drop { $0.hasPrefix("@") || Self.access.contains($0) }
      guard words.first == "import", let last = words.last else { return nil }
      return last.split(separator: ".").first.map { String($0) }
    }
  }

  private static let access: Set<Substring> = ["public", "package", "internal"]

  /// Functions and initialisers with their lengths, by indentation, as the formatter leaves it.
  var functions: [(name: String, length: Int)] {
    var result: [(String, Int)] = []
    for (start, line) in lines.enumerated()
    where Self.opensFunction(line) && !line.hasSuffix("}") {
      let indent = line.prefix { $0 == " " }
      guard
        let end = lines[start...].firstIndex(where: { $0 == indent + "}" })
      else { continue }
      result.append((line.trimmingCharacters(in: .whitespaces), end - start + 1))
    }
    return result
  }

  private static func opensFunction(_ line: String) -> Bool {
    let text = line.trimmingCharacters(in: .whitespaces)
    guard !text.hasPrefix("//") else { return false }
    let words = text.split(whereSeparator: { " (<".contains($0) })
    return words.prefix(5).contains { $0 == "func" || $0 == "init" || $0 == "init?" }
  }
}

/// The project's files, found from where this file was compiled.
enum SourceTree {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static func files(under folder: String) throws -> [SourceFile] {
    let base = root.appending(path: folder)
    guard let walk = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
    else { return [] }
    return try walk.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
      .map { url in
        let text = try String(contentsOf: url, encoding: .utf8)
        return SourceFile(
          path: String(url.path.dropFirst(root.path.count + 1)),
          lines: text.components(separatedBy: "\n"))
      }
      .sorted { $0.path < $1.path }
  }
}
