import CanonicalJSON

/// Names and paths that others have chosen, as they are told to people.
package enum NameText {
  /// A name on one line, whatever is in it.
  package static func escaped(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    // Canonical JSON leaves those beyond ASCII as they are, with which terminals take commands too.
    let quoted = JSON.string(ByteString(text)).canonical
    return quoted.unicodeScalars.reduce(into: "") { line, scalar in
      if isControl(scalar) {
        line += "\\u00" + String(scalar.value, radix: 16)
      } else {
        line.unicodeScalars.append(scalar)
      }
    }
  }

  /// What is told of something, with names in it that others chose: it may have lines, but commands
  /// no terminal.
  package static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isCommand) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isCommand(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }

  private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
    isControl(scalar) && scalar != "\n"
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
