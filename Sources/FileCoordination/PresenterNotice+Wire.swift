extension PresenterNotice {
  func write(to writer: inout WireWriter) {
    switch self {
    case .didChange: writer.put(1 as UInt8)
    case .didMove(let path):
      writer.put(2 as UInt8)
      writer.put(path)
    case .subitemDidAppear(let path):
      writer.put(3 as UInt8)
      writer.put(path)
    case .subitemDidChange(let path):
      writer.put(4 as UInt8)
      writer.put(path)
    case .subitemDidMove(let old, let new):
      writer.put(5 as UInt8)
      writer.put(old)
      writer.put(new)
    case .version(let event, let id):
      writer.put(6 as UInt8)
      writer.put(event.rawValue)
      writer.put(id.clipped(to: WireFormat.maximumText))
    case .subitemVersion(let event, let path, let id):
      writer.put(7 as UInt8)
      writer.put(event.rawValue)
      writer.put(path)
      writer.put(id.clipped(to: WireFormat.maximumText))
    case .reacquire(let claim):
      writer.put(8 as UInt8)
      writer.put(claim)
    }
  }

  init(wire reader: inout WireReader) throws(WireError) {
    switch try reader.byte() {
    case 1: self = .didChange
    case 2: self = .didMove(to: try reader.path())
    case 3: self = .subitemDidAppear(try reader.path())
    case 4: self = .subitemDidChange(try reader.path())
    case 5: self = .subitemDidMove(from: try reader.path(), to: try reader.path())
    case 6:
      self = .version(
        try reader.choice(FileVersionEvent.self),
        id: try reader.text(limit: WireFormat.maximumText, "version"))
    case 7:
      self = .subitemVersion(
        try reader.choice(FileVersionEvent.self), at: try reader.path(),
        id: try reader.text(limit: WireFormat.maximumText, "version"))
    case 8: self = .reacquire(try reader.key())
    default: throw .value("notice")
    }
  }
}

extension CoordinationReport {
  func write(to writer: inout WireWriter) {
    // Cut where a message would be too long for those that read it.
    arbiter.write(to: &writer)
    var part = WireWriter()
    var count = 0
    for claim in claims.prefix(Self.maximumEntries) where part.bytes.count < Self.room {
      claim.write(to: &part)
      count += 1
    }
    writer.put(number: UInt64(count))
    writer.append(part)
    // Of these there are no more than fit.
    writer.put(list: presenters) { writer, presenter in
      presenter.process.write(to: &writer)
      writer.put(optional: presenter.path) { $0.put($1) }
      writer.put(presenter.hasLapsed)
    }
  }

  init(wire reader: inout WireReader) throws(WireError) {
    let arbiter = try CoordinatingProcess(wire: &reader)
    let claims = try reader.list(limit: Self.maximumEntries, "claims") {
      (reader) throws(WireError) in try Claim(wire: &reader)
    }
    let presenters = try reader.list(limit: Self.maximumEntries, "presenters") {
      (reader) throws(WireError) in
      Presenter(
        process: try CoordinatingProcess(wire: &reader),
        path: try reader.optional { (reader) throws(WireError) in try reader.shownPath() },
        hasLapsed: try reader.flag())
    }
    self.init(arbiter: arbiter, claims: claims, presenters: presenters)
  }
}

extension WireWriter {
  fileprivate mutating func append(_ part: WireWriter) { for byte in part.bytes { put(byte) } }
}

extension CoordinationReport.Claim {
  /// More would be of no use to people.
  private static let maximumItems = 16

  func write(to writer: inout WireWriter) {
    process.write(to: &writer)
    writer.put(state.rawValue)
    writer.put(list: Array(items.prefix(Self.maximumItems))) { writer, item in
      writer.put(item.path)
      writer.put(item.writes)
    }
    writer.put(age)
    writer.put(list: waitsFor) { $1.write(to: &$0) }
  }

  init(wire reader: inout WireReader) throws(WireError) {
    let process = try CoordinatingProcess(wire: &reader)
    let state = try reader.choice(State.self)
    let items = try reader.list(limit: Self.maximumItems, "items") { (reader) throws(WireError) in
      Item(path: try reader.shownPath(), writes: try reader.flag())
    }
    self.init(
      process: process, state: state, items: items, age: try reader.duration(),
      waitsFor: try CoordinationHolder.list(&reader))
  }
}
