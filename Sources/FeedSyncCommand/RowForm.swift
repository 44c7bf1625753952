import CanonicalJSON
import DocumentStorage

/// How the rows of a query are printed.
struct RowForm {
  /// The members of a row's object: the columns' names, told apart where they repeat.
  let names: [ByteString]

  init(columns: [ByteString]) {
    var taken: Set<ByteString> = []
    names = columns.map { column in
      var name = column
      var number = 0
      while !taken.insert(name).inserted {
        number += 1
        name = ByteString("\(column):\(number)")
      }
      return name
    }
  }

  func json(of row: QueryRow) -> JSON {
    var object = JSONObject()
    for (name, value) in zip(names, row.values) { object[name] = Self.json(value) }
    return .object(object)
  }

  /// Tab-separated values on one line.
  func text(of row: QueryRow) -> [UInt8] {
    var line: [UInt8] = []
    for (index, value) in row.values.enumerated() {
      if index > 0 { line.append(UInt8(ascii: "\t")) }
      switch value {
      case .null: break
      case .text(let text): Self.write(text, into: &line)
      case .blob(let bytes): line.append(contentsOf: Self.hexadecimal(bytes).utf8)
      case .real(let number) where !number.isFinite:
        line.append(contentsOf: (number < 0 ? "-Inf" : "Inf").utf8)
      case .integer, .real: Self.json(value).write(into: &line)
      }
    }
    return line
  }

  private static func json(_ value: QueryValue) -> JSON {
    switch value {
    case .null: .null
    case .integer(let number): .integer(number)
    // JSON has no infinity.
    case .real(let number): JSON(finite: number) ?? .null
    case .text(let text): .string(text)
    case .blob(let bytes): .text(hexadecimal(bytes))
    }
  }

  /// Bodies are without tabs and line ends, and their backslashes must stay as they are.
  private static func write(_ text: ByteString, into line: inout [UInt8]) {
    for byte in text.bytes {
      switch byte {
      case UInt8(ascii: "\t"): line.append(contentsOf: "\\t".utf8)
      case UInt8(ascii: "\n"): line.append(contentsOf: "\\n".utf8)
      case UInt8(ascii: "\r"): line.append(contentsOf: "\\r".utf8)
      default: line.append(byte)
      }
    }
  }

  private static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
