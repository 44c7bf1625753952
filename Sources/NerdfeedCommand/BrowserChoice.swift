/// The program that shows pages, as `$BROWSER` names it, with its arguments.
///
///     BrowserChoice("firefox --new-window %s", isProgram: { _ in true }).words(opening: link)
///
/// The variable has programs that are set apart by colons, as
/// <http://www.catb.org/~esr/BROWSER/> has it; the first that is there counts. Each may have
/// arguments, and `%s` stands for the address, which comes behind them if it does not; `%c` is a
/// colon and `%%` a percent sign. Quotes and backslashes mean what they mean to a shell, and no
/// other sign means anything: no shell reads it.
struct BrowserChoice: Equatable {
  /// The program and its arguments, in which the address has no place yet.
  private let template: [String]

  private static let usual = "xdg-open"
  /// Those that show pages in the terminal, and so need it for themselves.
  private static let textual: Set<Substring> = [
    "w3m", "lynx", "links", "links2", "elinks", "browsh", "cha",
  ]

  /// - parameter isProgram: Whether a name is that of a program which can be run.
  init(_ variable: String, isProgram: (String) -> Bool) {
    let choices = variable.split(separator: ":").compactMap { entry -> [String]? in
      let whole = String(entry)
      // A path may have spaces in it.
      let words = whole.contains("/") && isProgram(whole) ? [whole] : Self.words(of: whole)
      return words.first.map { $0.isEmpty } ?? true ? nil : words
    }
    template = choices.first { isProgram($0[0]) } ?? choices.first ?? [Self.usual]
  }

  /// What the program is called.
  var name: String { template[0] }

  /// Whether it shows pages in the terminal.
  var needsTerminal: Bool { Self.textual.contains(name.split(separator: "/").last ?? "") }

  /// What is run to open a page.
  func words(opening link: String) -> [String] {
    var isPlaced = false
    let arguments = template.dropFirst().map { word in
      Self.filled(word, link: link, isPlaced: &isPlaced)
    }
    return [name] + arguments + (isPlaced ? [] : [link])
  }

  private static func filled(_ word: String, link: String, isPlaced: inout Bool) -> String {
    var result = ""
    var rest = Substring(word)
    while let sign = rest.firstIndex(of: "%") {
      result += rest[..<sign]
      rest = rest[rest.index(after: sign)...]
      switch rest.first {
      case "s":
        result += link
        isPlaced = true
      case "c": result += ":"
      case "%": result += "%"
      default:
        // It stands for nothing but itself.
        result += "%"
        continue
      }
      rest.removeFirst()
    }
    return result + rest
  }

  /// The words of a command, without its quotes.
  private static func words(of command: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in command {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
