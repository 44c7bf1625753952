/// What people call a device: text to show, which identifies nothing.
package enum DeviceName {
  /// How many bytes a name may have.
  package static let maximumBytes = 64

  /// Whether `text` can be a name: 1 to 64 bytes, and nothing that moves a terminal's cursor.
  package static func isValid(_ text: String) -> Bool {
    (1...maximumBytes).contains(text.utf8.count)
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
