/// Words that the parser takes whatever they look like, such as -1.
enum Unrecognized {
  /// Without what users write in front of a word that may look like an option.
  static func words(_ all: [String]) -> ArraySlice<String> {
    all.count > 1 && all[0] == "--" ? all.dropFirst() : all[...]
  }
}
