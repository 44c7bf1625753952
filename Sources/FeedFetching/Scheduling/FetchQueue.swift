/// Decides which request begins next, so that many run at once and no server is pressed.
///
/// It only decides: whoever carries the requests asks ``next(at:)``, does that, and tells what came
/// of it. Times are since any fixed moment.
///
///     var queue = FetchQueue(servers: ["a:80", "a:80", "b:80"], limits: CrowdLimits())
///     queue.next(at: .zero)   // .start(0)
///     queue.next(at: .zero)   // .start(2): a:80 has its pause
struct FetchQueue {
  enum Action: Equatable {
    /// Begin this one.
    case start(Int)
    /// Do not begin this one: its server asked to be left alone for so many seconds.
    case postpone(Int, seconds: Int)
    /// Ask again at this time, or as soon as one has ended.
    case waitUntil(Duration)
    /// Ask again as soon as one has ended.
    case waitForOne
    /// Nothing is left.
    case finish
  }

  private struct Server {
    var waiting: ArraySlice<Int>
    var running = 0
    var nextStart: Duration = .zero
  }

  private let limits: CrowdLimits
  private let names: [String]
  private var servers: [String: Server] = [:]
  /// Servers with something that waits, in the order of their turns.
  private var turns: [String] = []
  private var cursor = 0
  private var running = 0
  private var postponed: [(index: Int, seconds: Int)] = []

  /// Requests by their servers, which are known by their indexes from now on.
  init(servers names: [String], limits: CrowdLimits) {
    (self.names, self.limits) = (names, limits)
    for (index, name) in names.enumerated() {
      if servers[name] == nil { turns.append(name) }
      servers[name, default: Server(waiting: [])].waiting.append(index)
    }
  }

  mutating func next(at now: Duration) -> Action {
    if let first = postponed.popLast() { return .postpone(first.index, seconds: first.seconds) }
    guard !turns.isEmpty else { return running > 0 ? .waitForOne : .finish }
    guard running < max(limits.concurrent, 1) else { return .waitForOne }
    var earliest: Duration?
    for offset in turns.indices {
      let place = (cursor + offset) % turns.count
      guard let server = servers[turns[place]] else { continue }
      guard server.running < max(limits.perServer, 1) else { continue }
      if server.nextStart <= now { return start(at: place, now: now) }
      earliest = min(earliest ?? server.nextStart, server.nextStart)
    }
    return earliest.map { .waitUntil($0) } ?? .waitForOne
  }

  private mutating func start(at place: Int, now: Duration) -> Action {
    let name = turns[place]
    guard var server = servers[name], let index = server.waiting.popFirst() else {
      return .waitForOne
    }
    running += 1
    server.running += 1
    server.nextStart = now + limits.pause
    servers[name] = server
    if server.waiting.isEmpty {
      turns.remove(at: place)
      cursor = turns.isEmpty ? 0 : place % turns.count
    } else {
      cursor = (place + 1) % turns.count
    }
    return .start(index)
  }

  /// Tells that one has ended.
  ///
  /// - parameters:
  ///   - holdSeconds: For how long a server asked to be left alone; then nothing more begins there.
  ///   - held: The servers that this is about; nil for its own.
  mutating func ended(_ index: Int, holdSeconds: Int? = nil, of held: [String]? = nil) {
    running -= 1
    servers[names[index]]?.running -= 1
    guard let holdSeconds else { return }
    for name in held ?? [names[index]] { hold(name, seconds: holdSeconds) }
  }

  private mutating func hold(_ name: String, seconds: Int) {
    guard let waiting = servers[name]?.waiting, !waiting.isEmpty else { return }
    postponed += waiting.reversed().map { ($0, seconds) }
    servers[name]?.waiting = []
    turns.removeAll { $0 == name }
    cursor = 0
  }
}
