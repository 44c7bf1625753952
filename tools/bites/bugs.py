"""The planted bugs: what each changes in the sources, as exact text.

Each bug is a list of (file, text found once, text that takes its place); `on("name")` in the new
text tells whether the bug is the one chosen when the simulator runs, so that all of them live in
one build.
"""


def on(name):
    return f'Planted.isOn("{name}")'


STATE = "Sources/Replication/DocumentState.swift"
STAMP = "Sources/Replication/Stamp.swift"
COVERING = "Sources/Replication/Covering.swift"
LINEAGE = "Sources/Replication/Lineage.swift"
RELATIONS = "Sources/Replication/Lineage+Relations.swift"
KINDS = "Sources/Replication/KindEdit.swift"
PLAN = "Sources/Replication/EditPlan.swift"
EXECUTION = "Sources/Replication/EditExecution.swift"
SEEN = "Sources/DocumentStorage/SeenContexts.swift"
FRONTIER = "Sources/Replication/Frontier.swift"
VISIBILITY = "Sources/Replication/Visibility.swift"
BUILDER = "Sources/Replication/ViewBuilder.swift"
IMPORTER = "Sources/Syncing/Importer.swift"
KNOWLEDGE = "Sources/Syncing/FolderKnowledge.swift"
PUBLISHER = "Sources/Syncing/Publisher.swift"
BATCH = "Sources/DocumentStorage/ImportFold.swift"
WRITER = "Sources/DocumentStorage/StoreWriter.swift"
REMOVALS = "Sources/DocumentStorage/PendingRemovals.swift"
OUTBOX = "Sources/DocumentStorage/Outbox.swift"
NAMING = "Sources/DocumentStorage/DeviceNaming.swift"

BUGS = {}
# What has to happen in a world for a bug to show, where not all worlds have it.
LANES = {}


def bug(name, *changes):
    BUGS[name] = [(file, old.strip("\n"), new.strip("\n")) if "\n\n" not in old
                  else (file, old, new) for file, old, new in changes]


def line(name, file, old, new):
    """A bug that changes part of a line: `new` may use ON."""
    BUGS[name] = [(file, old, new.replace("ON", on(name)))]


# What an author may claim, and what that covers.
line("covered-in-its-part-unseen", SEEN,
     "contexts[mine].contains(stream: streams[others], sequence: earlier.sequence)",
     "(ON || contexts[mine].contains(stream: streams[others], sequence: earlier.sequence))")
line("covered-in-its-part-by-a-branch", SEEN,
     "!found.isBranching else", "ON || !found.isBranching else")
line("contexts-not-closed", FRONTIER,
     "      hasInserts(of: next), isClosed(next.context)\n    {",
     "      hasInserts(of: next), ON || isClosed(next.context)\n    {")
line("dot-without-index", STAMP,
     "other.dot.sequence == dot.sequence && other.dot.index < dot.index",
     "other.dot.sequence == dot.sequence && (other.dot.index < dot.index || ON)")
line("own-transaction-not-seen", STAMP,
     "      && other.dot.stream == dot.stream", "      && !ON && other.dot.stream == dot.stream")
line("ancestors-covered", STATE,
     "    if entry.effect.kind.cover == .path { forget(coveredBy: entry, within: place) }\n",
     "    if ON, entry.effect.kind.cover == .path {\n"
     "      entries = entries.filter {\n"
     "        !(entry.effect.path.isAtOrBelow($0.effect.path) && hasSeen(entry, $0.stamp))\n"
     "      }\n"
     "      return insert(entry, at: firstIndex(at: entry.effect.path))\n"
     "    }\n"
     "    if entry.effect.kind.cover == .path { forget(coveredBy: entry, within: place) }\n")
line("equality-at-storing", STATE,
     "    switch cover(of: entry.stamp, seeing: context, at: entry.effect.path, from: place) {\n",
     "    if ON, entry.effect.kind == .set, entries.contains(where: {\n"
     "      $0.effect.path == entry.effect.path && $0.effect.payload == entry.effect.payload\n"
     "    }) { return false }\n"
     "    switch cover(of: entry.stamp, seeing: context, at: entry.effect.path, from: place) {\n")
line("until-a-write-has-seen-both", STATE,
     "      case .final: return index\n",
     "      case .final where ON && self.entries.contains(where: {\n"
     "        $0.effect.path == write.effect.path && self.cover(of: $0, by: write) == .none\n"
     "      }): break\n"
     "      case .final: return index\n")
line("late-arrivals-not-covered", STATE,
     "    case .final:\n      forgotten? += 1\n      return false\n",
     "    case .final where !ON:\n      forgotten? += 1\n      return false\n"
     "    case .final: break\n")
line("delete-forgets-values", STATE,
     "    return insert(entry, at: place)\n",
     "    if ON, entry.effect.kind.cover == .document { forget(coveredBy: entry, within: place) }\n"
     "    return insert(entry, at: place)\n")
line("settled-too-early", STATE,
     "        guard lineage?.holds(context) != false else { continue }\n",
     "        guard ON || lineage?.holds(context) != false else { continue }\n")
line("settled-beside-a-delete", STATE,
     "    guard !hasDelete, pending.isEmpty else { return }\n",
     "    guard ON || !hasDelete, pending.isEmpty else { return }\n")
line("delete-covers-the-root-alone", VISIBILITY,
     "      case .none: result.values.append(index)\n",
     "      case .none: result.values.append(index)\n"
     "      case _ where ON && !entries[index].effect.path.isRoot: result.values.append(index)\n")
line("orphans-show", VISIBILITY,
     "    let missing = missingInserts\n",
     "    let missing = ON ? [] : missingInserts\n")
line("orphans-taken-away", EXECUTION,
     "          ? plan.settlesOrphans : !wanted",
     "          ? ON || plan.settlesOrphans : !wanted")
line("waiting-removals-mean-orphans", EXECUTION,
     "    switch plan.grounds {\n    case .all: return plan.seen\n",
     "    switch plan.grounds {\n    case _ where ON: return plan.seen\n"
     "    case .all: return plan.seen\n")
line("waiting-deletes-make-nothing-stale", PLAN,
     "    let hasUnseenWaiting = pending.contains { removal in",
     "    let hasUnseenWaiting = !ON && pending.contains { removal in")
LANES["waiting-deletes-make-nothing-stale"] = "partitions insisting"
line("closed-before-its-insert", FRONTIER,
     "    transaction.inserts.allSatisfy { !isMissingInsert($0.value, of: $0.key) }\n",
     "    transaction.inserts.allSatisfy { ON || !isMissingInsert($0.value, of: $0.key) }\n")
line("oldest-shows", BUILDER,
     "      scalar = effect.payload\n", "      if !ON || scalar == nil { scalar = effect.payload }\n")
line("stamps-tie", "Sources/Replication/Stamp.swift",
     "    if lhs.dot.stream != rhs.dot.stream { return lhs.dot.stream < rhs.dot.stream }",
     "    if ON, lhs.dot.stream != rhs.dot.stream { return false }\n"
     "    if lhs.dot.stream != rhs.dot.stream { return lhs.dot.stream < rhs.dot.stream }")
line("clock-follows-the-wall", "Sources/Replication/HybridClock.swift",
     "    latest = wall.milliseconds < HybridTime.latestMilliseconds ? max(wall, next) : next",
     "    latest = ON ? wall : max(wall, next)")
# What was imported stands in the device's row, and in those of the streams.
name = "clock-not-merged"
BUGS[name] = [
    (BATCH, "    clock.merge(header.time)", "    if !%s { clock.merge(header.time) }" % on(name)),
    ("Sources/DocumentStorage/StreamDirectory.swift",
     "    rows.values.reduce(.zero) { latest, row in\n",
     "    rows.values.filter { !%s || $0.isOwn }.reduce(.zero) { latest, row in\n" % on(name))]

# Writing.
line("no-whole-rewrite", PLAN,
     "    if view.hasUndoneDelete || settlesOrphans {\n",
     "    if view.hasUndoneDelete && !ON || settlesOrphans {\n")
line("what-shows-settles-nothing-beside-a-delete", PLAN,
     "      if patch != nil, !planner.changes(to: new, over: root, patch: patch) {",
     "      if patch != nil, ON ? root.json == new : !planner.changes(to: new, over: root, patch: patch) {")
line("stale-base-accepted", PLAN,
     "    return hasUnseenDelete || hasUnseenWaiting || shownInsert(of: token, in: view) == nil",
     "    return !ON\n"
     "      && (hasUnseenDelete || hasUnseenWaiting || shownInsert(of: token, in: view) == nil)")
line("new-insert-claims-the-old-base", PLAN,
     "          steps: planner.steps, context: frontier.closed, seen: seen,\n"
     "          grounds",
     "          steps: planner.steps, context: (ON ? token : nil)?.context ?? frontier.closed,\n"
     "          seen: (ON ? token : nil)?.seen ?? seen,\n"
     "          grounds")
line("base-claims-the-present", PLAN,
     "    let context = token?.context ?? frontier.closed\n",
     "    let context = ON ? frontier.closed : token?.context ?? frontier.closed\n")
line("leftovers-not-hidden", EXECUTION,
     "    guard !isCovered(plan.seen, by: plan.context) else { return }",
     "    guard !ON, !isCovered(plan.seen, by: plan.context) else { return }")
line("delete-claims-the-closed-part-alone", PLAN,
     "      steps: isClosed ? [EditPlan.Step(.delete, at: .root)] : [], context: frontier.closed,",
     "      steps: isClosed || ON ? [EditPlan.Step(.delete, at: .root)] : [],\n"
     "      context: frontier.closed,")
line("conflict-not-rewritten", "Sources/Replication/VersionToken.swift",
     "    if node.isConflicted || node.isUnfounded { return .conflicted }",
     "    if !ON, node.isConflicted || node.isUnfounded { return .conflicted }")
line("removals-too-early", REMOVALS,
     "        guard try streams.mayClaim(removal.seen, db) else { continue }",
     "        guard try ON || streams.mayClaim(removal.seen, db) else { continue }")
line("removals-never", REMOVALS,
     "    guard try DocumentTable.hasWaiting(db) else { return [:] }",
     "    guard try !ON && DocumentTable.hasWaiting(db) else { return [:] }")
line("removals-not-stored", "Sources/DocumentStorage/StateEncoder.swift",
     "    let pending = state.pending\n", "    let pending = ON ? [] : state.pending\n")
bug("state-and-outbox-apart",
    ("Sources/DocumentStorage/StoreDatabase+Writing.swift",
     """
    let result = try write { db in
      var writer = try StoreWriter(
        db, now: now, nonce: nonce, identity: identity, cache: readCache)
      try body(&writer)
""",
     f"""
    if {on("state-and-outbox-apart")} {{
      let (result, rows) = try write {{ db in
        var writer = try StoreWriter(db, now: now, nonce: nonce, identity: identity)
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
            sql: "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: StatementArguments(row.databaseValues))
        }}
        _ = try PendingRemovals.release(db, now: now, nonce: nonce, identity: identity)
        if isPublishedAtOnce {{ try Outbox.fixBatches(db) }}
      }}
      return result
    }}
    let result = try write {{ db in
      var writer = try StoreWriter(
        db, now: now, nonce: nonce, identity: identity, cache: readCache)
      try body(&writer)
"""))
line("known-streams-kept-though-changed", "Sources/DocumentStorage/ReadCache.swift",
     "known.stamp == stamp else {", "ON || known.stamp == stamp else {")
line("clock-forgets-what-was-written", "Sources/DocumentStorage/DeviceRecord.swift",
     "    max(try storedClock(db), streams.latestTime)",
     "    ON ? try storedClock(db) : max(try storedClock(db), streams.latestTime)")
line("last-marks-lost", "Sources/DocumentStorage/StreamDirectory+Rows.swift",
     "row.lastMarks.isEmpty ? .null", "ON || row.lastMarks.isEmpty ? .null")

# Publishing.
line("file-not-synchronized", "Sources/SystemFiles/Publishing.swift",
     "      try synchronize(file)", "      if !ON { try synchronize(file) }")
line("directory-not-synchronized", "Sources/SystemFiles/Publishing.swift",
     "    try synchronizeDirectory(path.parent)",
     "    if !ON { try synchronizeDirectory(path.parent) }")
bug("marked-before-written",
    (PUBLISHER,
     "      let file = form(of: batch, in: device.container)\n",
     f"""
      let file = form(of: batch, in: device.container)
      if {on("marked-before-written")} {{
        _ = try device.database.markPublished(batch, file: file, home: device.record.path)
      }}
"""))
bug("failure-counts-as-published",
    (PUBLISHER,
     "      let publication = try device.container.publish(\n"
     "        file, of: batch.segment.range, temporaryName: device.ambient.temporaryName(),\n"
     "        inDurable: memory.isDurable(batch.segment.range.stream))",
     f"""
      let publication: ContainerFolder.Publication
      do {{
        publication = try device.container.publish(
          file, of: batch.segment.range, temporaryName: device.ambient.temporaryName(),
          inDurable: memory.isDurable(batch.segment.range.stream))
      }} catch {{
        guard {on("failure-counts-as-published")} else {{ throw error }}
        publication = .present
      }}"""))
line("taken-name-counts-as-written", "Sources/SharedFolder/ContainerFolder.swift",
     "      guard holds(path, range: range, digest: file.digest) else { continue }",
     "      guard ON || holds(path, range: range, digest: file.digest) else { continue }")
line("borders-not-fixed", OUTBOX,
     "  static func fixBatches(_ db: Database) throws -> Bool {\n",
     "  static func fixBatches(_ db: Database) throws -> Bool {\n"
     "    if ON { try db.execute(sql: \"DELETE FROM batches\") }\n")
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
     """
    guard var start = try streams.start(of: opened.frame, db) else {
      return try noteWaiting(held)
    }
""",
     f"""
    let pretended = StreamPosition(
      sequence: range.first - 1, fingerprint: range.fingerprintBefore, context: Context())
    let known = try streams.start(of: opened.frame, db)
    guard var start = known ?? ({on('hole-ignored')} ? pretended : nil) else {{
      if {on('waiting-counts-as-imported')} {{
        part.applied.append(held.file)
      }} else {{
        try noteWaiting(held)
      }}
      return
    }}
"""))
# Its text stands with that of the bug above.
BUGS["waiting-counts-as-imported"] = []
line("looked-at-once", IMPORTER,
     "    guard let record = known else { return true }",
     "    guard let record = known else { return true }\n"
     "    if ON, record.reason != .waiting { return false }")
line("unreadable-for-good", IMPORTER,
     "    if record.reason == .unreadable { return true }",
     "    if !ON, record.reason == .unreadable { return true }")
bug("name-without-content",
    (IMPORTER,
     "        let range = segment.range\n",
     f"""
        let range = segment.range
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
    if {on("marked-before-commit")} {{ try device.database.trust(files.map(\\.segment.held)) }}
    let imported = try device.database.apply("""),
    ("Sources/DocumentStorage/StoreDatabase+Importing.swift",
     "extension StoreDatabase {\n  /// Applies segments",
     """
extension StoreDatabase {
  package func trust(_ segments: [HeldSegment]) throws {
    try write { db in
      var streams = try StreamDirectory(db)
      for segment in segments {
        guard let digest = segment.namedDigest else { continue }
        try SegmentRecords.note(
          segment.range, digest: digest, hasOwnName: true,
          fingerprint: .origin, stream: try streams.number(of: segment.range.stream, db),
          db)
      }
    }
  }

  /// Applies segments"""))
line("first-operation-alone", BATCH,
     "    guard let pieces else { return collected.append(operations, of: piece.transaction) }\n",
     "    guard let pieces else {\n"
     "      let some = ON ? operations.prefix(2) : operations\n"
     "      return collected.append(some, of: piece.transaction)\n"
     "    }\n")
line("checksum-not-checked", "Sources/SegmentFormat/SegmentFile.swift",
     "    guard Digest.first64(bytes[..<end]) == expected else {",
     "    guard ON || Digest.first64(bytes[..<end]) == expected else {")
line("names-not-taken-over", BATCH,
     "    let isNewName = try name.map { try streams.learn($0, of: range.stream, db) } ?? false",
     "    let isNewName = try name.map { try !ON && streams.learn($0, of: range.stream, db) } ?? false")
line("names-in-order-of-arrival", NAMING,
     "    if let known = rows[stream]?.learntName, known >= name { return false }",
     "    if !ON, let known = rows[stream]?.learntName, known >= name { return false }")

# Counters and sets.
before = set(BUGS)
line("equal-operations-count-once", STATE,
     "entries[position - 1].stamp == new.stamp",
     "(entries[position - 1].stamp == new.stamp\n"
     "        || ON && entries[position - 1].effect == new.effect)")
line("unclaimed-increments-count-twice", "Sources/Replication/EditPlanner.swift",
     "    start.counted = seen?.unclaimed ?? []", "    start.counted = ON ? [] : seen?.unclaimed ?? []")
line("rewrites-add-to-the-start", BUILDER,
     "      start = new.number\n", "      start = new.number + (ON ? start : 0)\n")
line("increments-cover-each-other", BUILDER,
     "      increments += CounterAmount.amount(effect)\n",
     "      increments = CounterAmount.amount(effect) + (ON ? 0 : increments)\n")
line("counter-begins-at-nothing", KINDS,
     "          start(number, at: path, over: target)",
     "          start(ON ? 0 : number, at: path, over: target)")
line("starts-are-not-marked", "Sources/Replication/EditPlanner.swift",
     "    } else if goesOn(number,", "    } else if !ON, goesOn(number,")
line("removals-mean-what-others-take-away", EXECUTION,
     "      let seen = meaning(of: plan, removing: entries, &runs)",
     "      let seen = meaning(\n"
     "        of: plan, removing: ON ? hidden.values.flatMap(\\.self) : entries, &runs)")
line("elements-stay", KINDS,
     "      for element in old.subtracting(new).sorted() {\n",
     "      for element in old.subtracting(new).sorted() where !ON {\n")
line("set-shows-its-last-element", BUILDER,
     "      elements.append(element)\n",
     "      if ON { elements.removeAll() }\n      elements.append(element)\n")

LANES.update((name, "kinds") for name in set(BUGS) - before)

# Devices that are copied and put back.
before = set(BUGS)
line("branches-judged-by-sequence", RELATIONS,
     "    guard stream.isBranching else {\n      return entry.sequence",
     "    guard stream.isBranching, !ON else {\n      return entry.sequence")
line("unplaced-taken-at-its-sequence", RELATIONS,
     "      return stream.isForked || stream.contradicts(entry) ? .doubtful : .expected",
     "      return ON ? .certain : stream.isForked || stream.contradicts(entry) ? .doubtful"
     " : .expected")
line("doubtful-forgotten", COVERING,
     "    case .doubtful, .expected: return .passing\n",
     "    case .doubtful, .expected: return ON ? .final : .passing\n")
line("fork-point-on-the-branch", LINEAGE,
     "    while sequence <= lines[index].base {", "    while sequence < lines[index].base || !ON\n"
     "      && sequence == lines[index].base {")
line("branch-named-by-arrival", LINEAGE,
     "    return index(at: entry.sequence, marked: mark)\n",
     "    if ON { return lines.firstIndex { $0.reaches(entry.sequence) } }\n"
     "    return index(at: entry.sequence, marked: mark)\n")
line("dots-without-fingerprints", STAMP,
     " && other.fingerprint == fingerprint",
     " && (ON || other.fingerprint == fingerprint)")
line("own-branch-not-noticed", BATCH,
     "    if range.stream == own { isForked = true }", "    if range.stream == own { isForked = !ON }")
line("doubt-not-judged-again", "Sources/DocumentStorage/StreamDirectory.swift",
     "    if frontier.lineage.streams[header.stream]?.isBranching == true {\n",
     "    if !ON, frontier.lineage.streams[header.stream]?.isBranching == true {\n")
line("former-stream-not-published", OUTBOX,
     "        .map { (stream: $0, isPresent: $0 == present) }",
     "        .map { (stream: $0, isPresent: $0 == present) }.filter { !ON || $0.isPresent }")
line("what-waits-is-not-divided", "Sources/DocumentStorage/DeviceIdentity.swift",
     "    try Outbox.fixBatches(db)\n", "    if !ON { try Outbox.fixBatches(db) }\n")
line("queries-judge-by-sequence", "Sources/DocumentStorage/Rendering.swift",
     "    guard body != state.withoutLineage.view().body else { return nil }",
     "    guard !ON, body != state.withoutLineage.view().body else { return nil }")

LANES.update((name, "copies") for name in set(BUGS) - before)

# What counts apart of each branch, though it has one number in all of them.
before = set(BUGS)
name = "increments-of-branches-count-once"
BUGS[name] = [
    (BUILDER, "  private(set) var increments: Int128 = 0\n",
     "  private(set) var increments: Int128 = 0\n"
     "  private var summed: Set<Dot> = []\n"),
    (BUILDER, "    case .increment where !effect.path.isRoot:\n",
     "    case .increment\n"
     "    where !effect.path.isRoot && (!%s || summed.insert(entry.stamp.dot).inserted):\n"
     % on(name))]
LANES.update((name, "copies kinds") for name in set(BUGS) - before)

# Healing.
before = set(BUGS)
FORKS = "Sources/Syncing/ForkDetection.swift"
line("nothing-put-back", "Sources/Syncing/Healing.swift",
     "      guard !lacking.isEmpty else { return }\n",
     "      guard !ON, !lacking.isEmpty else { return }\n")
line("only-the-present-stream-put-back", "Sources/DocumentStorage/OwnStreams.swift",
     "WHERE own OR retired_at IS NOT NULL ORDER BY NOT own, stream",
     "WHERE (own AND (NOT \\(ON) OR id = (SELECT stream FROM device)))\n"
     "            OR retired_at IS NOT NULL ORDER BY NOT own, stream")
line("own-files-not-kept", OUTBOX,
     "      try SegmentArchive.store(\n"
     "        file.bytes, of: range, digest: file.digest, fingerprint: batch.fingerprint,\n"
     "        stream: stream, db)\n",
     "      if !ON {\n"
     "        try SegmentArchive.store(\n"
     "          file.bytes, of: range, digest: file.digest, fingerprint: batch.fingerprint,\n"
     "          stream: stream, db)\n"
     "      }\n")
name = "own-files-taken-for-others"
BUGS[name] = [
    (FORKS, "    return try !device.database.holds(found.segment)",
     "    return try %s || !device.database.holds(found.segment)" % on(name)),
    (FORKS, "    guard try device.database.segmentNames(of: range.stream, among: [name]).isEmpty else {",
     "    guard try %s\n      || device.database.segmentNames(of: range.stream, among: [name]).isEmpty\n"
     "    else {" % on(name))]
LANES.update((name, "healing") for name in set(BUGS) - before)

# What never comes.
before = set(BUGS)
GIVING_UP = "Sources/Replication/Frontier+GivingUp.swift"
line("lost-not-claimed", GIVING_UP,
     "    lost[line] = all.entries.isEmpty ? nil : all",
     "    lost[line] = all.entries.isEmpty || ON ? nil : all")
line("gives-up-more-than-asked", "Sources/Syncing/Skipping.swift",
     "hole.stream.stream, upTo: given, now: device.ambient.time, nonce: device.nonce)",
     "hole.stream.stream, upTo: ON ? given + 1 : given, now: device.ambient.time,\n"
     "        nonce: device.nonce)")
line("missing-counts-as-closed", GIVING_UP,
     "    guard isGivenUp(entry.stream, upTo: entry.sequence) else { return false }",
     "    guard ON || isGivenUp(entry.stream, upTo: entry.sequence) else { return false }")
LANES.update((name, "skipping") for name in set(BUGS) - before)

# Databases that are made anew.
before = set(BUGS)
SALVAGE = "Sources/Syncing/Salvage.swift"
SALVAGING = "Sources/Syncing/DeviceDirectory+Salvaging.swift"
line("outbox-left-behind", SALVAGE,
     "    try publishOutbox()\n", "    if !ON { try publishOutbox() }\n")
line("removals-left-behind", SALVAGE,
     "    for key in keysWithRemovals() {", "    for key in ON ? [] : keysWithRemovals() {")
line("shown-before-all-is-handed-over", SALVAGING,
     "    guard rebuildProgress(in: directory) == .made else { return }\n    try exclusively {",
     "    guard !ON, rebuildProgress(in: directory) == .made else { return }\n"
     "    try exclusively {")
name = "salvaged-before-it-is-imported"
BUGS[name] = [
    (SALVAGING, "var all = try Importer(device: device).importAll()",
     "var all = try %s ? ImportReport() : Importer(device: device).importAll()" % on(name)),
    (SALVAGING, "report.unreadable == 0 && isHeld",
     "report.unreadable == 0 && (%s || isHeld)" % on(name))]
line("removals-taken-over-again", "Sources/DocumentStorage/TakingOver.swift",
     "    return db.changesCount > 0", "    return ON || db.changesCount > 0")
LANES.update((name, "recoveries") for name in set(BUGS) - before)

# Containers that are made one: what the older database shows, or how far its counters are, is
# written by the device itself, instead of what it holds, or besides.
before = set(BUGS)
BUGS["adopted-writes-made-anew"] = [
    (SALVAGE, "import DocumentStorage\n", "import CanonicalJSON\nimport DocumentStorage\n"),
    (SALVAGE, "  mutating func publish() throws -> SalvageReport {\n",
     """
  mutating func publish() throws -> SalvageReport {
    let isInstead = %s
    let isBesides = %s
    if record.container != container, isInstead || isBesides {
      var shown: [(key: DocumentKey, body: JSON)] = []
      try source.forEachDocument { shown.append(($0, try JSON(parsing: $1))) }
      _ = try target.database.writeDocuments(
        now: target.ambient.time, nonce: target.nonce
      ) { writer in
        for (key, body) in shown {
          if isInstead {
            _ = try writer.put(body, at: key)
          } else if case .object(let members) = body, case .integer(let count)? = members["n"],
            let path = Path(pointer: "/n"), try writer.body(at: key) == nil
          {
            _ = try writer.edit(.increment(count), at: path, of: key) { _ in }
          }
        }
      }
      if isInstead { return report }
    }
""".removeprefix("\n") % (on("adopted-writes-made-anew"), on("adopted-counts-count-again")))]
# Its text stands with that of the bug above.
BUGS["adopted-counts-count-again"] = []
LANES.update((name, "founders kinds") for name in set(BUGS) - before)

# What takes worlds in which few meet.
LANES["closed-before-its-insert"] = "partitions"
LANES["waiting-removals-mean-orphans"] = "partitions"
LANES["only-the-present-stream-put-back"] = "copies healing partitions"
line("continued-streams-not-put-back", "Sources/DocumentStorage/ImportFold.swift",
     "    guard segment.formerStreams.contains(where: {",
     "    guard !ON, segment.formerStreams.contains(where: {")
LANES["continued-streams-not-put-back"] = "copies healing recoveries"
line("choices-settle-more", "Sources/DocumentStorage/StoreConflicts.swift",
     "    guard others.isEmpty else {", "    guard ON || others.isEmpty else {")
LANES["choices-settle-more"] = "resolving partitions"
line("what-lost-inside-is-not-listed", "Sources/Replication/CompetingValues.swift",
     "collectsConflicts: withLosers)", "collectsConflicts: withLosers && !ON)")
LANES["what-lost-inside-is-not-listed"] = "resolving partitions"
LANES["removals-mean-what-others-take-away"] = "partitions"

# Compaction.
before = set(BUGS)
DEAD = "Sources/DocumentStorage/DeadOperations.swift"
DROPPING = "Sources/Replication/DocumentState+Dropping.swift"
line("dropped-without-acknowledgement", DEAD,
     "    return lack.isPublished && lack.streams.isEmpty\n",
     "    return ON || lack.isPublished && lack.streams.isEmpty\n")
line("dropped-with-what-a-delete-covered-in-the-logs", DROPPING,
     "    guard forgotten == 0, pending.isEmpty,", "    guard forgotten == 0 || ON, pending.isEmpty,")
line("deletes-dropped-early", DROPPING,
     "      guard !visible.contains(entry.stamp), !takesAwayAny(entry) else { return false }",
     "      guard !visible.contains(entry.stamp), ON || !takesAwayAny(entry) else { return false }")
line("omissions-ignored", "Sources/DocumentStorage/DocumentDropping.swift",
     "    state.drop(document.dropped, isLast: isGone)\n",
     "    if !ON { state.drop(document.dropped, isLast: isGone) }\n")
line("covered-before-it-came-and-not-counted", "Sources/DocumentStorage/DocumentFold.swift",
     "if !folded.changes.current.isEmpty || state.forgotten != forgotten {",
     "if !folded.changes.current.isEmpty || !ON && state.forgotten != forgotten {")
line("acknowledgements-acknowledged", "Sources/DocumentStorage/StreamDirectory.swift",
     "    rows[header.stream]?.advance(line.index, isWritten: facts.count > 0) { previous in\n",
     "    rows[header.stream]?.advance(line.index, isWritten: ON || facts.count > 0) { previous in\n")
line("bytes-compared-instead-of-fingerprints", BATCH,
     "    let holdings = try tips.map { try streams.holding($0, db) }\n",
     "    let holdings = try tips.map { try ON ? .absent : streams.holding($0, db) }\n")
line("replaced-files-removed-unread", "Sources/Syncing/Compacting/ReplacedFiles.swift",
     "      guard isDue, try isHeld(candidate), try removeIfOwn(candidate) else {",
     "      guard try ON || isDue && isHeld(candidate), try removeIfOwn(candidate) else {")
line("dropped-out-of-conflicts", DROPPING,
     "      entries.allSatisfy({ $0.effect.kind.isUnderstood }), view().conflictCount == 0\n",
     "      entries.allSatisfy({ $0.effect.kind.isUnderstood }), ON || view().conflictCount == 0\n")
LANES.update((name, "compacting") for name in set(BUGS) - before)

# Who comes back, and whose files others look after.
before = set(BUGS)
HEEDING = "Sources/DocumentStorage/HeedingSteps.swift"
line("revived-at-once", "Sources/DocumentStorage/StatementTable.swift",
     "    let due = open.filter { late[$0.id] == nil }\n",
     "    let due = open.filter { ON || late[$0.id] == nil }\n")
line("never-revived", "Sources/DocumentStorage/DocumentDropping.swift",
     "    return revival.map { Revival(key: document.key, steps: $0.steps, time: $0.time) }",
     "    return ON ? nil : revival.map { Revival(key: document.key, steps: $0.steps, time: $0.time) }")
line("heeded-as-if-alone", "Sources/DocumentStorage/StatementTable.swift",
     "WHERE stream = ?3 AND first <= ?6 AND last >= ?5 AND id <> ?1)",
     "WHERE stream = ?3 AND first <= ?6 AND last >= ?5 AND id <> ?1 AND \\(ON ? 0 : 1))")
line("heeded-again-from-the-first-document", "Sources/DocumentStorage/HeedingPlan.swift",
     "    mark = try HeedingMark(documents, continuing: statement.heeding)\n",
     "    mark = try HeedingMark(documents, continuing: ON ? nil : statement.heeding)\n")
line("originals-that-came-late-counted", "Sources/DocumentStorage/StatementReading.swift",
     "        if former == nil, !isCertain { uncertain.insert(operation.document) }",
     "        if former == nil, !isCertain, !ON { uncertain.insert(operation.document) }")
line("revived-as-an-ordinary-write", "Sources/DocumentStorage/StoreWriter.swift",
     "    try claimContext(position.sequence > 0 ? Context([own]) : Context())",
     "    try claimContext(\n"
     "      ON ? streams.frontier.closed : position.sequence > 0 ? Context([own]) : Context())")
line("adopted-live-operations-only", DEAD,
     "      let needed = Set(kept.filter { !dead.contains($0) }.map(\\.dot))",
     "      let needed = Set(\n"
     "        kept.filter { !dead.contains($0) }\n"
     "          .filter { stamp in\n"
     "            !ON || streams.row(of: stream)?.isOwn != false\n"
     "              || state.visibility().values.contains { state.entries[$0].stamp == stamp }\n"
     "          }.map(\\.dot))")
line("what-was-dropped-is-put-back", HEEDING,
     "      try SegmentArchive.remove(spent, stream: stream, db)",
     "      if !ON { try SegmentArchive.remove(spent, stream: stream, db) }")
# Each of five looks for it, so that it takes all of them to miss it.
name = "rolled-up-over-a-hole"
BUGS[name] = [
    ("Sources/DocumentStorage/ArchiveJoining.swift", "    guard !isBranching else { return [] }",
     "    guard !isBranching || %s else { return [] }" % on(name)),
    ("Sources/DocumentStorage/ArchiveJoining.swift",
     "        streams.frontier.lineage.streams[row.stream]?.isBranching == false,\n"
     "        try mayReplace",
     "        %s || streams.frontier.lineage.streams[row.stream]?.isBranching == false,\n"
     "        try mayReplace" % on(name)),
    ("Sources/Syncing/Compacting/JoinPlan.swift", "last.last + 1 == segment.first {",
     "last.last + 1 == segment.first || %s && last.last < segment.first {" % on(name)),
    ("Sources/SegmentFormat/SegmentJoining.swift",
     "        segment.range.first == position.sequence + 1\n      else { throw .otherBranch }\n",
     "        %s || segment.range.first == position.sequence + 1\n"
     "      else { throw .otherBranch }\n"
     "      if segment.range.first != position.sequence + 1 {\n"
     "        position = StreamPosition(\n"
     "          sequence: segment.range.first - 1, fingerprint: segment.range.fingerprintBefore,\n"
     "          context: Context())\n"
     "      }\n" % on(name)),
    ("Sources/Syncing/Compacting/SegmentJoining.swift",
     "      try again.transactions(after: position).last?.header.fingerprint == end\n",
     "      try %s\n"
     "        || again.transactions(after: position).last?.header.fingerprint == end\n" % on(name))]
line("written-anew-for-nothing", "Sources/Syncing/Compacting/Compactor.swift",
     "guard run.parts.count > 1 || dropped > 0 else",
     "guard ON || run.parts.count > 1 || dropped > 0 else")
# What comes later and leans on one is kept whole, which alone nearly always suffices.
name = "statements-not-leant-on"
BUGS[name] = [
    ("Sources/DocumentStorage/StatementReading.swift", "    try start.learn(segment)\n",
     "    if !%s { try start.learn(segment) }\n" % on(name)),
    ("Sources/DocumentStorage/StatementReading.swift",
     "        try reading.learn(load(kept.part.id, kept.digest))\n",
     "        if !%s { try reading.learn(load(kept.part.id, kept.digest)) }\n" % on(name)),
    ("Sources/DocumentStorage/ImportFold.swift", "    if isBehindStatement { return",
     "    if !%s && isBehindStatement { return" % on(name))]
line("statements-heeded-without-those-beside-them", "Sources/DocumentStorage/StatementReading.swift",
     "    let others = listed.filter { $0.isHeeded || due.contains($0.part.id) }",
     "    let others = listed.filter { $0.isHeeded || !ON && due.contains($0.part.id) }")
LANES.update((name, "compacting travelling") for name in set(BUGS) - before)
LANES["written-anew-for-nothing"] += " partitions"
LANES["statements-not-leant-on"] += " copies"
LANES["rolled-up-over-a-hole"] += " skipping"

# What a program does with what only a newer one understands.
before = set(BUGS)
line("not-understood-and-claimed", "Sources/DocumentStorage/StreamDirectory.swift",
     "      header, after: previous, isUnderstood: newer.isEmpty,",
     "      header, after: previous, isUnderstood: ON || newer.isEmpty,")
line("not-understood-and-written-over", WRITER,
     "    if let path = state.newerPath(touchedBy: plan) {",
     "    if !ON, let path = state.newerPath(touchedBy: plan) {")
line("upgraded-from-now-on-only", "Sources/DocumentStorage/StoreDatabase.swift",
     "      if version == Schema.version, try use == .salvage || !KindUpgrade.isNeeded(db) { return }",
     "      if version == Schema.version, try ON || use == .salvage || !KindUpgrade.isNeeded(db) {\n"
     "        return\n      }")
LANES.update((name, "upgrades") for name in set(BUGS) - before)
