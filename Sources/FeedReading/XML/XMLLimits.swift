/// How much of what a document may have is taken; what exceeds it is left out, never an error.
enum XMLLimits {
  /// Elements inside one another; deeper ones are left out, their text stays.
  static let depth = 200
  /// Attributes of one element, which libxml2 compares each with each.
  static let attributes = 100
  static let nameBytes = 200
  /// Different names of elements and attributes in one document.
  static let names = 2_000
  static let attributeBytes = 1 << 16
  /// A base address, which every relative address in its element grows by.
  static let baseBytes = 512
  /// Entities that a document type may declare.
  static let entities = 1_000
  static let entityBytes = 1 << 16
  /// Entities inside entities.
  static let entityDepth = 16
  /// What all entities of a document expand to together.
  static let expandedBytes = 1 << 20
  /// One piece of text between two tags.
  static let textBytes = 16 << 20
}
