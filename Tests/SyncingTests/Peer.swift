import CanonicalJSON
import DocumentStorage
import Replication
import SegmentFormat
import Syncing
import SystemFiles
import SystemPackage
import Testing

/// A device as a test drives it; each call is a command of its own.
struct Peer: Sendable {
  let device: Device

  var stream: StreamID { device.record.stream }
  var folder: FilePath { device.container.root }

  /// The name of the directory that this device writes.
  var directory: FilePath.Component {
    FilePath.Component(stream.description) ?? "unreachable"
  }

  // MARK: Writing

  @discardableResult
  func write(
    isPublishedAtOnce: Bool = true, _ body: (inout StoreWriter) throws -> Void
  ) throws -> StoreWriter.Result {
    try device.database.writeDocuments(
      now: device.ambient.time, nonce: device.nonce, isPublishedAtOnce: isPublishedAtOnce, body)
  }

  /// Writes a document of the collection `notes` from JSON text, without publishing it.
  ///
  /// - parameter isPublishedAtOnce: whether it will be alone in its file.
  @discardableResult
  func put(
    _ id: String, _ json: String, token: VersionToken? = nil, isPublishedAtOnce: Bool = true
  ) throws -> StoreWriter.Edit {
    let body = try JSON(parsing: Array(json.utf8))
    var edit = StoreWriter.Edit.unchanged
    try write(isPublishedAtOnce: isPublishedAtOnce) {
      edit = try $0.put(body, at: Self.key(id), token: token)
    }
    return edit
  }

  /// Adds to a counter.
  func increment(_ pointer: String, of id: String, by amount: Int64) throws {
    let path = try #require(Path(pointer: pointer))
    try write { _ = try $0.edit(.increment(amount), at: path, of: Self.key(id)) { _ in } }
  }

  /// Adds an element to a set.
  func add(_ element: String, to pointer: String, of id: String) throws {
    let path = try #require(Path(pointer: pointer))
    let edit = KindEdit.elements(adding: [SetElement(.string(ByteString(element)))], removing: [])
    try write { _ = try $0.edit(edit, at: path, of: Self.key(id)) { _ in } }
  }

  @discardableResult
  func delete(_ id: String) throws -> StoreWriter.Edit {
    var edit = StoreWriter.Edit.unchanged
    try write { edit = try $0.delete(Self.key(id)) }
    return edit
  }

  @discardableResult
  func publish() throws -> Publisher.Report { try Publisher(device: device).publishAll() }

  /// Writes `{"n":NUMBER}` for each number, and publishes it in a file of its own.
  ///
  /// - parameter id: The document that a number is written into, over what is there.
  func publish(_ numbers: some Sequence<Int>, to id: (Int) -> String) throws {
    for number in numbers {
      try put(id(number), #"{"n":\#(number)}"#)
      try publish()
    }
  }

  func publish(_ numbers: some Sequence<Int>, to id: String) throws {
    try publish(numbers) { _ in id }
  }

  // MARK: Reading

  /// Publishes and imports as a new process does.
  @discardableResult
  func importAll() throws -> ImportReport { try Importer(device: device).importAll() }

  static func key(_ id: String) -> DocumentKey {
    DocumentKey(collection: "notes", id: ByteString(id))
  }

  /// A document's canonical body, or nil.
  func body(_ id: String) throws -> String? {
    try device.database.document(at: Self.key(id)).map { String(decoding: $0.body, as: UTF8.self) }
  }

  func token(_ id: String) throws -> VersionToken? {
    try device.database.document(at: Self.key(id))?.token
  }

  /// All documents, a line each, with how many conflicts there are.
  func dump() throws -> String {
    var lines: [String] = []
    try device.database.forEachDocument { key, body in
      lines.append("\(key.collection)/\(key.id) \(String(decoding: body, as: UTF8.self))")
    }
    lines.append("conflicts: \(try device.database.counts().conflicts)")
    return lines.joined(separator: "\n")
  }
}

extension Peer {
  /// The conflicts of a document, each as `kind path: values`.
  func conflicts(of id: String) throws -> [String] {
    try device.database.readSnapshot { try $0.conflicts(of: Self.key(id)) }.map {
      let values = $0.values.map { value in
        value.content.map { String(decoding: $0, as: UTF8.self) } ?? "absent"
      }
      return "\($0.kind.rawValue) \($0.path): \(values.joined(separator: ", "))"
    }
  }
}

/// A gap without the time, for comparing.
struct Missing: Hashable {
  let stream: StreamID
  let range: ClosedRange<UInt64>
}

extension ImportReport {
  var missing: Set<Missing> {
    Set(gaps.map { Missing(stream: $0.stream, range: $0.first...$0.last) })
  }

  /// What is set aside, each as `name: reason`.
  var setAsideText: [String] {
    setAside.map { "\(String(decoding: $0.key.name, as: UTF8.self)): \($0.reason.rawValue)" }
  }
}

/// Reads JSON that a test wrote down as text.
enum JSONText {
  static func parse(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }
}
