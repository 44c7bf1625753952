import FeedLibrary

/// Something that the reader hears of.
enum ReaderEvent: Sendable {
  case key(Key)
  case resized(rows: Int, columns: Int)
  /// A part of the list came.
  case page(PageRequest, [ItemLine])
  /// It did not come, for this reason.
  case failed(PageRequest, String)
  /// An item came that was opened.
  case article(Article)
  /// It did not come, for this reason.
  case notOpened(ItemReference, String)
  /// The page of an item was not shown, for this reason.
  case notBrowsed(ItemReference, String)
  /// Marking is done, or has failed.
  case marked(ticket: Int)
  /// Items are not marked as they were shown, for this reason.
  case markFailed(LibraryError)
  /// Something of the library has changed, here or elsewhere.
  case changed
  /// How many items are unread.
  case counted(unread: Int)
  /// Fetching goes on; nil when it has ended.
  case fetching(String?)
  /// What other machines did is not imported, for this reason; nil once it is again.
  case notImporting(String?)
  /// Something to say in the last line.
  case message(String)
  case suspended
  case resumed
  /// The terminal has gone, or a signal asks to end.
  case end
}

/// Something that the reader wants to have done.
enum ReaderAction: Equatable, Sendable {
  case load(PageRequest)
  case open(ItemReference, feedTitle: String)
  case mark([ItemReference], ItemMark, ticket: Int)
  case count
  case browse(ItemReference, link: String)
  case fetch
  case suspend
  case redraw
  case quit
}

/// A part of the list that is asked for.
struct PageRequest: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// The list is new: the part replaces what there was.
    case replace
    /// What is shown is read again, for it may have changed.
    case reload
    /// What is behind what is there, or in front of it.
    case behind
    case inFront
    /// The last part.
    case last
    /// The next item that is unread, or the one before.
    case seek(forward: Bool)
    /// The part that begins with an item that was sought.
    case jump
  }

  let kind: Kind
  let query: ItemQuery
  /// Which list it is a part of: an answer for a former one comes too late.
  let generation: Int

  var isSeeking: Bool { if case .seek = kind { true } else { false } }
}

/// An item as it is read.
struct Article: Equatable, Sendable {
  let reference: ItemReference
  let link: String?
  /// Its head and body, in lines that cannot drive the terminal.
  let text: String
}
