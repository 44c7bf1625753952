import Dispatch
import SystemFiles
import SystemPackage

/// Whom a presenter gives way to.
public enum FileAccessor: Hashable, Sendable {
  /// Somebody who reads the item.
  case reader
  /// Somebody who writes the item.
  case writer
}

/// Shows a file or a folder to a user, and is asked to give way before others touch it.
///
/// Register it with ``CoordinationDomain/addFilePresenter(_:)``. All messages but the two
/// properties arrive on ``presentedItemQueue``, in this order for one access: give way, then save
/// or let go, then what happened, then the block that was passed when it gave way. What is asked
/// must be answered within the asker's patience (5 seconds, unless it says otherwise), or it is not
/// waited for any longer. An answer may come from any thread. A presenter that ends is not waited
/// for, unless somebody else keeps the block to answer with.
///
///     final class Editor: FilePresenter {
///       let presentedItemPath: FilePath? = "/home/ann/Sync/notes.txt"
///       let presentedItemQueue = DispatchQueue(label: "editor")
///       func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
///         save()
///         done(nil)
///       }
///     }
///
/// Changes that nobody coordinated are not reported: what a syncer does is told by watching. A
/// presenter must cope with changes that nobody announced.
///
/// The counterpart of `NSFilePresenter`; every message but the two properties has a default.
public protocol FilePresenter: AnyObject, Sendable {
  /// The item; nil as long as it has not been made. Asked on any thread.
  var presentedItemPath: FilePath? { get }
  /// Where messages arrive: a serial queue, and not one that waits for coordination itself.
  var presentedItemQueue: DispatchQueue { get }

  /// Gives way: calls `done` when the item may be touched, with what to do when the access is over.
  func relinquishPresentedItem(
    to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
  /// Writes what has not been saved. Without it, there never is anything unsaved.
  func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void)
  /// The item will be deleted or replaced: closes it.
  func accommodatePresentedItemDeletion(_ done: @escaping @Sendable ((any Error)?) -> Void)
  /// An item in the presented package will be deleted or replaced.
  func accommodatePresentedSubitemDeletion(
    at path: FilePath, _ done: @escaping @Sendable ((any Error)?) -> Void)

  /// The item's contents or attributes have changed; compare a ``FileStamp`` before reading again.
  func presentedItemDidChange()
  /// The item has another path.
  func presentedItemDidMove(to path: FilePath)
  /// A version of the item was added, removed or marked as resolved.
  func presentedItem(_ event: FileVersionEvent, version: String)
  /// An item in the folder, at any depth, is new.
  func presentedSubitemDidAppear(at path: FilePath)
  /// An item in the folder, at any depth, has changed, or is gone.
  func presentedSubitemDidChange(at path: FilePath)
  /// An item in the folder, at any depth, has another path.
  func presentedSubitem(at path: FilePath, didMoveTo new: FilePath)
  /// A version of an item in the folder was added, removed or marked as resolved.
  func presentedSubitem(at path: FilePath, _ event: FileVersionEvent, version: String)
}

extension FilePresenter {
  /// Gives way at once.
  public func relinquishPresentedItem(
    to accessor: FileAccessor, _ done: @escaping @Sendable ((@Sendable () -> Void)?) -> Void
  ) { done(nil) }

  /// There never is anything unsaved.
  public func savePresentedItemChanges(_ done: @escaping @Sendable ((any Error)?) -> Void) {
    done(nil)
  }

  /// There is nothing to close.
  public func accommodatePresentedItemDeletion(
    _ done: @escaping @Sendable ((any Error)?) -> Void
  ) { done(nil) }

  /// Does for a part of a package what is done for the whole.
  public func accommodatePresentedSubitemDeletion(
    at path: FilePath, _ done: @escaping @Sendable ((any Error)?) -> Void
  ) { done(nil) }

  /// Does nothing.
  public func presentedItemDidChange() {}
  /// Does nothing.
  public func presentedItemDidMove(to path: FilePath) {}
  /// Does nothing.
  public func presentedItem(_ event: FileVersionEvent, version: String) {}

  /// What happens in a package has changed the package.
  public func presentedSubitemDidAppear(at path: FilePath) { packageDidChange() }
  /// What happens in a package has changed the package.
  public func presentedSubitemDidChange(at path: FilePath) { packageDidChange() }
  /// What happens in a package has changed the package.
  public func presentedSubitem(at path: FilePath, didMoveTo new: FilePath) { packageDidChange() }
  /// What happens in a package has changed the package.
  public func presentedSubitem(at path: FilePath, _ event: FileVersionEvent, version: String) {
    packageDidChange()
  }

  private func packageDidChange() {
    guard let path = presentedItemPath, ItemPath(bytes: path.bytes)?.isPackage == true else {
      return
    }
    presentedItemDidChange()
  }
}
