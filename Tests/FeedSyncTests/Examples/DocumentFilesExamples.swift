import FeedSync
import Foundation

// What the documentation shows of document files, their versions and queries over them, to be
// compiled and not to be run: see `ExampleTests`.

private func show(_ contents: String) {}
private func show(_ items: [MetadataItem]) {}

private struct Letter: DocumentContents {
  var paragraphs: [String]
  init(documentBytes: [UInt8]) throws { paragraphs = [] }
  func documentBytes() throws -> [UInt8] { [] }
}

private func opening(in documents: DocumentFolder) async throws {
  let report = try await DocumentFile<String>.open("report.txt", in: documents)
  try await report.edit { $0 += "\nThe end.\n" }
  for await event in report.events {
    if case .contents = event { show(await report.contents) }
  }
  try await report.close()
}

private func folder(of container: UbiquityContainer) async throws {
  let documents = try container.documents()
  let report = try await DocumentFile<String>.open("report.txt", in: documents)
  _ = report
}

private func page(of container: UbiquityContainer) async throws {
  let documents = try container.documents()
  let report = try await DocumentFile<String>.open("report.txt", in: documents)
  try await report.edit { $0 += "\nThe end.\n" }
  for version in try documents.unresolvedConflictVersions(of: "report.txt") ?? [] {
    print(version.localizedNameOfSavingComputer ?? "?", version.modificationDate)
  }
}

private func versions(of container: UbiquityContainer) throws {
  let documents = try container.documents()
  for version in try documents.unresolvedConflictVersions(of: "report.txt") ?? [] {
    print(version.localizedNameOfSavingComputer ?? "?", version.modificationDate)
  }
}

private func unresolved(in documents: DocumentFolder) throws {
  let versions = try documents.otherVersions(of: "report.txt") ?? []
  for version in versions where version.isConflict && !version.isResolved { print(version) }
}

private func listing(of container: UbiquityContainer) throws {
  let documents = try container.documents()
  for entry in try documents.documents() where entry.conflicts > 0 { print(entry.path) }
}

private func gone(in documents: DocumentFolder) throws {
  for entry in try documents.documents(includingGone: true) where entry.kept > 0 {
    print(entry.path, try documents.otherVersions(of: entry.path) ?? [])
  }
}

private func choosing(_ chosen: FileVersion, in documents: DocumentFolder) async throws {
  let seen = SeenVersion(try documents.currentVersion(of: "report.txt"))
  // … and when the user has looked at the versions, and chosen one:
  try await documents.resolve("report.txt", keeping: chosen, expecting: seen)
}

// MARK: - Metadata queries

private func query(of container: UbiquityContainer) async throws {
  let query = MetadataQuery(in: try container.documents(), where: .name("*.txt"))
  for try await update in query {
    show(update.result.items)
  }
}

private func queryOfAll(of container: UbiquityContainer) async throws {
  for try await update in MetadataQuery(in: try container.documents()) {
    show(update.result.items)
  }
}

private func queryOfPage(of container: UbiquityContainer) async throws {
  let query = MetadataQuery(
    in: try container.documents(), where: .all(of: [.name("*.txt"), .inFolder("letters")]),
    order: [MetadataOrder(.modified, descending: true)])
  for try await update in query { show(update.result.items) }
}

private func order(of query: MetadataQuery) {
  query.order = [MetadataOrder(.modified, descending: true)]
}

private func predicate(of yesterday: Date) {
  let recent = MetadataPredicate.all(of: [.name("*.txt"), .modifiedAfter(yesterday)])
  _ = recent
}
