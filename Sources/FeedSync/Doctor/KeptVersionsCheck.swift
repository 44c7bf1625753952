import DocumentFiles

/// Whether versions are kept here of documents that are gone, which nothing in the folder tells of.
package struct KeptVersionsCheck: DoctorCheck {
  package let name = "kept-versions"

  package func findings(in patient: Patient) throws -> [Finding] {
    guard let device = patient.deviceAtHand, let root = patient.folderAtHand?.documents else {
      return []
    }
    let gone = try GoneDocuments(of: root, keptIn: device.keptVersions).list()
    guard let first = gone.first else { return [] }
    let versions = gone.reduce(0) { $0 + $1.versions }
    let whose =
      gone.count == 1 ? "a document that is gone" : "\(gone.count) documents that are gone"
    return [
      Finding(
        .note, check: name, file: first.path.string,
        message: CountText.of(versions, "version") + " of \(whose), such as edits that were"
          + " not saved, \(versions == 1 ? "is" : "are") kept on this machine alone",
        hint: "'feedsync file list --status missing' names the documents; 'feedsync file versions"
          + " FILE' lists what is kept, 'feedsync file open FILE --version 1' shows it, 'feedsync"
          + " file resolve FILE --keep 1' brings it back, and 'feedsync file discard FILE HANDLE'"
          + " deletes it for good")
    ]
  }
}
