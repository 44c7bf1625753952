/// Words that stand in dates: months and weekdays in several languages, zones, halves of the day.
enum DateWords {
  /// The names of each month, in small letters; a name is known by its first letters, too.
  private static let months: [[String]] = [
    [
      "january", "januar", "janvier", "enero", "gennaio", "janeiro", "januari", "január", "ιαν",
      "янв",
      "stycznia", "leden", "ledna", "jän", "jänner", "oca", "ocak", "gen", "ene", "janv", "sty",
    ],
    [
      "february", "februar", "février", "fevrier", "febrero", "febbraio", "fevereiro", "februari",
      "február", "φεβ", "фев", "lutego", "févr", "fév", "únor", "února", "şub", "şubat", "lut",
    ],
    [
      "march", "märz", "mars", "marzo", "março", "maart", "március", "μάρ", "μαρ", "мар", "mär",
      "mrz",
      "marca", "mrt", "březen", "března", "márc",
    ],
    [
      "april", "avril", "abril", "aprile", "április", "απρ", "апр", "kwietnia", "avr", "abr", "ápr",
      "nisan", "duben", "dubna", "kwi",
    ],
    [
      "may", "mai", "mayo", "maggio", "maio", "mei", "május", "μάι", "μαϊ", "μαι", "май", "мая",
      "maja",
      "maj", "mag", "mayıs", "květen", "května", "máj",
    ],
    [
      "june", "juni", "juin", "junio", "giugno", "junho", "június", "ιούν", "ιον", "июн", "czerwca",
      "giu", "haziran", "červen", "června", "jún", "cze",
    ],
    [
      "july", "juli", "juillet", "julio", "luglio", "julho", "július", "ιούλ", "ιολ", "июл",
      "lipca",
      "juil", "lug", "temmuz", "červenec", "července", "júl", "lip",
    ],
    [
      "august", "août", "aout", "agosto", "augustus", "augusztus", "αύγ", "αυγ", "авг", "sierpnia",
      "ago", "ağustos", "srpen", "srpna", "sie",
    ],
    [
      "september", "sept", "septembre", "septiembre", "settembre", "setembro", "szeptember", "σεπ",
      "сен", "września", "set", "eylül", "září", "szept", "wrz",
    ],
    [
      "october", "oktober", "octobre", "octubre", "ottobre", "outubro", "október", "οκτ", "окт",
      "października", "out", "ott", "ekim", "říjen", "října", "paź",
    ],
    [
      "november", "novembre", "noviembre", "novembro", "νοέ", "νοε", "ноя", "listopada", "kasım",
      "listopad", "listopadu", "lis",
    ],
    [
      "december", "dezember", "décembre", "decembre", "diciembre", "dicembre", "dezembro", "δεκ",
      "дек", "grudnia", "déc", "dez", "dic", "aralık", "prosinec", "prosince", "gru",
    ],
  ]

  private static let monthNumbers: [String: Int] = {
    var result: [String: Int] = [:]
    for (index, names) in months.enumerated() {
      for name in names {
        result[name] = result[name] ?? index + 1
        if name.utf8.allSatisfy(\.isASCIILetter), name.count > 3 {
          let short = String(name.prefix(3))
          result[short] = result[short] ?? index + 1
        }
      }
    }
    return result
  }()

  static func month(_ word: String) -> Int? {
    if let known = monthNumbers[word] { return known }
    // Inflected: `января`, `Ιουλίου`.
    guard let first = word.utf8.first, first >= 0x80 else { return nil }
    return monthNumbers[String(word.prefix(3))] ?? monthNumbers[String(word.prefix(4))]
  }

  /// Weekdays and words that mean nothing for the date, of which there are many.
  static func isFiller(_ word: String) -> Bool {
    if fillers.contains(word) { return true }
    if word.utf8.first ?? 0 >= 0x80 {
      // Of letters outside ASCII, all that is neither a month nor half a day.
      return afternoon(word) == nil
    }
    return word.count > 3 && weekdays.contains(String(word.prefix(3)))
      || weekdays.contains(word)
  }

  private static let weekdays: Set<String> = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "lun", "mar", "mer", "jeu", "ven", "sam",
    "dim",
    "mie", "jue", "vie", "sab", "dom", "gio", "seg", "ter", "qua", "qui", "sex", "die", "mit",
    "don",
    "fre", "sam", "son", "maa", "din", "woe", "vri", "zat", "zon", "pon", "wto", "sro", "czw",
    "pia",
    "sob", "nie", "man", "tir", "ons", "tor", "lor", "mo", "di", "mi", "do", "fr", "sa", "so",
  ]

  private static let fillers: Set<String> = [
    "st", "nd", "rd", "th", "t", "of", "at", "de", "del", "le", "um", "uhr", "the", "on", "el", "a",
    "년", "월", "일", "시", "분", "초", "年", "月", "日", "時", "时", "分", "秒", "点", "etc", "h",
  ]

  /// Whether the word says the afternoon, or the morning; nil for other words.
  static func afternoon(_ word: String) -> Bool? {
    switch word {
    case "pm", "p", "오후", "午後", "下午": true
    case "am", "오전", "午前", "上午": false
    default: nil
    }
  }

  static func isKnownZone(_ word: String) -> Bool { zones[word] != nil }

  /// The offset of a zone, in seconds east of Greenwich; unknown ones are taken as UTC.
  static func zone(_ word: String) -> Int? {
    if let hours = zones[word] { return Int(hours * 3_600) }
    // RFC 822's letters were wrong in it and mean nothing; others that look like a zone are
    // unknown.
    let isZone = word.utf8.count <= 5 && word.utf8.allSatisfy(\.isASCIILetter) && word != "zz"
    return isZone && word.utf8.count != 2 && word != "zzz" && word != "xxx" ? 0 : nil
  }

  private static let zones: [String: Double] = [
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "bst": 1, "ist": 5.5, "cet": 1, "met": 1,
    "west": 1, "cest": 2, "mest": 2, "mesz": 2, "mez": 1, "eet": 2, "eest": 3, "sast": 2, "msk": 3,
    "msd": 4, "at": -4, "ast": -4, "adt": -3, "et": -5, "est": -5, "edt": -4, "ct": -6, "cst": -6,
    "cdt": -5, "mt": -7, "mst": -7, "mdt": -6, "pt": -8, "pst": -8, "pdt": -7, "akst": -9,
    "akdt": -8, "hst": -10, "nst": -3.5, "ndt": -2.5, "brt": -3, "art": -3, "jst": 9, "kst": 9,
    "hkt": 8, "sgt": 8, "awst": 8, "acst": 9.5, "aest": 10, "aedt": 11, "nzst": 12, "nzdt": 13,
    "pkt": 5, "wib": 7,
  ]
}
