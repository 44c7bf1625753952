import Dispatch

/// Stands in for the kernel where it tells nothing: signals at every interval that something may
/// have changed.
func pollingTimer(
  every interval: DispatchTimeInterval, _ continuation: AsyncStream<Void>.Continuation
) -> sending any DispatchSourceProtocol {
  let timer = DispatchSource.makeTimerSource()
  timer.schedule(deadline: .now() + interval, repeating: interval)
  timer.setEventHandler { continuation.yield() }
  timer.resume()
  return timer
}
