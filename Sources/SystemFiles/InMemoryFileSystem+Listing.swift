import SystemPackage

extension InMemoryFileSystem {
  /// All files as text, one a line, sorted: what a failing test prints.
  ///
  ///     directory  /logs/
  ///     regular    /logs/a.log 12
  ///     symbolicLink /logs/b -> a.log
  package var tree: String {
    state.withLock { state in
      var lines: [String] = []
      state.tree.describe(InMemoryTree.root, path: "", into: &lines)
      return lines.joined(separator: "\n")
    }
  }
}

extension InMemoryTree {
  fileprivate func describe(_ number: UInt64, path: String, into lines: inout [String]) {
    guard let node = nodes[number] else { return }
    for name in node.entries.keys.sortedByBytes() {
      guard let child = node.entries[name], let found = nodes[child] else { continue }
      let childPath = path + "/" + Self.printable(name.bytes)
      switch found.kind {
      case .directory:
        lines.append("\(found.kind.rawValue) \(childPath)/")
        describe(child, path: childPath, into: &lines)
      case .regular: lines.append("\(found.kind.rawValue) \(childPath) \(found.content.count)")
      case .symbolicLink:
        let target = Self.printable(found.target.bytes)
        lines.append("\(found.kind.rawValue) \(childPath) -> \(target)")
      default: lines.append("\(found.kind.rawValue) \(childPath)")
      }
    }
  }

  /// Bytes that are not printable ASCII as `\xNN`, so that a line stays a line.
  private static func printable(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      if (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") {
        return String(UnicodeScalar(byte))
      }
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }
}
