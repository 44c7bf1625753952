/// What the current thread or task is in the middle of: it tells the arbiter which claims cannot
/// end before one that is made now.
struct CoordinationContext: Sendable {
  /// The claims in whose accessors it is.
  var held: [CoordinationKey] = []
  /// The claims whose questions to a presenter it is answering.
  var answering: [CoordinationKey] = []

  /// A task that an accessor starts inherits this, although it may outlive the accessor; what has
  /// ended is left out when a claim is made.
  @TaskLocal static var current = CoordinationContext()
}
