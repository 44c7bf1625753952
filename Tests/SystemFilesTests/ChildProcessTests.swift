import Glibc
import SystemFiles
import SystemPackage
import TestSupport
import Testing

@Suite("A program that is started", .timeLimit(.minutes(1))) struct ChildProcessTests {
  private let directory: TemporaryDirectory
  private let files = LinuxFileSystem()

  init() throws { directory = try TemporaryDirectory() }

  private func start(_ script: String, input: Int32 = STDIN_FILENO) throws -> ChildProcess {
    try ChildProcess.start(
      ["/bin/sh", "-c", script], ["PATH": "/usr/bin:/bin", "DIR": directory.path.string],
      .init(input: input, output: STDERR_FILENO, errors: STDERR_FILENO))
  }

  private func text(_ name: FilePath.Component) throws -> String {
    String(
      decoding: try files.contents(of: directory.path.appending(name), limit: 1 << 20).bytes,
      as: UTF8.self)
  }

  @Test("tells how it ended, as a shell would show it")
  func status() throws {
    #expect(try start("exit 0").end() == 0)
    #expect(try start("exit 7").end() == 7)
    #expect(try start("kill -TERM $$").end() == 128 + SIGTERM)
    let child = try start("exec sleep 60")
    child.kill()
    try child.awaitEnd()
    #expect(try child.end() == 128 + SIGKILL)
  }

  @Test("that is not there is an error")
  func missing() {
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try ChildProcess.start(
        ["/nonexistent/program"], [:], .init(input: 0, output: 2, errors: 2))
    }
  }

  @Test("gets no descriptor but its streams, no signal blocked, and SIGPIPE and SIGXFSZ as usual")
  func inheritance() throws {
    // Higher than what a shell opens for itself.
    let inherited = fcntl(STDERR_FILENO, F_DUPFD, 200)
    try #require(inherited >= 0)
    defer { close(inherited) }
    // As the programs do that start others.
    FileSizeLimit.failBeyond()
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    let child = Result {
      try start(
        "for n in /proc/$$/fd/*; do echo ${n##*/}; done >\"$DIR/open\";"
          + " exec grep -E 'Sig(Blk|Ign)' /proc/self/status >\"$DIR/signals\"")
    }
    pthread_sigmask(SIG_SETMASK, &before, nil)
    #expect(try child.get().end() == 0)
    let open = Set(try text("open").split(separator: "\n"))
    #expect(open.isSuperset(of: ["0", "1", "2"]) && !open.contains("\(inherited)"))
    let masks = try text("signals").split(separator: "\n").map { line in
      try #require(UInt64(line.split(separator: "\t").last ?? "", radix: 16))
    }
    try #require(masks.count == 2)
    #expect(masks[0] == 0)
    for number in [SIGPIPE, SIGXFSZ] { #expect(masks[1] >> UInt64(number - 1) & 1 == 0) }
  }

  @Test("is not waited for beyond its own end, whatever it has left in the background")
  func background() throws {
    let child = try start("sleep 30 & echo $! >\"$DIR/left\"")
    #expect(try child.end() == 0)
    let left = try #require(pid_t(try text("left").dropLast()))
    #expect(kill(left, SIGKILL) == 0)
  }

  @Test("reads what it is fed, or does not, as it likes", arguments: [true, false])
  func fed(reads: Bool) throws {
    let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
    let pipe = try ChildProcess.inputPipe()
    let child = try start(reads ? "cat >\"$DIR/read\"" : "exit 3", input: pipe.output)
    close(pipe.output)
    try child.feed(bytes, into: pipe.input)
    close(pipe.input)
    #expect(try child.end() == (reads ? 0 : 3))
    if reads { #expect(try text("read").utf8.count == bytes.count) }
  }

  @Test("is fed no longer than it runs, though what it has left holds the pipe open")
  func heldOpen() throws {
    let pipe = try ChildProcess.inputPipe()
    let child = try start(
      "exec 3<&0; sleep 30 <&3 & echo $! >\"$DIR/left\"", input: pipe.output)
    close(pipe.output)
    try child.feed([UInt8](repeating: 0, count: 300_000), into: pipe.input)
    close(pipe.input)
    #expect(try child.end() == 0)
    let left = try #require(pid_t(try text("left").dropLast()))
    #expect(kill(left, SIGKILL) == 0)
  }
}
