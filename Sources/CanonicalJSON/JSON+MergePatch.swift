extension JSON {
  /// This value after a JSON Merge Patch (RFC 7396).
  ///
  ///     {"a":1,"b":{"c":2}}  patched with  {"a":null,"b":{"d":3}}  is  {"b":{"c":2,"d":3}}
  ///
  /// An object patches member by member, where null removes; any other patch replaces the value.
  /// The result is never deeper than the deeper of the two.
  /// <https://www.rfc-editor.org/rfc/rfc7396#section-2>
  public func mergePatched(with patch: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    guard case .object(let target) = self else {
      return .object(JSONObject().mergePatched(with: changes))
    }
    return .object(target.mergePatched(with: changes))
  }
}

extension JSONObject {
  /// Walks both sorted lists side by side: inserting one by one would be quadratic.
  fileprivate func mergePatched(with patch: JSONObject) -> JSONObject {
    var result: [(key: ByteString, value: JSON)] = []
    result.reserveCapacity(members.count + patch.members.count)
    var kept = members[...]
    for (key, change) in patch.members {
      while let first = kept.first, first.key < key {
        result.append(first)
        kept.removeFirst()
      }
      var old: JSON?
      if let first = kept.first, first.key == key {
        old = first.value
        kept.removeFirst()
      }
      if change != .null {
        // What was not there is patched as well: that removes the nulls inside `change`.
        result.append((key, (old ?? .null).mergePatched(with: change)))
      }
    }
    result.append(contentsOf: kept)
    return JSONObject(sorted: result)
  }
}
