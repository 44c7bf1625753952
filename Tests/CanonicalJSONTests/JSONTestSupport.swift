import CanonicalJSON

/// Reads JSON that a test wrote down as text.
func parse(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) -> JSON {
  try JSON(parsing: Array(text.utf8), limits: limits)
}

/// What reading `bytes` fails with, or nil if it succeeds.
func refusal(of bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> JSONError? {
  do throws(JSONError) {
    _ = try JSON(parsing: bytes, limits: limits)
    return nil
  } catch {
    return error
  }
}

/// What reading `text` fails with, or nil if it succeeds.
func refusal(of text: String, limits: JSONLimits = JSONLimits()) -> JSONError? {
  refusal(of: Array(text.utf8), limits: limits)
}
