import BlobStorage
import Replication
import SharedFolder
import SystemFiles
import SystemPackage

/// A folder with the blobs of two devices, in memory.
struct BlobScene {
  static let ann = StreamID(rawValue: 0xA)
  static let bob = StreamID(rawValue: 0xB)
  let files: InMemoryFileSystem
  let blobs: BlobFolder
  let source: FilePath = "/home/photo.jpg"
  private let numbers = Numbers()

  /// Makes each temporary name another one.
  private final class Numbers {
    private var last = 0

    func temporaryName() -> FilePath.Component {
      last += 1
      return FilePath.Component(".feedsync-\(last).nosync") ?? "unreachable"
    }
  }

  init(features: InMemoryFileSystem.Features = InMemoryFileSystem.Features()) {
    files = InMemoryFileSystem(features: features)
    for directory in ["/folder", "/home"] as [FilePath] { files.putDirectory(directory) }
    blobs = BlobFolder(ContainerFolder(root: "/folder", files: files))
  }

  /// Bytes that differ by a seed, of more than one piece.
  static func content(_ seed: UInt8 = 1, count: Int = 300_000) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed }
  }

  func writer(
    _ stream: StreamID = ann, isStopping: @escaping () -> Bool = { false }
  ) -> BlobWriter {
    BlobWriter(
      blobs, stream: stream, temporaryName: { numbers.temporaryName() }, isStopping: isStopping)
  }

  /// Stores a file of this content as a device's own.
  @discardableResult
  func store(_ content: [UInt8], as stream: StreamID = ann) throws -> BlobWriter.Stored {
    files.put(source, content)
    return try writer(stream).store(BlobSource(file: source, in: files))
  }

  func reference(_ stored: BlobWriter.Stored) -> BlobReference {
    BlobReference(hash: stored.hash, size: stored.size, name: "photo.jpg", type: nil)
  }

  /// The names in a directory, without what a syncer ignores.
  func names(in directory: FilePath) -> [String] {
    ((try? files.list(directory)) ?? []).map(\.name.string)
  }
}
