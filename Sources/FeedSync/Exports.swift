import CanonicalJSON
import DocumentStorage

/// A JSON value whose identity is its canonical text: 1 and 1.0 differ, keys are sorted by bytes.
///
///     let body: JSON = .object(["title": "Groceries", "done": .bool(false)])
///     body.canonical  // {"done":false,"title":"Groceries"}
///
/// Integers from −2⁶³ to 2⁶⁴−1 are exact; doubles are finite; objects hold each key once. Read text
/// with `JSON(parsing:)`, which is strict and throws ``JSONError``.
public typealias JSON = CanonicalJSON.JSON

/// The members of a JSON object, sorted by the bytes of their keys, each key once.
///
///     var object: JSONObject = ["title": "Groceries"]
///     object["done"] = .bool(true)
public typealias JSONObject = CanonicalJSON.JSONObject

/// Well-formed UTF-8 that compares, sorts and hashes as bytes, as ids, keys and values do here.
///
/// Swift's `String` calls "é" in one and in two scalars equal; they are two documents.
///
///     let text: ByteString = "Groceries"
///     text.description  // the String
public typealias ByteString = CanonicalJSON.ByteString

/// Why a text is not JSON that can be stored, and at which byte.
public typealias JSONError = CanonicalJSON.JSONError

/// A value that SQLite takes or gives; literals of strings and numbers will do for arguments.
public typealias QueryValue = DocumentStorage.QueryValue

/// A row of a query's answer: `row["id"]` is the value of the column `id`.
public typealias QueryRow = DocumentStorage.QueryRow
