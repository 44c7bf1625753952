import CLibXML2

/// What happens in a document, in its order.
protocol XMLEventHandler: AnyObject {
  func start(_ element: XMLStartTag)
  func end()
  func characters(_ text: UnsafeBufferPointer<UInt8>)
}

/// A start tag in libxml2's memory, which is only valid during the call.
struct XMLStartTag {
  typealias Bytes = UnsafePointer<UInt8>
  let local: Bytes
  let prefix: Bytes?
  let uri: Bytes?
  fileprivate let attributes: UnsafeMutablePointer<Bytes?>?
  let attributeCount: Int

  /// libxml2 gives five pointers for each attribute: names and namespace, start and end of the
  /// value.
  func attribute(_ index: Int) -> (
    local: Bytes, prefix: Bytes?, uri: Bytes?, value: UnsafeBufferPointer<UInt8>
  )? {
    guard let attributes, let local = attributes[index * 5], let start = attributes[index * 5 + 3],
      let end = attributes[index * 5 + 4]
    else { return nil }
    return (
      local, attributes[index * 5 + 1], attributes[index * 5 + 2],
      UnsafeBufferPointer(start: start, count: end - start)
    )
  }
}

/// libxml2's push parser behind Swift.
///
/// It is only given what ``XMLMender`` has written, so it sees no document type, and the options
/// that let it load anything stay off besides. Its own limits are lifted, since the mender's hold.
enum XMLEventParser {
  /// Reads all of `text`; false if libxml2 had to give up, and the handler has what came before.
  @discardableResult
  static func parse(_ text: [UInt8], handler: some XMLEventHandler) -> Bool {
    let box = Box(handler)
    var sax = handlers()
    let user = Unmanaged.passUnretained(box).toOpaque()
    guard let context = xmlCreatePushParserCtxt(&sax, user, nil, 0, nil) else { return false }
    defer { xmlFreeParserCtxt(context) }
    let options =
      XML_PARSE_NOENT.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_HUGE.rawValue
      | XML_PARSE_RECOVER.rawValue | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
    xmlCtxtUseOptions(context, Int32(bitPattern: options))
    var mender = XMLMender(text)
    withExtendedLifetime(box) {
      while mender.fill() {
        mender.output.withUnsafeBytes { chunk in
          let start = chunk.baseAddress?.assumingMemoryBound(to: CChar.self)
          _ = xmlParseChunk(context, start, Int32(chunk.count), 0)
        }
        mender.discardOutput()
      }
      xmlParseChunk(context, nil, 0, 1)
    }
    return context.pointee.wellFormed != 0
  }

  /// A C function cannot be handed a generic handler.
  private final class Box {
    let handler: any XMLEventHandler
    init(_ handler: any XMLEventHandler) { self.handler = handler }
  }

  private static func handlers() -> xmlSAXHandler {
    var sax = xmlSAXHandler()
    sax.initialized = XML_SAX2_MAGIC
    sax.startElementNs = { user, local, prefix, uri, _, _, count, _, attributes in
      guard let user, let local else { return }
      let box = Unmanaged<Box>.fromOpaque(user).takeUnretainedValue()
      box.handler.start(
        XMLStartTag(
          local: local, prefix: prefix, uri: uri, attributes: attributes,
          attributeCount: Int(count)))
    }
    sax.endElementNs = { user, _, _, _ in
      guard let user else { return }
      Unmanaged<Box>.fromOpaque(user).takeUnretainedValue().handler.end()
    }
    sax.characters = characters
    sax.cdataBlock = characters
    // The same function, so that libxml2 does not look whether white space matters.
    sax.ignorableWhitespace = characters
    return sax
  }

  private static let characters: charactersSAXFunc = { user, text, count in
    guard let user, let text else { return }
    let bytes = UnsafeBufferPointer(start: text, count: Int(count))
    Unmanaged<Box>.fromOpaque(user).takeUnretainedValue().handler.characters(bytes)
  }
}
