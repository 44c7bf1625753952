import Glibc

/// One of the records in which the kernel tells what happened (inotify(7)).
///
///     InotifyRecord.take(from: descriptor) { records in … }
package struct InotifyRecord: Hashable, Sendable {
  /// Which watch it is of; -1 if it is of none.
  package let watch: Int32
  private let mask: UInt32
  /// What it is about in the watched directory; empty if that itself.
  package let name: ArraySlice<UInt8>

  package init(watch: Int32, mask: UInt32, name: ArraySlice<UInt8>) {
    self.watch = watch
    self.mask = mask
    self.name = name
  }

  /// Whether it says any of these, such as `IN_IGNORED | IN_MOVE_SELF`.
  package func says(_ events: Int32) -> Bool { mask & UInt32(bitPattern: events) != 0 }

  /// Takes all that there is to tell, without waiting for more; by as many as one read gives.
  static func take(from descriptor: Int32, _ body: ([InotifyRecord]) -> Void) {
    while true {
      let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 10) { memory, count in
        count = max(Glibc.read(descriptor, memory.baseAddress, memory.count), 0)
      }
      guard !bytes.isEmpty else { return }
      body(all(in: bytes))
    }
  }

  /// Takes apart what was read: what is cut short at its end is left out.
  package static func all(in bytes: [UInt8]) -> [InotifyRecord] {
    let header = MemoryLayout<inotify_event>.size
    var (records, position): ([InotifyRecord], Int) = ([], 0)
    while position + header <= bytes.count {
      let event = bytes.withUnsafeBytes {
        $0.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
      }
      let start = position + header
      guard Int(event.len) <= bytes.count - start else { break }
      position = start + Int(event.len)
      let name = bytes[start..<position].prefix { $0 != 0 }
      records.append(InotifyRecord(watch: event.wd, mask: event.mask, name: name))
    }
    return records
  }
}
