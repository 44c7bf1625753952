extension ArbiterMessage {
  /// The message as bytes, without its length.
  package var wireBytes: [UInt8] {
    var writer = WireWriter()
    switch self {
    case .welcome(let process):
      writer.put(1 as UInt8)
      writer.put(WireFormat.version)
      process.write(to: &writer)
    case .waiting(let key, let holders):
      writer.put(2 as UInt8)
      writer.put(key)
      writer.put(list: holders) { $1.write(to: &$0) }
    case .granted(let key, let paths):
      writer.put(3 as UInt8)
      writer.put(key)
      writer.put(list: paths) { $0.put($1) }
    case .failed(let key, let failure):
      writer.put(4 as UInt8)
      writer.put(key)
      failure.write(to: &writer)
    case .ask(let claim, let presenter, let questions, let asker):
      writer.put(5 as UInt8)
      writer.put(claim)
      writer.put(presenter)
      writer.put(list: questions) { $1.write(to: &$0) }
      asker.write(to: &writer)
    case .notice(let presenter, let notice):
      writer.put(6 as UInt8)
      writer.put(presenter)
      notice.write(to: &writer)
    case .status(let number, let report):
      writer.put(7 as UInt8)
      writer.put(number: number)
      report.write(to: &writer)
    case .presented(let key):
      writer.put(9 as UInt8)
      writer.put(key)
    case .lapsed(let key, let lapse):
      writer.put(8 as UInt8)
      writer.put(key)
      lapse.process.write(to: &writer)
      writer.put(lapse.path)
      writer.put(lapse.waited)
    }
    return writer.bytes
  }

  /// Reads a message, all of whose bytes it must be.
  package init(wire bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    self = try Self.read(&reader)
    try reader.finish()
  }

  private static func read(_ reader: inout WireReader) throws(WireError) -> ArbiterMessage {
    switch try reader.byte() {
    case 1:
      guard try reader.byte() == WireFormat.version else { throw .value("version") }
      return .welcome(try CoordinatingProcess(wire: &reader))
    case 2: return .waiting(try reader.key(), try CoordinationHolder.list(&reader))
    case 3:
      let key = try reader.key()
      let paths = try reader.list(limit: ClaimRequest.maximumItems, "paths") {
        (reader) throws(WireError) in try reader.path()
      }
      return .granted(key, paths)
    case 4: return .failed(try reader.key(), try ClaimFailure(wire: &reader))
    case 5:
      let (claim, presenter) = (try reader.key(), try reader.key())
      let questions = try reader.list(limit: WireFormat.maximumQuestions, "questions") {
        (reader) throws(WireError) in try PresenterQuestion(wire: &reader)
      }
      return .ask(
        claim: claim, presenter: presenter, questions,
        asker: try CoordinatingProcess(wire: &reader))
    case 6:
      return .notice(presenter: try reader.key(), try PresenterNotice(wire: &reader))
    case 7:
      return .status(number: try reader.number(), try CoordinationReport(wire: &reader))
    case 8:
      let key = try reader.key()
      let lapse = PresenterLapse(
        process: try CoordinatingProcess(wire: &reader), path: try reader.shownPath(),
        waited: try reader.duration())
      return .lapsed(key, lapse)
    case 9: return .presented(try reader.key())
    default: throw .value("kind")
    }
  }
}

extension CoordinationHolder {
  func write(to writer: inout WireWriter) {
    process.write(to: &writer)
    writer.put(role.rawValue)
    writer.put(path)
  }

  static func list(_ reader: inout WireReader) throws(WireError) -> [CoordinationHolder] {
    try reader.list(limit: ClaimFailure.maximumHolders, "holders") {
      (reader) throws(WireError) in
      CoordinationHolder(
        process: try CoordinatingProcess(wire: &reader), role: try reader.choice(Role.self),
        path: try reader.shownPath())
    }
  }
}

extension WireReader {
  /// A path for people: each byte that is no UTF-8 may have become three.
  mutating func shownPath() throws(WireError) -> String {
    try text(limit: 3 * ItemPath.maximumBytes, "path")
  }
}

extension ClaimFailure {
  func write(to writer: inout WireWriter) {
    switch self {
    case .timedOut(let holders):
      writer.put(1 as UInt8)
      writer.put(list: holders) { $1.write(to: &$0) }
    case .deadlock(let holders):
      writer.put(2 as UInt8)
      writer.put(list: holders) { $1.write(to: &$0) }
    case .presenterFailed(let process, let message):
      writer.put(3 as UInt8)
      process.write(to: &writer)
      writer.put(message.clipped(to: WireFormat.maximumText))
    case .cancelled: writer.put(4 as UInt8)
    case .overLimit: writer.put(5 as UInt8)
    }
  }

  init(wire reader: inout WireReader) throws(WireError) {
    switch try reader.byte() {
    case 1: self = .timedOut(try CoordinationHolder.list(&reader))
    case 2: self = .deadlock(try CoordinationHolder.list(&reader))
    case 3:
      let process = try CoordinatingProcess(wire: &reader)
      self = .presenterFailed(
        process, message: try reader.text(limit: WireFormat.maximumText, "message"))
    case 4: self = .cancelled
    case 5: self = .overLimit
    default: throw .value("failure")
    }
  }
}

extension PresenterQuestion {
  func write(to writer: inout WireWriter) {
    switch self {
    case .relinquishToReader: writer.put(1 as UInt8)
    case .relinquishToWriter: writer.put(2 as UInt8)
    case .saveChanges: writer.put(3 as UInt8)
    case .accommodateDeletion: writer.put(4 as UInt8)
    case .accommodateSubitemDeletion(let path):
      writer.put(5 as UInt8)
      writer.put(path)
    }
  }

  init(wire reader: inout WireReader) throws(WireError) {
    switch try reader.byte() {
    case 1: self = .relinquishToReader
    case 2: self = .relinquishToWriter
    case 3: self = .saveChanges
    case 4: self = .accommodateDeletion
    case 5: self = .accommodateSubitemDeletion(try reader.path())
    default: throw .value("question")
    }
  }
}
