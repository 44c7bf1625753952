import CanonicalJSON

/// Names and paths that others have chosen, as they are told to people.
package enum NameText {
  /// A name on one line, whatever is in it.
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    // Canonical JSON leaves those beyond ASCII as they are, with which terminals take commands too.
    let quoted = JSON.string(ByteString(text)).canonical
    return coded(quoted, where: isControl)
  }

  /// What is told of something, with names in it that others chose: it may have lines, but commands
  /// no terminal.
  package static func printable(_ text: String) -> String {
    coded(text) { isControl($0) && $0 != "\n" }
  }

  private static func coded(
    _ text: String, where isCoded: (Unicode.Scalar) -> Bool
  ) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      guard isCoded(scalar) else { return result.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
