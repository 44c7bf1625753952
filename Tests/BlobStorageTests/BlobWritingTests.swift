import BlobStorage
import Replication
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("Storing a blob") struct BlobWritingTests {
  static let features: [InMemoryFileSystem.Features] = [
    InMemoryFileSystem.Features(), .renameOnly,
  ]

  @Test("names it by the hash of its content, in the device's own directory")
  func name() throws {
    let scene = BlobScene()
    let stored = try scene.store(Array("abc".utf8))
    #expect(
      stored.hash.text == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(stored.size == 3 && stored.isNew)
    let path = scene.blobs.file(stored.hash, of: BlobScene.ann)
    #expect(scene.files.bytes(at: path) == [97, 98, 99])
  }

  @Test("is on the disk when it returns, whatever the power does then")
  func durable() throws {
    for features in Self.features {
      for seed in 1...20 {
        let scene = BlobScene(features: features)
        try scene.files.synchronizeDirectory("/")
        let content = BlobScene.content()
        let stored = try scene.store(content)
        var chance = SeededGenerator(seed: UInt64(seed))
        scene.files.powerLoss(using: &chance)
        let path = scene.blobs.file(stored.hash, of: BlobScene.ann)
        #expect(scene.files.bytes(at: path) == content)
      }
    }
  }

  @Test("does not write again what is there whole, and writes anew what is damaged")
  func again() throws {
    let scene = BlobScene()
    let content = BlobScene.content()
    let stored = try scene.store(content)
    let before = scene.files.callCount(.write)
    #expect(try scene.store(content) == BlobWriter.Stored(stored, isNew: false))
    #expect(scene.files.callCount(.write) == before)
    let path = scene.blobs.file(stored.hash, of: BlobScene.ann)
    for damaged in [Array(content.dropLast()), BlobScene.content(2), content + [0]] {
      scene.files.put(path, damaged)
      #expect(try scene.store(content) == stored)
      #expect(scene.files.bytes(at: path) == content)
      #expect(scene.names(in: path.removingLastComponent()) == [stored.hash.text])
    }
  }

  @Test("refuses a source that changes while it is read, and leaves nothing behind")
  func changing() throws {
    for features in Self.features {
      let scene = BlobScene(features: features)
      scene.files.put(scene.source, BlobScene.content())
      scene.files.appendDuringNextRead([1], to: scene.source)
      #expect(throws: BlobError.sourceChanged(scene.source)) {
        _ = try scene.writer().store(BlobSource(file: scene.source, in: scene.files))
      }
      #expect(scene.names(in: scene.blobs.directory(of: BlobScene.ann)) == [])
    }
  }

  @Test("on a full disk, or where a call fails, leaves nothing behind")
  func failures() throws {
    for features in Self.features {
      let full = BlobScene(features: features)
      full.files.put(full.source, BlobScene.content())
      full.files.setRoom(100_000)
      let error = #expect(throws: FileError.self) {
        _ = try full.writer().store(BlobSource(file: full.source, in: full.files))
      }
      #expect(error?.errno == .noSpace)
      #expect(full.names(in: full.blobs.directory(of: BlobScene.ann)) == [])
      for operation in [FileOperation.create, .write, .synchronize, .link, .rename, .read] {
        let scene = BlobScene(features: features)
        scene.files.put(scene.source, BlobScene.content())
        scene.files.fail(operation, with: .diskQuotaExceeded, lasting: true)
        let source = BlobSource(file: scene.source, in: scene.files)
        do {
          _ = try scene.writer().store(source)
          // Where files have no names, nothing is renamed.
          #expect(operation == .rename || operation == .link)
        } catch {
          let directory = scene.blobs.directory(of: BlobScene.ann)
          #expect(scene.names(in: directory) == [], "\(operation)")
        }
      }
    }
  }

  @Test("refuses a directory or a name that is a link or anything else")
  func inTheWay() throws {
    let content = BlobScene.content()
    let stored = try BlobScene().store(content)
    for path in ["/folder/blobs", "/folder/blobs/\(BlobScene.ann)"] {
      let scene = BlobScene()
      scene.files.putDirectory("/elsewhere")
      if path != "/folder/blobs" { scene.files.putDirectory("/folder/blobs") }
      scene.files.putLink(FilePath(path), to: "/elsewhere")
      #expect(throws: BlobError.inTheWay(FilePath(path), .symbolicLink)) {
        try scene.store(content)
      }
      #expect(scene.names(in: "/elsewhere") == [])
    }
    for kind in [FileKind.symbolicLink, .fifo, .directory] {
      let scene = BlobScene()
      let path = scene.blobs.file(stored.hash, of: BlobScene.ann)
      scene.files.putDirectory(path.removingLastComponent())
      switch kind {
      case .symbolicLink: scene.files.putLink(path, to: "/home/photo.jpg")
      case .fifo: scene.files.putSpecial(path, kind: .fifo)
      default: scene.files.putDirectory(path)
      }
      #expect(throws: BlobError.inTheWay(path, kind)) { try scene.store(content) }
      #expect(scene.names(in: path.removingLastComponent()) == [stored.hash.text])
    }
  }

  @Test("that is killed at any call has stored the whole, or nothing under its name")
  func killed() throws {
    for features in Self.features {
      var kills = 0
      for call in 1... {
        let scene = BlobScene(features: features)
        let content = BlobScene.content()
        scene.files.put(scene.source, content)
        scene.files.kill(at: call)
        _ = try? scene.writer().store(BlobSource(file: scene.source, in: scene.files))
        guard scene.files.wasKilled else {
          #expect(try scene.blobs.hashes(of: BlobScene.ann).count == 1)
          break
        }
        kills += 1
        scene.files.reboot()
        for hash in try scene.blobs.hashes(of: BlobScene.ann) {
          #expect(scene.files.bytes(at: scene.blobs.file(hash, of: BlobScene.ann)) == content)
        }
      }
      // Create, write, synchronize, place, synchronize the directory.
      #expect(kills >= 5)
    }
  }

  /// A scene where a device's copy has other content, and a source what it should be.
  private static func damaged(
    _ features: InMemoryFileSystem.Features
  ) throws -> (scene: BlobScene, copy: FilePath) {
    let scene = BlobScene(features: features)
    let stored = try scene.store(Array("whole".utf8))
    let copy = scene.blobs.file(stored.hash, of: BlobScene.ann)
    scene.files.put(copy, Array("other".utf8))
    return (scene, copy)
  }

  @Test("over a damaged copy leaves its name to one of the two, killed at any call")
  func killedOverDamaged() throws {
    for features in Self.features {
      var kills = 0
      for call in 1... {
        let (scene, copy) = try Self.damaged(features)
        scene.files.kill(at: call)
        _ = try? scene.store(Array("whole".utf8))
        guard scene.files.wasKilled else {
          #expect(scene.files.bytes(at: copy) == Array("whole".utf8))
          break
        }
        kills += 1
        scene.files.reboot()
        let left = scene.files.bytes(at: copy).map { String(decoding: $0, as: UTF8.self) }
        #expect(left == "whole" || left == "other", "killed at call \(call)")
      }
      #expect(kills >= 5)
    }
  }

  @Test("over a damaged copy leaves that, and nothing else, where a call fails")
  func failingOverDamaged() throws {
    let operations: [FileOperation] = [.create, .write, .synchronize, .link, .rename, .remove]
    for features in Self.features {
      for operation in operations {
        for call in 1...4 {
          let (scene, copy) = try Self.damaged(features)
          scene.files.fail(operation, at: call, with: .ioError)
          let isStored = (try? scene.store(Array("whole".utf8))) != nil
          let left = scene.files.bytes(at: copy).map { String(decoding: $0, as: UTF8.self) }
          #expect(left == (isStored ? "whole" : "other"), "\(operation), call \(call)")
          let names = scene.names(in: copy.removingLastComponent())
          #expect(names == [copy.lastComponent?.string], "\(operation), call \(call)")
        }
      }
    }
  }

  @Test("over a copy that somebody else has replaced since it was judged never takes that away")
  func twoOverDamaged() throws {
    let content = Array("whole".utf8)
    for features in Self.features {
      // The other stores it at this question whether to stop; then the kill is that many calls off.
      for question in 1...4 {
        for call in 1... {
          let (scene, copy) = try Self.damaged(features)
          var asked = 0
          let writer = scene.writer {
            asked += 1
            guard asked == question else { return false }
            _ = try? scene.writer().store(BlobSource(stream: { try $0(content[...]) }))
            scene.files.kill(at: call)
            return false
          }
          _ = try? writer.store(BlobSource(file: scene.source, in: scene.files))
          guard scene.files.wasKilled else { break }
          scene.files.reboot()
          #expect(scene.files.bytes(at: copy) == content, "at \(question), killed at \(call)")
        }
      }
    }
  }

  @Test("takes over what another device keeps only if that is whole")
  func takenOver() throws {
    let scene = BlobScene()
    let content = BlobScene.content()
    let stored = try scene.store(content, as: BlobScene.bob)
    let copy = try scene.writer().store(stored.hash, from: BlobScene.bob)
    #expect(copy == stored)
    #expect(scene.files.bytes(at: scene.blobs.file(stored.hash, of: BlobScene.ann)) == content)
    let other = BlobScene()
    try other.store(content, as: BlobScene.bob)
    other.files.put(other.blobs.file(stored.hash, of: BlobScene.bob), BlobScene.content(3))
    #expect(try other.writer().store(stored.hash, from: BlobScene.bob) == nil)
    #expect(other.names(in: other.blobs.directory(of: BlobScene.ann)) == [])
  }
}

extension BlobWriter.Stored {
  fileprivate init(_ other: Self, isNew: Bool) {
    self.init(hash: other.hash, size: other.size, isNew: isNew)
  }
}
