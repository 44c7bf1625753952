import SystemFiles
import SystemPackage

extension SyncerIgnoreFile {
  /// What is wrong with the syncer's ignore file.
  package struct Findings: Hashable, Sendable {
    package let file: FilePath
    /// Patterns that keep feedsync's temporaries from being carried, and are not there.
    package let missing: [String]
    /// Patterns that keep feedsync's own files from being carried.
    package let harmful: [String]
  }

  /// Looks at the ignore file of the Syncthing folder that holds the container.
  ///
  /// - returns: nil if there is none: other syncers read other files.
  package func inspect() throws(FileError) -> Findings? {
    let folder = syncerRoot()
    guard container.files.shows(".stfolder", in: folder) else { return nil }
    let file = folder.appending(".stignore")
    let lines = String(decoding: try contents(of: file), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { Self.pattern(of: $0) }
    return Findings(
      file: file, missing: Self.patterns.filter { !lines.contains($0) },
      harmful: Self.harmful(among: lines))
  }

  /// A line without the marks that change how it is matched, not what.
  private static func pattern(of line: Substring) -> String {
    var rest = line.drop { $0 == " " || $0 == "\t" }
    while let mark = ["(?i)", "(?d)"].first(where: { rest.hasPrefix($0) }) {
      rest = rest.dropFirst(mark.count)
    }
    return String(rest.reversed().drop { $0 == " " || $0 == "\t" || $0 == "\r" }.reversed())
  }

  /// The lines that hide something of feedsync's which no line before them has asked for: the first
  /// that matches decides.
  private static func harmful(among lines: [String]) -> [String] {
    let wanted = lines.firstIndex { line in
      ["!logs/**/*.log", "!/logs/**/*.log", "!**/*.log", "!*.log", "!logs/**", "!/logs/**"]
        .contains(line)
    }
    return lines.enumerated().filter { index, line in
      guard hides(line) else { return false }
      // The marker is asked for by none of those.
      return line.hasSuffix(".container") || wanted.map { index < $0 } ?? true
    }.map(\.element)
  }

  /// Whether a pattern matches segments, their folders or the marker: those that people write.
  private static func hides(_ pattern: String) -> Bool {
    let plain = pattern.hasPrefix("**/") ? String(pattern.dropFirst(3)) : pattern
    return ["*.log", "*.log*", "logs", "logs/", "/logs", "/logs/", "logs/**", "*.container"]
      .contains(plain) || plain.hasSuffix(Marker.name.string)
  }
}
