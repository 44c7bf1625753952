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
