extension JSON {
  /// The canonical text: one line, no spaces, keys sorted by bytes.
  ///
  /// Only `"`, `\` and U+0000–1F are escaped; integers are digits; doubles take the shortest form
  /// that reads back, always with a point or an exponent (`1.0`, `1e+20`, `-0.0`). Reading the text
  /// gives an equal value, and equal values give equal texts.
  public func canonicalBytes() -> [UInt8] {
    var output: [UInt8] = []
    write(into: &output)
    return output
  }

  /// ``canonicalBytes()`` as a `String`, for messages and tests.
  public var canonical: String { String(decoding: canonicalBytes(), as: UTF8.self) }

  /// Appends the canonical text to `output`.
  ///
  /// A double that is not finite is a bug and stops the program: no text would be right, and a
  /// wrong one would be kept for ever.
  package func write(into output: inout [UInt8]) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): output.append(contentsOf: value.description.utf8)
    case .unsigned(let value):
      assert(value > Int64.max, "smaller integers have their own case")
      output.append(contentsOf: value.description.utf8)
    case .double(let value):
      precondition(value.isFinite, "JSON has no infinity and no NaN")
      // Swift's description has the fewest digits that read back, and never digits alone. Above
      // 2⁵³ and below 1e-4 it has an exponent. Digests depend on it: `NumberTests` pins the texts.
      output.append(contentsOf: value.description.utf8)
    case .string(let value): Self.writeString(value, into: &output)
    case .array(let elements): Self.writeArray(elements, into: &output)
    case .object(let object): Self.writeObject(object, into: &output)
    }
  }

  /// Appends `string` with its quotation marks and escapes.
  package static func writeString(_ string: ByteString, into output: inout [UInt8]) {
    writeString(string.bytes.span, into: &output)
  }

  /// Appends well-formed UTF-8 with its quotation marks and escapes.
  ///
  /// For text that is assembled from parts, without a ``JSON`` value for each:
  ///
  ///     JSON.writeString(slice.span, into: &output)
  package static func writeString(_ utf8: Span<UInt8>, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    var written = 0
    for index in utf8.indices {
      let byte = utf8[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
        continue
      }
      append(utf8.extracting(written..<index), to: &output)
      writeEscape(of: byte, into: &output)
      written = index + 1
    }
    append(utf8.extracting(written..<utf8.count), to: &output)
    output.append(UInt8(ascii: "\""))
  }

  private static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
    bytes.withUnsafeBufferPointer { output.append(contentsOf: $0) }
  }

  private static func writeEscape(of byte: UInt8, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: output.append(UInt8(ascii: "b"))
    case 0x09: output.append(UInt8(ascii: "t"))
    case 0x0A: output.append(UInt8(ascii: "n"))
    case 0x0C: output.append(UInt8(ascii: "f"))
    case 0x0D: output.append(UInt8(ascii: "r"))
    case 0..<0x20:
      output.append(contentsOf: byte < 0x10 ? "u000".utf8 : "u00".utf8)
      output.append(contentsOf: String(byte, radix: 16).utf8)
    default: output.append(byte)
    }
  }

  private static func writeArray(_ elements: [JSON], into output: inout [UInt8]) {
    output.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      element.write(into: &output)
    }
    output.append(UInt8(ascii: "]"))
  }

  private static func writeObject(_ object: JSONObject, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      writeString(member.key, into: &output)
      output.append(UInt8(ascii: ":"))
      member.value.write(into: &output)
    }
    output.append(UInt8(ascii: "}"))
  }
}
