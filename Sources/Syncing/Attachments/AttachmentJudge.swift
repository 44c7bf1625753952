import BlobStorage
import Replication

/// Judges references one after the other, each by all who refer to its blob: whoever wrote another
/// document may send it, too.
///
/// All documents are asked for that once, and only where something is not here. Not to be used
/// while ``AttachmentSurvey/forEach(in:at:_:)`` goes on: it reads files, and the database.
package struct AttachmentJudge {
  private let survey: AttachmentSurvey
  private let hashes: Set<BlobHash>
  private var authors: [BlobHash: Set<StreamID>]?

  /// - parameter found: the references that are to be judged.
  package init(_ survey: AttachmentSurvey, of found: [AttachmentSurvey.Found]) {
    self.survey = survey
    hashes = Set(found.map(\.reference.hash))
  }

  /// As ``AttachmentSurvey/availability(of:verifies:isStopping:authors:)``.
  package mutating func availability(
    of found: AttachmentSurvey.Found, verifies: Bool = false,
    isStopping: @escaping () -> Bool = { false }
  ) throws -> BlobAvailability {
    let survey = survey
    return try survey.availability(
      of: found.reference, verifies: verifies, isStopping: isStopping
    ) { try allAuthors(of: found) }
  }

  private mutating func allAuthors(of found: AttachmentSurvey.Found) throws -> Set<StreamID> {
    let all = try authors ?? survey.authors(of: hashes)
    authors = all
    // The document may have been written since it was found.
    return found.authors.union(all[found.reference.hash] ?? [])
  }
}
