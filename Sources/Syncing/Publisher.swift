import DocumentStorage
import SegmentFormat
import SharedFolder
import Synchronization
import SystemFiles
import SystemPackage

/// Brings local transactions into the folder, each segment durably and at most once by name.
///
///     let report = try Publisher(device: device).publishAll()
package struct Publisher: Sendable {
  /// What publishing did.
  package struct Report: Sendable {
    /// How many transactions are in the folder now that were not known to be before.
    package var transactions = 0
    /// Names that were taken by something else; the content stands under another name.
    package var renamed: [FilePath] = []
    /// Whether this device goes on under a new stream, since somebody else writes the one it had.
    package var hasNewStream = false
    /// What kept a stream's transactions from being published, if something did; the others' are.
    package fileprivate(set) var failure: (any Error)?
    /// Whether that was, or may have been, of the stream that the device writes now.
    fileprivate var failsPresent = false
    /// The segments that it wrote, and whether each has its proper name.
    var segments: [(name: ImportedNames.Name, hasOwnName: Bool)] = []
  }

  private let device: Device

  package init(device: Device) { self.device = device }

  /// Publishes all that waits.
  ///
  /// What was published before a failure stays published, and one stream's failure hinders no other
  /// one.
  ///
  /// - parameter isStopping: asked before each file whether to end early.
  package func publishAll(unless isStopping: () -> Bool = { false }) throws -> Report {
    var memory = ForkDetection.Memory()
    let report = try publishEach(unless: isStopping, remembering: &memory)
    if let failure = report.failure { throw failure }
    return report
  }

  /// Publishes all that waits, for who has just written something.
  ///
  /// To be called again and again, maybe on several threads.
  ///
  /// - parameter isStopping: asked before each file whether to end early.
  /// - returns: whether this device goes on under a new stream.
  /// - throws: what kept the present stream from being published; what a former one still has is
  ///   told by imports.
  @discardableResult
  package func publishOwn(
    remembering memory: Memory, unless isStopping: () -> Bool = { false }
  ) throws -> Bool {
    // Nobody waits for a folder that does not answer but who asks it. What is learnt stays true, so
    // whoever ends last may forget what another has learnt meanwhile.
    var forks = memory.forks.withLock(\.self)
    defer { memory.forks.withLock { $0 = forks } }
    let report = try publishEach(unless: isStopping, remembering: &forks)
    if report.failsPresent, let failure = report.failure { throw failure }
    return report.hasNewStream
  }

  /// What publishing has learnt of the folder, so that it asks only for what is new.
  package final class Memory: Sendable {
    fileprivate let forks = Mutex(ForkDetection.Memory())

    package init() {}

    /// Of how many files of the folder it keeps something.
    package var count: Int { forks.withLock(\.count) }
  }

  /// As ``publishAll(unless:)``, for an importer, which publishes again and again.
  ///
  /// What fails of one stream is in the report.
  func publishEach(
    unless isStopping: () -> Bool, remembering memory: inout ForkDetection.Memory
  ) throws -> Report {
    var report = Report()
    let detection = ForkDetection(device: device)
    if try device.absence() == nil {
      report.hasNewStream = try detection.beginStreamIfForked(remembering: &memory)
    } else {
      detection.noteAbsence(remembering: &memory)
    }
    defer { detection.note(report.segments.map(\.name), remembering: &memory) }
    try device.database.fixBatches()
    for (stream, isPresent) in try device.database.batchedStreams() {
      do {
        try publish(stream, unless: isStopping, remembering: memory, into: &report)
      } catch let error as ContainerError {
        throw error
      } catch {
        // What hinders one, such as a directory that is another's, does not hinder all.
        report.failure = isPresent ? error : report.failure ?? error
        report.failsPresent = report.failsPresent || isPresent
      }
    }
    return report
  }

  private func publish(
    _ stream: Int64, unless isStopping: () -> Bool, remembering memory: ForkDetection.Memory,
    into report: inout Report
  ) throws {
    var device = device
    while !isStopping(), let batch = try device.database.nextBatch(of: stream) {
      // The folder may go, or another come in its place, at any moment: what is noted as published
      // must be in this device's container.
      try device.requireContainer()
      device = try device.settled()
      let file = form(of: batch, in: device.container)
      let publication = try device.container.publish(
        file, of: batch.segment.range, temporaryName: device.ambient.temporaryName(),
        inDurable: memory.isDurable(batch.segment.range.stream))
      try device.requireContainer()
      // What has the proper name of a renamed file is something else, which imports shall look at.
      var hasOwnName = true
      if case .renamed(let path) = publication {
        report.renamed.append(path)
        hasOwnName = false
      }
      guard try device.note(batch, file: file, hasOwnName: hasOwnName) else {
        throw ContainerError.moved(device.container.root)
      }
      report.transactions += Int(batch.last - batch.first) + 1
      let name = ImportedNames.Name(
        stream: batch.segment.range.stream, first: batch.first, last: batch.last,
        digest: file.digest)
      report.segments.append((name, hasOwnName))
    }
  }

  /// What is written, or is there already: two files of the same transactions help nobody.
  private func form(
    of batch: Outbox.Batch, in container: ContainerFolder
  ) -> SegmentFile.Encoded {
    if let earlier = batch.earlier.map({ SegmentFile.encode($0) }),
      container.keeps(earlier.digest, of: batch.segment.range)
    {
      return earlier
    }
    return SegmentFile.encode(batch.segment)
  }
}

extension Device {
  /// Notes a batch as published; false if the device works in another folder by now.
  fileprivate func note(
    _ batch: Outbox.Batch, file: SegmentFile.Encoded, hasOwnName: Bool
  ) throws -> Bool {
    func note(as home: FilePath) throws -> Bool {
      try database.markPublished(batch, file: file, hasOwnName: hasOwnName, home: home)
    }
    if try note(as: record.path) { return true }
    // `init` may have named the same folder by another path.
    guard let home = try database.device()?.path, isSameFolder(home) else { return false }
    return try note(as: home)
  }
}
