import SystemFiles
import SystemPackage

/// The file in which a process keeps where the items of its presenters are.
///
/// Each note is added to those before, since there may be many presenters; the whole is written
/// anew when most of it is old.
struct PresentedFile {
  private let file: RecordFile
  private var paths: [CoordinationKey: ItemPath] = [:]
  /// How many stand there; nil: none, or not all that there should be.
  private var notes: Int?

  /// Below this many notes it is not written anew for being old.
  private static let fewest = 64

  init(at path: FilePath) throws(FileError) {
    do {
      file = try RecordFile(at: path, making: true)
    } catch {
      throw FileError(.open, path, error)
    }
  }

  /// Replaces all that stands there.
  mutating func write(
    _ process: CoordinatingProcess, _ records: [PresenterRecord]
  ) throws(FileError) {
    paths = [:]
    for record in records { paths[record.key] = record.path }
    try writeAll(process)
  }

  /// Notes where a presenter's item is by now.
  mutating func note(
    _ process: CoordinatingProcess, _ presenter: CoordinationKey, at path: ItemPath?
  ) throws(FileError) {
    guard notes == nil || paths[presenter] != path else { return }
    paths[presenter] = path
    // Where there are none, it does not say either whose they would be.
    guard let known = notes, known < max(Self.fewest, 2 * paths.count) else {
      return try writeAll(process)
    }
    var writer = WireWriter()
    Self.put(presenter, path, to: &writer)
    notes = nil
    try file.append(writer.bytes)
    notes = known + 1
  }

  private mutating func writeAll(_ process: CoordinatingProcess) throws(FileError) {
    var writer = WireWriter()
    if !paths.isEmpty { process.write(to: &writer) }
    for (presenter, path) in paths { Self.put(presenter, path, to: &writer) }
    notes = nil
    try file.replace(by: writer.bytes)
    notes = paths.isEmpty ? nil : paths.count
  }

  private static func put(
    _ presenter: CoordinationKey, _ path: ItemPath?, to writer: inout WireWriter
  ) {
    writer.put(number: presenter.number)
    writer.put(optional: path) { $0.put($1) }
  }

  /// What the bytes of such a file say.
  static func decode(
    _ bytes: [UInt8], of member: UInt64
  ) throws(WireError) -> (process: CoordinatingProcess, records: [PresenterRecord])? {
    var reader = WireReader(bytes)
    guard !reader.isAtEnd else { return nil }
    let process = try CoordinatingProcess(wire: &reader)
    var paths: [UInt64: ItemPath] = [:]
    while !reader.isAtEnd {
      let number = try reader.number()
      paths[number] = try reader.optional { (reader) throws(WireError) in try reader.path() }
    }
    let records = paths.map { number, path in
      PresenterRecord(key: CoordinationKey(member: member, number: number), path: path)
    }
    return (process, records)
  }
}
