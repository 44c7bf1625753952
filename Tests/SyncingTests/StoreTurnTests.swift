import CanonicalJSON
import DocumentStorage
import Replication
import SharedFolder
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A database's turns") struct StoreTurnTests {
  @Test("are told to who measures them: each begins, says what it is for, and ends")
  func turns() throws {
    let directory = try TemporaryDirectory()
    let told = Mutex<[String]>([])
    let database = try StoreDatabase(
      directory: directory.path,
      onTurn: { turn in
        switch turn {
        case .began(let step, let isWriting):
          told.withLock { $0.append((isWriting ? "write " : "read ") + step.description) }
        case .ended: told.withLock { $0.append("end") }
        }
      })
    #expect(told.withLock { $0 } == [])
    let marker = Marker(container: ContainerID(rawValue: 1), identifier: "org.example.test")
    try database.save(
      DeviceRecord(
        container: marker.container, marker: marker.bytes, path: "/nowhere",
        stream: StreamID(rawValue: 2), name: "ann"))
    _ = try database.counts()
    // One that fails ends, too.
    struct Stop: Error {}
    #expect(throws: (any Error).self) {
      _ = try database.writeDocuments(now: HybridTime.zero, nonce: 0) { _ in throw Stop() }
    }
    let turns = told.withLock { $0 }
    #expect(
      turns == [
        "write save(_:)", "end", "read counts()", "end",
        "write writeDocuments(now:nonce:isPublishedAtOnce:_:)", "end",
      ])
  }
}
