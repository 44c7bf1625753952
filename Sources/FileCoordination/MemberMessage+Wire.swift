extension MemberMessage {
  /// The message as bytes, without its length.
  package var wireBytes: [UInt8] {
    var writer = WireWriter()
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout WireWriter) {
    switch self {
    case .hello(let member, let process):
      writer.put(1 as UInt8)
      writer.put(WireFormat.version)
      writer.put(number: member)
      process.write(to: &writer)
    case .claim(let request, let isHeld):
      writer.put(2 as UInt8)
      writer.put(isHeld)
      request.write(to: &writer)
    case .cancel(let key):
      writer.put(3 as UInt8)
      writer.put(key)
    case .release(let key, let outcomes):
      writer.put(4 as UInt8)
      writer.put(key)
      writer.put(list: outcomes) {
        $0.put(($1.existedBefore ? 1 : 0) | ($1.existsAfter ? 2 : 0) as UInt8)
      }
    case .present(let record, let keys):
      writer.put(5 as UInt8)
      writer.put(record.key)
      writer.put(optional: record.path) { $0.put($1) }
      writer.put(list: keys) { $0.put($1) }
    case .unpresent(let key):
      writer.put(6 as UInt8)
      writer.put(key)
    case .answer(let claim, let presenter, let failure):
      writer.put(7 as UInt8)
      writer.put(claim)
      writer.put(presenter)
      writer.put(optional: failure) { $0.put($1.clipped(to: WireFormat.maximumText)) }
    case .moved(let claim, let old, let new):
      writer.put(8 as UInt8)
      writer.put(claim)
      writer.put(old)
      writer.put(new)
    case .version(let event, let path, let id):
      writer.put(9 as UInt8)
      writer.put(event.rawValue)
      writer.put(path)
      writer.put(id.clipped(to: WireFormat.maximumText))
    case .changed(let path):
      writer.put(10 as UInt8)
      writer.put(path)
    case .ready: writer.put(11 as UInt8)
    case .status(let number):
      writer.put(12 as UInt8)
      writer.put(number: number)
    }
  }

  /// Reads a message, all of whose bytes it must be.
  package init(wire bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    self = try Self.read(&reader)
    try reader.finish()
  }

  private static func read(_ reader: inout WireReader) throws(WireError) -> MemberMessage {
    switch try reader.byte() {
    case 1:
      guard try reader.byte() == WireFormat.version else { throw .value("version") }
      return .hello(member: try reader.number(), try CoordinatingProcess(wire: &reader))
    case 2:
      let isHeld = try reader.flag()
      return .claim(try ClaimRequest(wire: &reader), isHeld: isHeld)
    case 3: return .cancel(try reader.key())
    case 4: return .release(try reader.key(), try outcomes(&reader))
    case 5:
      let key = try reader.key()
      let record = PresenterRecord(
        key: key,
        path: try reader.optional { (reader) throws(WireError) in try reader.path() })
      return .present(record, gaveWayTo: try keys(&reader))
    case 6: return .unpresent(try reader.key())
    case 7:
      let (claim, presenter) = (try reader.key(), try reader.key())
      let failure = try reader.optional { (reader) throws(WireError) in
        try reader.text(limit: WireFormat.maximumText, "failure")
      }
      return .answer(claim: claim, presenter: presenter, failure: failure)
    case 8:
      return .moved(claim: try reader.key(), from: try reader.path(), to: try reader.path())
    case 9:
      return .version(
        try reader.choice(FileVersionEvent.self), at: try reader.path(),
        id: try reader.text(limit: WireFormat.maximumText, "version"))
    case 10: return .changed(try reader.path())
    case 11: return .ready
    case 12: return .status(number: try reader.number())
    default: throw .value("kind")
    }
  }

  private static func outcomes(_ reader: inout WireReader) throws(WireError) -> [ItemOutcome] {
    try reader.list(limit: ClaimRequest.maximumItems, "outcomes") { (reader) throws(WireError) in
      let bits = try reader.byte()
      guard bits < 4 else { throw .value("outcome") }
      return ItemOutcome(existedBefore: bits & 1 != 0, existsAfter: bits & 2 != 0)
    }
  }

  private static func keys(_ reader: inout WireReader) throws(WireError) -> [CoordinationKey] {
    try reader.list(limit: WireFormat.maximumKeys, "keys") { (reader) throws(WireError) in
      try reader.key()
    }
  }
}

extension CoordinatingProcess {
  func write(to writer: inout WireWriter) {
    writer.put(number: UInt64(UInt32(bitPattern: id)))
    writer.put(name.clipped(to: WireFormat.maximumName))
  }

  init(wire reader: inout WireReader) throws(WireError) {
    guard let id = Int32(exactly: try reader.number()) else { throw .value("process") }
    self.init(id: id, name: try reader.text(limit: WireFormat.maximumName, "name"))
  }
}

extension ClaimRequest {
  /// A request as bytes, as a process keeps those that it has.
  func write(to writer: inout WireWriter) {
    writer.put(key)
    writer.put(purpose)
    writer.put(optional: presenter) { $0.put($1) }
    writer.put(list: items) { writer, item in
      writer.put(item.path)
      writer.put(number: UInt64(item.options.rawValue))
    }
    writer.put(isBatch)
    writer.put(list: parents) { $0.put($1) }
    writer.put(list: answering) { $0.put($1) }
    writer.put(since)
    writer.put(optional: deadline) { $0.put($1) }
    writer.put(patience)
    writer.put(wantsHolders)
  }

  init(wire reader: inout WireReader) throws(WireError) {
    let key = try reader.key()
    let purpose = try reader.text(limit: Self.maximumPurposeBytes, "purpose")
    let presenter = try reader.optional { (reader) throws(WireError) in try reader.key() }
    let items = try reader.list(limit: Self.maximumItems, "items") {
      (reader) throws(WireError) in
      let path = try reader.path()
      let bits = try reader.number()
      guard let raw = UInt16(exactly: bits), raw & ~ClaimedItem.Options.known.rawValue == 0 else {
        throw .value("options")
      }
      return ClaimedItem(path, ClaimedItem.Options(rawValue: raw))
    }
    let isBatch = try reader.flag()
    let parents = try reader.list(limit: WireFormat.maximumKeys, "parents") {
      (reader) throws(WireError) in try reader.key()
    }
    let answering = try reader.list(limit: WireFormat.maximumKeys, "answering") {
      (reader) throws(WireError) in try reader.key()
    }
    self.init(
      key: key, purpose: purpose, presenter: presenter, items: items, isBatch: isBatch,
      parents: parents, answering: answering, since: try reader.duration(),
      deadline: try reader.optional { (reader) throws(WireError) in try reader.duration() },
      patience: try reader.duration(), wantsHolders: try reader.flag())
  }
}

extension String {
  /// No more than so many bytes of UTF-8, cut between characters.
  func clipped(to limit: Int) -> String {
    guard utf8.count > limit else { return self }
    var result = ""
    var count = 0
    for character in self {
      count += character.utf8.count
      guard count <= limit else { break }
      result.append(character)
    }
    return result
  }
}
