import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A request as it came to a ``PlayedServer``.
struct PlayedRequest: Sendable, Equatable {
  let path: String
  /// Fields by their names in small letters.
  let fields: [String: String]
}

/// One thing that a server does with a connection.
enum Step: Sendable {
  case send([UInt8])
  case pause(Int64)
  /// The same bytes for as long as the other side takes them.
  case endless([UInt8])
  /// Byte by byte, with a pause of milliseconds after each.
  case drip([UInt8], Int64)
  case close

  static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
}

/// A real server on loopback, which answers each request by a script: byte for byte what a test
/// says, be it HTTP or not.
///
///     try await PlayedServer.run({ _ in [.text("HTTP/1.1 204 No Content\r\n\r\n")] }) { server in
///       await fetch(server.url("/feed"))
///     }
final class PlayedServer: Sendable {
  typealias Script = @Sendable (PlayedRequest) -> [Step]

  private let heard = Mutex<[PlayedRequest]>([])
  private let most = Mutex<(open: Int, most: Int)>((0, 0))
  private let bound = Mutex<[any Channel]>([])
  private let isSecure: Bool

  private init(isSecure: Bool) { self.isSecure = isSecure }

  /// What was asked, in its order.
  var requests: [PlayedRequest] { heard.withLock { $0 } }
  /// How many requests were answered at the same time, at most.
  var mostAtOnce: Int { most.withLock { $0.most } }
  var port: Int { bound.withLock { $0.first?.localAddress?.port ?? 0 } }

  func url(_ path: String, host: String = "127.0.0.1") -> String {
    "\(isSecure ? "https" : "http")://\(host):\(port)\(path)"
  }

  /// Serves on these addresses, all with the same port, while `body` runs.
  static func run<Value>(
    _ script: @escaping Script, tls: NIOSSLContext? = nil, addresses: [String] = ["127.0.0.1"],
    body: (PlayedServer) async throws -> Value
  ) async throws -> Value {
    let server = PlayedServer(isSecure: tls != nil)
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 512)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          if let tls {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls))
          }
          try channel.pipeline.syncOperations.addHandler(PlayHandler(script, server: server))
        }
      }
    for address in addresses {
      let channel = try await bootstrap.bind(host: address, port: server.port).get()
      server.bound.withLock { $0.append(channel) }
    }
    do {
      let value = try await body(server)
      try await server.close()
      return value
    } catch {
      try await server.close()
      throw error
    }
  }

  private func close() async throws {
    for channel in bound.withLock({ $0 }) { try await channel.close() }
  }

  fileprivate func begin(_ request: PlayedRequest) {
    heard.withLock { $0.append(request) }
    most.withLock { $0 = ($0.open + 1, max($0.most, $0.open + 1)) }
  }

  fileprivate func end() { most.withLock { $0.open -= 1 } }
}

/// Reads requests of one connection, and plays what the script answers.
private final class PlayHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let script: PlayedServer.Script
  private let server: PlayedServer
  private var received: [UInt8] = []

  init(_ script: @escaping PlayedServer.Script, server: PlayedServer) {
    (self.script, self.server) = (script, server)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    received += Self.unwrapInboundIn(data).readableBytesView
    // Requests are GETs without a body, so that an empty line ends them.
    guard received.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
    let request = Self.request(received)
    received = []
    server.begin(request)
    play(script(request)[...], context: context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The other side does not want it: that is what many tests are about.
    context.close(promise: nil)
  }

  private static func request(_ bytes: [UInt8]) -> PlayedRequest {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let path = lines.first?.split(separator: " ").dropFirst().first ?? ""
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      fields[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
    }
    return PlayedRequest(path: String(path), fields: fields)
  }

  private func play(_ steps: ArraySlice<Step>, context: ChannelHandlerContext) {
    guard let step = steps.first else { return server.end() }
    let rest = steps.dropFirst()
    switch step {
    case .send(let bytes):
      write(bytes, context: context)
      play(rest, context: context)
    case .pause(let milliseconds): after(milliseconds, play: rest, context: context)
    case .endless(let bytes):
      write(bytes, context: context)
      after(0, play: steps, context: context)
    case .drip(let bytes, let milliseconds):
      guard let first = bytes.first else { return play(rest, context: context) }
      write([first], context: context)
      let next = [.drip(Array(bytes.dropFirst()), milliseconds)] + rest
      after(milliseconds, play: next[...], context: context)
    case .close:
      server.end()
      context.close(promise: nil)
    }
  }

  private func after(
    _ milliseconds: Int64, play steps: ArraySlice<Step>, context: ChannelHandlerContext
  ) {
    context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(milliseconds)) {
      guard context.channel.isActive else { return self.server.end() }
      // A connection that takes no more is written to again once it does.
      guard context.channel.isWritable else {
        return self.after(1, play: steps, context: context)
      }
      self.play(steps, context: context)
    }
  }

  private func write(_ bytes: [UInt8], context: ChannelHandlerContext) {
    context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
  }
}
