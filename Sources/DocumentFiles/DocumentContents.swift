/// What a document holds, in a program's memory and as bytes of a file.
///
///     struct Letter: DocumentContents {
///       var paragraphs: [String]
///       init(documentBytes: [UInt8]) throws { … }
///       func documentBytes() throws -> [UInt8] { … }
///     }
///
/// `String`, as UTF-8, and `[UInt8]` are such contents.
public protocol DocumentContents: Sendable {
  /// Reads contents; throws if the bytes are not of this form.
  init(documentBytes: [UInt8]) throws
  /// The bytes of the file.
  func documentBytes() throws -> [UInt8]
}

extension String: DocumentContents {
  /// Text in UTF-8; nothing is mended.
  public init(documentBytes: [UInt8]) throws {
    guard let text = String(validating: documentBytes, as: UTF8.self) else {
      throw DocumentFileError.unreadable(path: "", reason: "it is not UTF-8")
    }
    self = text
  }

  /// The text in UTF-8.
  public func documentBytes() throws -> [UInt8] { Array(utf8) }
}

extension [UInt8]: DocumentContents {
  /// The bytes themselves.
  public init(documentBytes: [UInt8]) throws { self = documentBytes }
  /// The bytes themselves.
  public func documentBytes() throws -> [UInt8] { self }
}
