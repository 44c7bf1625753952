/// What a text may cost its reader.
public struct JSONLimits: Equatable, Sendable {
  /// How many arrays and objects may be open at once; `[]` is 1 deep, a number 0.
  ///
  /// The reader calls itself once a level, so this also bounds the stack.
  public var maximumDepth: Int

  /// How many bytes the text may have, white space included; nil is no limit.
  public var maximumBytes: Int?

  /// The depth of the contract, and any size, unless told otherwise.
  public init(maximumDepth: Int = 64, maximumBytes: Int? = nil) {
    self.maximumDepth = maximumDepth
    self.maximumBytes = maximumBytes
  }
}

extension JSON {
  /// Reads one JSON text (RFC 8259) of any kind, strictly.
  ///
  ///     try JSON(parsing: Array(#" {"b": 1, "a": 2.50} "#.utf8)).canonical  // {"a":2.5,"b":1}
  ///
  /// Digits alone are an integer, and `-0` is 0; a fraction or an exponent makes a double, rounded
  /// to the nearest one, so that a number too small to be told from zero becomes 0.0 or -0.0.
  ///
  /// - throws: ``JSONError``: for what is not JSON, and also for duplicate keys, lone surrogates,
  ///   numbers out of range, a byte order mark, and more than the limits allow. Malformed UTF-8 is
  ///   reported first, wherever it is.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: bytes.span, limits: limits)
  }

  /// Reads one JSON text from a part of something larger, without copying it first.
  ///
  ///     try JSON(parsing: line.span)  // `line` is an ArraySlice<UInt8>
  ///
  /// Offsets in errors count from the start of `text`.
  /// - throws: ``JSONError``, as for an array.
  public init(parsing text: Span<UInt8>, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    if let maximum = limits.maximumBytes, text.count > maximum {
      throw JSONError(.tooLarge, at: maximum)
    }
    // Once for the whole text: strings can then be copied without looking at them again.
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: text)
    } catch {
      throw JSONError(.invalidUTF8, at: error.byteOffsets.lowerBound)
    }
    var reader = JSONReader(maximumDepth: limits.maximumDepth)
    self = try reader.document(in: text)
  }
}
