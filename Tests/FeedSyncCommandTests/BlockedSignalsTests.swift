import Foundation
import Testing

@Suite("A command that was started with signals blocked", .timeLimit(.minutes(5)))
struct BlockedSignalsTests {
  @Test("is ended by SIGTERM, whatever a thread of its parent kept from itself")
  func ends() throws {
    let machine = try Machine()
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let watch = try RunningWatch(environment: machine.environment)
    _ = try watch.next("watching")
    #expect(watch.terminate() == 0)
  }
}

@Suite("A command that is quit", .timeLimit(.minutes(5)))
struct QuitTests {
  // By itself the Swift runtime reports a crash, and has the program go on.
  @Test("is ended by SIGQUIT, and says nothing of a crash")
  func ends() throws {
    let machine = try Machine()
    let scratch = try Scratch()
    // What a shell runs in the background ignores it, and so would the command.
    let before = signal(SIGQUIT, SIG_DFL)
    defer { signal(SIGQUIT, before) }
    let watch = try RunningWatch(
      environment: machine.environment, errors: try scratch.newFile("err"))
    _ = try watch.next("watching")
    kill(watch.process.processIdentifier, SIGQUIT)
    watch.process.waitUntilExit()
    #expect(watch.process.terminationReason == .uncaughtSignal)
    #expect(watch.process.terminationStatus == SIGQUIT)
    #expect(try scratch.text("err") == "")
  }
}
