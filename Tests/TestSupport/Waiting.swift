import Glibc
import Testing

/// Waits until something is so, and fails if it is not in time.
///
///     try waitUntil { domain.filePresenters.isEmpty }
///
/// For what another thread or process is about to do; it never stands for time that passes. A loop
/// without an end in its place would hang with all tests, which no trait of theirs could end.
package func waitUntil(
  within limit: Duration = .seconds(60), orSay failure: Comment = "it does not come to be",
  sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
) throws {
  let end = ContinuousClock.now + limit
  while try !isSo() {
    try #require(ContinuousClock.now < end, failure, sourceLocation: sourceLocation)
    usleep(1_000)
  }
}

/// Waits until something is so, and fails if it is not in time; other tasks go on, on this thread
/// as well.
package func waitUntil(
  within limit: Duration = .seconds(60), orSay failure: Comment = "it does not come to be",
  sourceLocation: SourceLocation = #_sourceLocation, _ isSo: () throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try !isSo() {
    try #require(ContinuousClock.now < end, failure, sourceLocation: sourceLocation)
    await Task.yield()
  }
}
