/// Addresses as texts: joining relative ones to a base, and telling harmless schemes from others.
package enum WebAddress {
  /// The parts of an address as RFC 3986 appendix B cuts it.
  private struct Parts {
    var scheme: Substring.UTF8View?
    var authority: Substring.UTF8View?
    var path: Substring.UTF8View
    var query: Substring.UTF8View?
    var fragment: Substring.UTF8View?

    init(_ text: String) {
      var rest = text[...].utf8
      if let scheme = WebAddress.schemeEnd(rest) {
        self.scheme = rest[..<scheme]
        rest = rest[rest.index(after: scheme)...]
      }
      if let hash = rest.firstIndex(of: ASCII.hash) {
        fragment = rest[rest.index(after: hash)...]
        rest = rest[..<hash]
      }
      if let mark = rest.firstIndex(of: ASCII.question) {
        query = rest[rest.index(after: mark)...]
        rest = rest[..<mark]
      }
      if rest.starts(with: "//".utf8) {
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(of: ASCII.slash) ?? rest.endIndex
        authority = rest[..<end]
        rest = rest[end...]
      }
      path = rest
    }
  }

  /// Where the colon of the scheme is, if there is one.
  private static func schemeEnd(_ text: Substring.UTF8View) -> Substring.UTF8View.Index? {
    guard let first = text.first, first.isASCIILetter else { return nil }
    for index in text.indices {
      let byte = text[index]
      if byte == ASCII.colon { return index }
      guard byte.isASCIIAlphanumeric || byte == 0x2B || byte == 0x2D || byte == 0x2E else {
        return nil
      }
    }
    return nil
  }

  /// Whether it has a scheme, and so needs no base.
  package static func isAbsolute(_ text: String) -> Bool { schemeEnd(text[...].utf8) != nil }

  /// Whether it begins as an address of the web does.
  package static func isWeb(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start == "https://"
  }

  /// The scheme in small letters; empty without one.
  static func scheme(of text: String) -> String {
    let bytes = text[...].utf8
    guard let end = schemeEnd(bytes) else { return "" }
    return String(Substring(bytes[..<end])).lowercased()
  }

  private static let harmless: Set<String> = [
    "http", "https", "mailto", "ftp", "ftps", "sftp", "feed", "tel", "sms", "geo", "magnet", "news",
    "nntp", "irc", "ircs", "xmpp", "sip", "sips", "gopher", "gemini", "webcal", "urn", "tag", "doi",
    "bitcoin", "matrix", "acct", "ed2k", "rtsp", "aim", "callto", "svn", "git", "ssh",
  ]

  /// Whether following it can at most show another page: not for `javascript:`, `data:`, `file:`.
  package static func isHarmless(_ text: String) -> Bool {
    let scheme = scheme(of: text)
    guard scheme.isEmpty else { return harmless.contains(scheme) }
    // A colon is no scheme's behind the first part of a path, in a query or a fragment.
    return !text.utf8.prefix {
      $0 != ASCII.slash && $0 != ASCII.question && $0 != ASCII.hash
    }.contains(ASCII.colon)
  }

  /// An address without what browsers ignore in it, with spaces escaped.
  package static func cleaned(_ text: String) -> String {
    let bytes = text.utf8
    let isClean = bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 < 0x80 }
    if isClean { return text }
    var result: [UInt8] = []
    for byte in text.trimmed.utf8 {
      if byte == ASCII.space {
        result.append("%20")
      } else if byte > 0x20, byte != 0x7F {
        result.append(byte)
      }
    }
    return removingInvisible(String(utf8: result))
  }

  private static func removingInvisible(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { !TextCleaning.isHarmful($0) }))
  }

  /// The address that `reference` means in a document at `base`, as RFC 3986 section 5 says.
  ///
  ///     WebAddress.resolve("../b", "http://example.org/x/a")  // http://example.org/b
  package static func resolve(_ reference: String, _ base: String) -> String {
    guard !base.isEmpty, !isAbsolute(reference) else { return reference }
    let parts = Parts(reference)
    let from = Parts(base)
    guard let scheme = from.scheme else { return reference }
    // Addresses without a hierarchy, such as `mailto:` and `urn:`, are no base.
    guard from.authority != nil else { return reference }
    var authority = from.authority
    var path: [UInt8]
    var query = parts.query
    if parts.authority != nil {
      (authority, path) = (parts.authority, removeDots(Array(parts.path)))
    } else if parts.path.isEmpty {
      path = Array(from.path)
      query = query ?? from.query
    } else if parts.path.first == ASCII.slash {
      path = removeDots(Array(parts.path))
    } else {
      var merged = Array(from.path)
      if let slash = merged.lastIndex(of: ASCII.slash) {
        merged.removeSubrange((slash + 1)...)
      } else {
        merged = [ASCII.slash]
      }
      path = removeDots(merged + parts.path)
    }
    var result = Array(scheme) + [ASCII.colon]
    if let authority { result += Array("//".utf8) + authority }
    result += path
    if let query { result += [ASCII.question] + query }
    if let fragment = parts.fragment { result += [ASCII.hash] + fragment }
    return String(utf8: result)
  }

  /// A path without its `.` and `..`, as RFC 3986 section 5.2.4 removes them.
  private static func removeDots(_ path: [UInt8]) -> [UInt8] {
    guard path.contains(0x2E) else { return path }
    var kept: [ArraySlice<UInt8>] = []
    let segments = path.split(separator: ASCII.slash, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      if segment.elementsEqual("..".utf8) {
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append([]) }
      } else if segment.elementsEqual(".".utf8) {
        if isLast { kept.append([]) }
      } else {
        kept.append(segment)
      }
    }
    return Array(kept.joined(separator: [ASCII.slash]))
  }
}
