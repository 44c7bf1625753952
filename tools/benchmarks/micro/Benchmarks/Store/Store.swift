import Benchmark
import Foundation
import Replication
import SegmentFormat
import SharedFolder
import SystemFiles
import SystemPackage

let sample = Sample(count: 3000)
let segment = sample.segment
let encoded = SegmentFile.encode(segment)
let start = StreamPosition.start

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], maxDuration: .seconds(3))

  Benchmark("merge: apply 15,000 operations to 100 documents") { benchmark in
    for _ in benchmark.scaledIterations {
      var states: [DocumentKey: DocumentState] = [:]
      for transaction in sample.transactions {
        for (offset, operation) in transaction.operations.enumerated() {
          states[operation.document, default: DocumentState()].apply(
            DocumentState.Effect(operation), stamp: transaction.stamp(offset),
            context: transaction.header.context)
        }
      }
      blackHole(states)
    }
  }

  Benchmark("merge: the bodies of 100 documents of 40 members") { benchmark in
    for _ in benchmark.scaledIterations {
      for state in sample.states.values { blackHole(state.view().body) }
    }
  }

  Benchmark("codec: encode a segment of 1,000 transactions") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(SegmentFile.encode(segment)) }
  }

  Benchmark("codec: encode it without compression") { benchmark in
    for _ in benchmark.scaledIterations {
      blackHole(SegmentFile.encode(segment, compressing: false))
    }
  }

  Benchmark("codec: read and check a segment of 1,000 transactions") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try SegmentFile.decode(encoded.bytes)) }
  }

  Benchmark("codec: complete its transactions, with fingerprints") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try segment.transactions(after: start)) }
  }

  Benchmark("publish: one segment of one transaction, durably") { benchmark in
    let path = NSTemporaryDirectory() + "feedsync-micro-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = ContainerFolder(root: FilePath(path), files: LinuxFileSystem())
    let lone = Array(sample.transactions.prefix(1))
    benchmark.startMeasurement()
    for number in benchmark.scaledIterations {
      let range = Segment.Range(
        container: sample.container, stream: StreamID(rawValue: UInt128(number)), first: 2,
        last: 2, fingerprintBefore: .origin)
      let file = Segment(
        range: range, attributes: [],
        transactions: lone.map { EncodedTransaction($0, after: nil) })
      _ = try folder.publish(file, temporaryName: ".feedsync-micro.nosync")
    }
    benchmark.stopMeasurement()
  }
}
