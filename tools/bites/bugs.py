"""The planted bugs: what each changes in the sources, as exact text.

Each bug is a list of (file, text found once, text that takes its place); `on("name")` in the new
text tells whether the bug is the one chosen when the simulator runs, so that all of them live in
one build.
"""


def on(name):
    return f'Planted.isOn("{name}")'


STATE = "Sources/Replication/DocumentState.swift"
PLAN = "Sources/Replication/EditPlan.swift"
EXECUTION = "Sources/Replication/EditExecution.swift"
FRONTIER = "Sources/Replication/Frontier.swift"
VISIBILITY = "Sources/Replication/Visibility.swift"
VIEW = "Sources/Replication/DocumentView.swift"
IMPORTER = "Sources/Syncing/Importer.swift"
KNOWLEDGE = "Sources/Syncing/FolderKnowledge.swift"
PUBLISHER = "Sources/Syncing/Publisher.swift"
BATCH = "Sources/DocumentStorage/ImportBatch.swift"
WRITER = "Sources/DocumentStorage/StoreWriter.swift"
REMOVALS = "Sources/DocumentStorage/PendingRemovals.swift"
OUTBOX = "Sources/DocumentStorage/Outbox.swift"

BUGS = {}


def bug(name, *changes):
    BUGS[name] = [(file, old.strip("\n"), new.strip("\n")) if "\n\n" not in old
                  else (file, old, new) for file, old, new in changes]


def line(name, file, old, new):
    """A bug that changes part of a line: `new` may use ON."""
    BUGS[name] = [(file, old, new.replace("ON", on(name)))]


# What an author may claim, and what that covers.
line("contexts-not-closed", FRONTIER,
     "    transaction.context.entries.allSatisfy { seen in",
     "    ON || transaction.context.entries.allSatisfy { seen in")
line("dot-without-index", STATE,
     "other.dot.stream == stamp.dot.stream && other.dot.sequence == stamp.dot.sequence\n"
     "        && other.dot.index < stamp.dot.index",
     "other.dot.stream == stamp.dot.stream && other.dot.sequence == stamp.dot.sequence\n"
     "        && (other.dot.index < stamp.dot.index || ON)")
line("own-transaction-not-seen", STATE,
     "return hasSeenInSameTransaction(other)\n",
     "return hasSeenInSameTransaction(other) && !ON\n")
line("ancestors-covered", STATE,
     "    let path = write.effect.path\n    // Sorted",
     "    let path = write.effect.path\n"
     "    if ON {\n"
     "      entries.removeAll { path.isAtOrBelow($0.effect.path) && write.hasSeen($0.stamp) }\n"
     "    }\n    // Sorted")
line("equality-at-storing", STATE,
     "    guard !isCovered(entry) else { return false }",
     "    guard !isCovered(entry) else { return false }\n"
     "    if ON, effect.kind == .set, entries.contains(where: {\n"
     "      $0.effect.path == effect.path && $0.effect.payload == effect.payload\n"
     "    }) { return false }")
line("until-a-write-has-seen-both", STATE,
     "let rest = entries[start..<end].filter { !write.hasSeen($0.stamp) }",
     "let run = entries[start..<end]\n"
     "    let hasUnseen = run.contains { $0.effect.path == path && !write.hasSeen($0.stamp) }\n"
     "    let rest = run.filter { !write.hasSeen($0.stamp) || (hasUnseen && ON) }")
line("late-arrivals-not-covered", STATE,
     "    guard !isCovered(entry) else { return false }",
     "    guard ON || !isCovered(entry) else { return false }")
line("delete-forgets-values", STATE,
     "    if effect.kind.cover == .path { forget(coveredBy: entry) }",
     "    if effect.kind.cover == .path || (ON && effect.kind.cover == .document) {\n"
     "      forget(coveredBy: entry)\n    }")
line("settled-too-early", STATE,
     "context.isCovered(by: arrived) else { continue }",
     "ON || context.isCovered(by: arrived) else { continue }")
line("settled-beside-a-delete", STATE,
     "    guard !entries.contains(where: { $0.effect.kind.cover == .document }), pending.isEmpty "
     "else {",
     "    guard ON || !entries.contains(where: { $0.effect.kind.cover == .document }),\n"
     "      pending.isEmpty else {")
line("delete-covers-the-root-alone", VISIBILITY,
     "      !standing.contains { $0.covers(entries[index].stamp) }",
     "      !standing.contains {\n"
     "        $0.covers(entries[index].stamp) && (!ON || entries[index].effect.path.isRoot)\n"
     "      }")
line("oldest-shows", VIEW,
     "    guard let shown = scalars.last else {",
     "    guard let shown = ON ? scalars.first : scalars.last else {")
line("stamps-tie", "Sources/Replication/Stamp.swift",
     "    if lhs.dot.stream != rhs.dot.stream { return lhs.dot.stream < rhs.dot.stream }",
     "    if ON, lhs.dot.stream != rhs.dot.stream { return false }\n"
     "    if lhs.dot.stream != rhs.dot.stream { return lhs.dot.stream < rhs.dot.stream }")
line("clock-follows-the-wall", "Sources/Replication/HybridClock.swift",
     "    latest = max(wall, HybridTime(rawValue: latest.rawValue + 1))",
     "    latest = ON ? wall : max(wall, HybridTime(rawValue: latest.rawValue + 1))")
line("clock-not-merged", BATCH,
     "    clock.merge(header.time)", "    if !ON { clock.merge(header.time) }")

# Writing.
line("no-whole-rewrite", PLAN,
     "    if view.hasUndoneDelete {\n      if patch",
     "    if view.hasUndoneDelete, !ON {\n      if patch")
line("stale-base-accepted", PLAN,
     "    return hasUnseenDelete || hasUnseenWaiting || shownInsert(of: token, in: view) == nil",
     "    return !ON\n"
     "      && (hasUnseenDelete || hasUnseenWaiting || shownInsert(of: token, in: view) == nil)")
line("new-insert-claims-the-old-base", PLAN,
     "      return .write(wholeWrite(of: new, context: frontier.closed, seen: frontier.seen))",
     "      let old = ON ? token : nil\n"
     "      return .write(\n"
     "        wholeWrite(\n"
     "          of: new, context: old?.context ?? frontier.closed,\n"
     "          seen: old?.seen ?? frontier.seen))")
line("base-claims-the-present", PLAN,
     "    let context = token?.context ?? frontier.closed\n",
     "    let context = ON ? frontier.closed : token?.context ?? frontier.closed\n")
line("leftovers-not-hidden", EXECUTION,
     "    guard !plan.seen.isCovered(by: plan.context) else { return }",
     "    guard !ON, !plan.seen.isCovered(by: plan.context) else { return }")
line("delete-claims-the-closed-part-alone", PLAN,
     "      steps: isClosed ? [EditPlan.Step(.delete, at: .root)] : [], context: frontier.closed,",
     "      steps: isClosed || ON ? [EditPlan.Step(.delete, at: .root)] : [],\n"
     "      context: frontier.closed,")
line("conflict-not-rewritten", "Sources/Replication/VersionToken.swift",
     "    if node.isConflicted || node.isUnfounded { return .conflicted }",
     "    if !ON, node.isConflicted || node.isUnfounded { return .conflicted }")
line("removals-too-early", REMOVALS,
     "      where removal.seen.isCovered(by: streams.frontier.closed)",
     "      where (ON || removal.seen.isCovered(by: streams.frontier.closed))")
line("removals-never", REMOVALS,
     "    guard !waiting.isEmpty else { return 0 }",
     "    guard !waiting.isEmpty, !ON else { return 0 }")
line("removals-not-stored", "Sources/DocumentStorage/StateCoding.swift",
     "    rows.appendVarint(UInt64(state.pending.count))\n    for removal in state.pending {",
     "    let pending = ON ? [] : state.pending\n"
     "    rows.appendVarint(UInt64(pending.count))\n    for removal in pending {")
bug("state-and-outbox-apart",
    (WRITER,
     """
    try write { db in
      var writer = try StoreWriter(db, now: now, nonce: nonce)
      try body(&writer)
""",
     f"""
    if {on("state-and-outbox-apart")} {{
      let (result, rows) = try write {{ db in
        var writer = try StoreWriter(db, now: now, nonce: nonce)
        try body(&writer)
        let result = try writer.finish()
        let sequence = Int64(result.sequence ?? 0)
        let rows = try Row.fetchAll(
          db, sql: "SELECT * FROM outbox WHERE sequence = ?", arguments: [sequence])
        try db.execute(sql: "DELETE FROM outbox WHERE sequence = ?", arguments: [sequence])
        return (result, rows)
      }}
      try write {{ db in
        for row in rows {{
          try db.execute(
            sql: "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?)",
            arguments: StatementArguments(row.databaseValues))
        }}
        _ = try PendingRemovals.release(db, now: now, nonce: nonce)
        if isPublishedAtOnce {{ try Outbox.fixBatches(db) }}
      }}
      return result
    }}
    return try write {{ db in
      var writer = try StoreWriter(db, now: now, nonce: nonce)
      try body(&writer)
"""))

# Publishing.
line("file-not-synchronized", "Sources/SystemFiles/Publishing.swift",
     "      try synchronize(file)", "      if !ON { try synchronize(file) }")
line("directory-not-synchronized", "Sources/SystemFiles/Publishing.swift",
     "    try synchronizeDirectory(path.parent)",
     "    if !ON { try synchronizeDirectory(path.parent) }")
bug("marked-before-written",
    (PUBLISHER,
     "      device = try device.settled()\n",
     f"""
      device = try device.settled()
      if {on("marked-before-written")} {{
        let digest = SegmentFile.encode(batch.segment).digest
        _ = try device.database.markPublished(batch, digest: digest, home: device.record.path)
      }}"""))
bug("failure-counts-as-published",
    (PUBLISHER, "import SharedFolder\n", "import SegmentFormat\nimport SharedFolder\n"),
    (PUBLISHER,
     "      let (digest, publication) = try device.container.publish(\n"
     "        batch.segment, temporaryName: device.ambient.temporaryName())",
     f"""
      let digest: UInt64
      let publication: ContainerFolder.Publication
      do {{
        (digest, publication) = try device.container.publish(
          batch.segment, temporaryName: device.ambient.temporaryName())
      }} catch {{
        guard {on("failure-counts-as-published")} else {{ throw error }}
        (digest, publication) = (SegmentFile.encode(batch.segment).digest, .present)
      }}"""))
line("taken-name-counts-as-written", "Sources/SharedFolder/ContainerFolder.swift",
     "      guard holds(path, range: segment.range, digest: digest) else { continue }",
     "      guard ON || holds(path, range: segment.range, digest: digest) else { continue }")
line("borders-not-fixed", OUTBOX,
     "    let end = try Int64.fetchOne(db, sql: \"SELECT max(last) FROM batches\") ?? 0\n",
     "    if ON { try db.execute(sql: \"DELETE FROM batches\") }\n"
     "    let end = try Int64.fetchOne(db, sql: \"SELECT max(last) FROM batches\") ?? 0\n")
bug("other-containers-taken",
    ("Sources/Syncing/Device.swift",
     "      guard marker.container == record.container else {",
     f"      guard {on('other-containers-taken')} || marker.container == record.container else {{"))
line("marker-not-asked-for", "Sources/Syncing/Device.swift",
     "    if let absence = try absence() { throw absence }",
     "    if !ON, let absence = try absence() { throw absence }")

# Importing.
bug("hole-ignored",
    (IMPORTER,
     "        guard range.first <= reached + 1 else {",
     f"        guard {on('hole-ignored')} || {on('waiting-counts-as-imported')}\n"
     "          || range.first <= reached + 1 else {"),
    (BATCH,
     "    guard position.sequence + 1 >= range.first else { return }",
     f"    guard {on('hole-ignored')} || {on('waiting-counts-as-imported')}\n"
     "      || position.sequence + 1 >= range.first else { return }"),
    ("Sources/SegmentFormat/Segment.swift",
     "    guard position.sequence + 1 >= range.first, position.sequence < range.last "
     "else { return [] }\n",
     f"    let isBehindHole = {on('hole-ignored')} && position.sequence + 1 < range.first\n"
     "    guard isBehindHole || position.sequence + 1 >= range.first,\n"
     "      position.sequence < range.last else { return [] }\n"))
# Its text stands with that of the bug above.
BUGS["waiting-counts-as-imported"] = []
line("looked-at-once", IMPORTER,
     "    guard let record = knowledge.record(of: file.key) else { return true }",
     "    guard let record = knowledge.record(of: file.key) else { return true }\n"
     "    if ON, record.reason != .waiting { return false }")
line("unreadable-for-good", IMPORTER,
     "    if record.reason == .unreadable { return true }",
     "    if !ON, record.reason == .unreadable { return true }")
bug("name-without-content",
    (IMPORTER,
     "        let range = segment.segment.range\n",
     f"""
        let range = segment.segment.range
        if {on("name-without-content")}, let claim = file.claim {{ knowledge.trust(claim) }}
"""),
    (KNOWLEDGE,
     "  mutating func note(_ record: FileRecord) {",
     """
  mutating func trust(_ claim: FolderListing.Claim) {
    names.segments.insert(
      ImportedNames.Name(
        stream: claim.stream, first: claim.name.first, last: claim.name.last,
        digest: claim.name.digest))
  }

  mutating func note(_ record: FileRecord) {"""))
bug("marked-before-commit",
    (IMPORTER,
     "    let imported = try device.database.apply(",
     f"""
    if {on("marked-before-commit")} {{ try device.database.trust(files.map(\\.segment)) }}
    let imported = try device.database.apply("""),
    (BATCH,
     "extension StoreDatabase {\n  /// Applies segments",
     """
extension StoreDatabase {
  package func trust(_ segments: [ImportableSegment]) throws {
    try write { db in
      var streams = try StreamDirectory(db)
      for segment in segments {
        try SegmentRecords.note(
          segment.segment.range, digest: segment.digest, hasOwnName: segment.isUnderOwnName,
          fingerprint: .origin, stream: try streams.number(of: segment.segment.range.stream, db),
          db)
      }
    }
  }

  /// Applies segments"""))
line("first-operation-alone", BATCH,
     "      if heldBytes > limit { try writeDocuments() }",
     "      if heldBytes > limit { try writeDocuments() }\n"
     "      if ON, index == 2 { break }")
line("checksum-not-checked", "Sources/SegmentFormat/SegmentFile.swift",
     "    guard Digest.first64(bytes[..<end]) == expected else {",
     "    guard ON || Digest.first64(bytes[..<end]) == expected else {")
line("names-in-order-of-arrival", BATCH,
     "    if let name = importable.segment.deviceName, DeviceName.isValid(name) {",
     "    if !ON, let name = importable.segment.deviceName, DeviceName.isValid(name) {")
