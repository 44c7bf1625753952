extension HTMLCleaner {
  /// Writes the attributes that may stay; false if the element may not, because of them.
  mutating func writeAttributes(isForeign: Bool, of element: PackedName) -> Bool {
    let isImage = element == HTMLNames.img
    var lostSource = false
    var written: [PackedName] = []
    if element == HTMLNames.svg { output.append(" xmlns=\"http://www.w3.org/2000/svg\"") }
    if element == HTMLNames.math { output.append(" xmlns=\"http://www.w3.org/1998/Math/MathML\"") }
    for attribute in tag.attributes {
      guard
        let name = PackedName(input[attribute.name], lowercasing: true), !written.contains(name),
        let kind = HTMLVocabulary.attributes[name], kind != .foreign || isForeign
      else { continue }
      let isSource = kind == .source || kind == .sourceSet
      guard !isSource || HTMLNames.media.contains(element) else { continue }
      let isHarmlessLink = kind != .address || isWebAddress(attribute.value.lowerBound)
      if isHarmlessLink { declareXLink(for: attribute, &written) }
      if writePlainly(name, attribute.value, kind, isImage) {
        written.append(name)
        continue
      }
      // First, since what is left is what is judged: it may be empty, or a width of one.
      let value = TextCleaning.withoutHarmful(decoded(attribute.value))
      if isImage, isPixel(name, value) { return false }
      guard let kept = harmless(value, kind) else {
        lostSource = lostSource || kind == .source
        continue
      }
      declareXLink(for: attribute, &written)
      written.append(name)
      output.append(ASCII.space)
      name.append(to: &output)
      output.append("=\"")
      Self.escape(kept, into: &output)
      output.append(ASCII.quote)
    }
    return !isImage || !lostSource
  }

  /// Writes an attribute whose value needs no change, as nearly all do; false if it may need one.
  private mutating func writePlainly(
    _ name: PackedName, _ value: Range<Int>, _ kind: HTMLVocabulary.Attribute, _ isImage: Bool
  ) -> Bool {
    switch kind {
    case .plain where !isImage || name != HTMLNames.width && name != HTMLNames.height: break
    case .address: guard isWebAddress(value.lowerBound) else { return false }
    default: return false
    }
    let isAddress = kind == .address
    for index in value {
      let byte = input[index]
      let isSpecial =
        byte < 0x20 || byte >= 0x7F || byte == ASCII.ampersand || byte == ASCII.less
        || byte == ASCII.greater || byte == ASCII.quote || isAddress && byte == ASCII.space
      if isSpecial { return false }
    }
    output.append(ASCII.space)
    name.append(to: &output)
    output.append("=\"")
    output.append(value, of: input)
    output.append(ASCII.quote)
    return true
  }

  private func isWebAddress(_ start: Int) -> Bool {
    input.has("http://", at: start) || input.has("https://", at: start)
  }

  /// Declares the namespace of the first attribute that needs it.
  private mutating func declareXLink(
    for attribute: HTMLTag.Attribute, _ written: inout [PackedName]
  ) {
    guard input.hasIgnoringCase("xlink:", at: attribute.name.lowerBound),
      !written.contains(where: { $0 == HTMLNames.xlink })
    else { return }
    output.append(" xmlns:xlink=\"http://www.w3.org/1999/xlink\"")
    if let name = HTMLNames.xlink { written.append(name) }
  }

  /// The value with its references resolved.
  private func decoded(_ range: Range<Int>) -> [UInt8] {
    guard input.place(of: ASCII.ampersand, from: range.lowerBound, to: range.upperBound) != nil
    else { return Array(input[range]) }
    var result: [UInt8] = []
    result.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let next = input.place(of: ASCII.ampersand, from: index, to: range.upperBound)
      guard let next else {
        result.append(index..<range.upperBound, of: input)
        break
      }
      result.append(index..<next, of: input)
      index = next
      if let found = CharacterReference(
        in: input, at: index, end: range.upperBound, isAttribute: true)
      {
        if found.scalar != 0 { result.append(scalar: found.scalar) }
        if found.second != 0 { result.append(scalar: found.second) }
        index += found.count
      } else {
        result.append(input[index])
        index += 1
      }
    }
    return result
  }

  /// What may be kept of a value; nil if the attribute must go.
  private func harmless(_ value: [UInt8], _ kind: HTMLVocabulary.Attribute) -> [UInt8]? {
    switch kind {
    case .plain, .foreign:
      // Presentation attributes of SVG may refer to what is elsewhere.
      return kind == .foreign && CSSFilter.mayLoad(value) ? nil : value
    case .style: return CSSFilter.clean(value)
    case .address: return address(value)
    case .source:
      guard let address = address(value) else { return nil }
      return TrackingHosts.isTracker(address) ? nil : address
    case .sourceSet: return sourceSet(value)
    }
  }

  private func address(_ value: [UInt8]) -> [UInt8]? {
    let isWeb = value.has("http://", at: 0) || value.has("https://", at: 0)
    if isWeb, value.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return value }
    let text = WebAddress.cleaned(String(utf8: value))
    guard WebAddress.isHarmless(text) else { return nil }
    // A long base would make many short addresses long.
    guard output.count <= input.count * 4 + 1 << 20 else { return nil }
    guard !base.isEmpty, !text.isEmpty || !value.isEmpty else { return Array(text.utf8) }
    return Array(WebAddress.resolve(text, base).utf8)
  }

  /// The candidates of a `srcset`, all of which must be harmless.
  private func sourceSet(_ value: [UInt8]) -> [UInt8]? {
    var result: [UInt8] = []
    for candidate in SourceCandidates(value).prefix(20) {
      guard let address = address(Array(candidate.address)), !TrackingHosts.isTracker(address),
        let first = address.first, first != 0x2C, address.last != 0x2C
      else { return nil }
      // None that HTML knows; what stands in parentheses may have commas of its own.
      guard !candidate.descriptors.contains(0x28) else { return nil }
      if !result.isEmpty { result.append(", ") }
      result.append(contentsOf: address)
      for part in candidate.descriptors.split(whereSeparator: \.isASCIISpace) {
        result.append(ASCII.space)
        result.append(contentsOf: part)
      }
    }
    return result.isEmpty ? nil : result
  }

  /// Whether the attribute makes an image so small that nobody is meant to see it.
  private func isPixel(_ name: PackedName, _ value: [UInt8]) -> Bool {
    guard name == HTMLNames.width || name == HTMLNames.height else { return false }
    let digits = value.drop(while: \.isASCIISpace).prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty, !value.contains(0x25) else { return false }
    return digits.allSatisfy { $0 == 0x30 } || digits.elementsEqual([0x31])
  }

  /// Appends a value so that it ends where its quotation mark is, without harmful characters.
  static func escape(_ value: [UInt8], into output: inout [UInt8]) {
    var index = 0
    var written = 0
    while index < value.count {
      let byte = value[index]
      let isPlain =
        byte >= 0x20 && byte < 0x7F && byte != ASCII.ampersand && byte != ASCII.less
        && byte != ASCII.greater && byte != ASCII.quote
      var skipped = 0
      if !isPlain {
        skipped = byte < 0x20 || byte >= 0x7F ? TextCleaning.harmfulCount(value, at: index) : 1
      }
      guard skipped > 0 else {
        index += 1
        continue
      }
      output.append(written..<index, of: value)
      switch byte {
      case ASCII.ampersand: output.append("&amp;")
      case ASCII.less: output.append("&lt;")
      case ASCII.greater: output.append("&gt;")
      case ASCII.quote: output.append("&quot;")
      default: break
      }
      index += skipped
      written = index
    }
    output.append(written..<value.count, of: value)
  }
}

/// The candidates of a `srcset`, as HTML cuts it: an address goes on to the next white space, so it
/// may have commas in it, but none at its end.
private struct SourceCandidates: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>

  init(_ value: [UInt8]) { rest = value[...] }

  mutating func next() -> (address: ArraySlice<UInt8>, descriptors: ArraySlice<UInt8>)? {
    rest = rest.drop { $0 == 0x2C || $0.isASCIISpace }
    guard !rest.isEmpty else { return nil }
    let word = rest.prefix { !$0.isASCIISpace }
    rest = rest[word.endIndex...]
    // With a comma behind it, it has no descriptors.
    guard word.last != 0x2C else {
      let end = word.lastIndex { $0 != 0x2C } ?? word.startIndex
      return (word[...end], [])
    }
    let descriptors = rest.prefix { $0 != 0x2C }
    rest = rest[descriptors.endIndex...]
    return (word, descriptors)
  }
}

/// Hosts and paths whose images only count who reads.
enum TrackingHosts {
  private static let marks: [StaticString] = [
    "feedsportal.com/", "feeds.feedburner.com/~r/", "feeds.feedburner.com/~ff/", "pixel.wp.com/",
    "stats.wordpress.com/b.gif", "doubleclick.net/", "google-analytics.com/", "pheedo.com/",
    "rss-tracker", "/pixel.gif", "feedads.g.", "b.scorecardresearch.com/", "pixel.quantserve.com/",
    "list-manage.com/track/open", "/open-pixel", "statcounter.com/", "medium.com/_/stat",
  ]

  static func isTracker(_ address: [UInt8]) -> Bool {
    marks.contains { address.firstIndex(of: $0, from: 0) != nil }
  }
}
