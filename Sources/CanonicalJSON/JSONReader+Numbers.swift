extension JSONReader {
  /// The number whose sign or first digit is the next byte.
  mutating func number(in text: Span<UInt8>) throws(JSONError) -> JSON {
    let start = offset
    let isNegative = text[offset] == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    let first = offset
    let magnitude = try digits(ofNumberAt: start, in: text)
    // One zero is a number, a zero before other digits is not.
    if offset - first > 1, text[first] == UInt8(ascii: "0") {
      throw JSONError(.invalidNumber, at: start)
    }
    let hasFraction = next(is: UInt8(ascii: "."), in: text)
    if hasFraction {
      offset += 1
      _ = try digits(ofNumberAt: start, in: text)
    }
    let hasExponent = next(is: UInt8(ascii: "e"), in: text) || next(is: UInt8(ascii: "E"), in: text)
    if hasExponent {
      offset += 1
      if next(is: UInt8(ascii: "+"), in: text) || next(is: UInt8(ascii: "-"), in: text) {
        offset += 1
      }
      _ = try digits(ofNumberAt: start, in: text)
    }
    if hasFraction || hasExponent { return .double(try double(from: start, in: text)) }
    guard let value = Self.integer(magnitude, isNegative: isNegative) else {
      throw JSONError(.numberOutOfRange, at: start)
    }
    return value
  }

  /// Passes at least one digit; their value, or nil if it does not fit.
  private mutating func digits(
    ofNumberAt start: Int, in text: Span<UInt8>
  ) throws(JSONError) -> UInt64? {
    let first = offset
    var value: UInt64 = 0
    var fits = true
    while offset < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[offset] {
      let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tenfold.addingReportingOverflow(UInt64(text[offset] - UInt8(ascii: "0")))
      value = sum
      fits = fits && !overflow && !carry
      offset += 1
    }
    guard offset > first else { throw JSONError(.invalidNumber, at: start) }
    return fits ? value : nil
  }

  private static func integer(_ magnitude: UInt64?, isNegative: Bool) -> JSON? {
    guard let magnitude else { return nil }
    guard isNegative else { return JSON(magnitude) }
    guard magnitude <= Int64.min.magnitude else { return nil }
    return .integer(Int64(truncatingIfNeeded: 0 &- magnitude))
  }

  /// The double nearest to the text from `start` up to here, whose grammar has been checked.
  private func double(from start: Int, in text: Span<UInt8>) throws(JSONError) -> Double {
    let digits = text.extracting(start..<offset).withUnsafeBufferPointer {
      String(decoding: $0, as: UTF8.self)
    }
    guard let value = Double(digits), value.isFinite else {
      throw JSONError(.numberOutOfRange, at: start)
    }
    return value
  }

  private func next(is byte: UInt8, in text: Span<UInt8>) -> Bool {
    offset < text.count && text[offset] == byte
  }
}
