/// Answers as servers send them.
enum Replies {
  static let rss = """
    <?xml version="1.0"?><rss version="2.0"><channel><title>News</title>\
    <item><guid>1</guid><title>One</title></item></channel></rss>
    """

  /// A whole answer, with the right length.
  static func reply(
    _ status: Int = 200, _ fields: [String] = [], body: [UInt8] = []
  ) -> [Step] {
    let hasBody = status != 304 && status != 204
    let length = hasBody ? ["Content-Length: \(body.count)"] : []
    return [head(status, fields + length), .send(hasBody ? body : [])]
  }

  static func reply(_ status: Int = 200, _ fields: [String] = [], text: String) -> [Step] {
    reply(status, fields, body: Array(text.utf8))
  }

  /// A feed.
  static func feed(_ fields: [String] = []) -> [Step] {
    reply(200, ["Content-Type: application/rss+xml"] + fields, text: rss)
  }

  static func redirect(_ status: Int, to location: String) -> [Step] {
    reply(status, ["Location: \(location)"])
  }

  /// The beginning of an answer, without a length.
  static func head(_ status: Int = 200, _ fields: [String] = []) -> Step {
    .text((["HTTP/1.1 \(status) Reason"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
  }
}
