import FeedSync

/// What the manual says beyond the commands' own help; it stands here alone.
enum ManualText {
  /// A term and what it means.
  typealias Entry = (term: String, text: String)

  static let exitStatuses: [(code: FeedSyncError.Code?, text: String)] = [
    (nil, "Done."),
    (
      .notFound,
      "What was asked for is not there, such as a document; or 'doctor' has found something, or "
        + "'attachments verify' something that is not here, or not whole."
    ),
    (.usage, "The command was called wrongly."),
    (
      .badInput,
      "The input is bad or over a limit; or the command is done, and files are set aside, which "
        + "'feedsync status' names."
    ),
    (
      .noContainer,
      "The folder or its marker is missing or does not answer, or another container stands there."
    ),
    (.software, "A defect in feedsync."),
    (.cannotWrite, "Something cannot be written: the message names it."),
    (.cannotRead, "Something cannot be read: the message names it."),
    (.tryAgain, "Another process is busy with it, or a version token is out of date: try again."),
    (.notPermitted, "A permission is missing; the syncer may run as another user."),
    (
      .configuration,
      "Nothing is set up, or otherwise: no container chosen, another identifier, the state inside "
        + "of the folder, a database of a newer version."
    ),
  ]

  static let environment: [Entry] = [
    ("FEEDSYNC_STATE", "Where this device keeps its database, unless --state says so."),
    (
      "FEEDSYNC_PATH", "Set for the command that 'coordinate' runs: where the file is by then."
    ),
    (
      "FEEDSYNC_ACCESSES",
      "Set for that command, too: the accesses that it is run in, and cannot wait for."
    ),
    ("FEEDSYNC_CONTAINER", "The synced folder, unless --container says so."),
    ("XDG_DATA_HOME", "The state is in its folder feedsync, where nothing else names one."),
    ("XDG_CONFIG_HOME", "'service' writes units into its folder systemd/user."),
    ("HOME", "Stands in for the two above, with .local/share and .config."),
    ("NO_COLOR", "Nothing is coloured, as is so without it."),
  ]

  static let files: [Entry] = [
    (
      "~/.local/share/feedsync/CONTAINER-ID/store.sqlite",
      "The device's database, for its owner alone. It must never be synced."
    ),
    (
      "~/.local/share/feedsync/coordination/",
      "Locks and a socket of 'coordinate', and of programs that coordinate, for their owner alone."
    ),
    ("~/.local/share/feedsync/default.json", "Which container is the default."),
    (
      "~/.local/share/feedsync/CONTAINER-ID.settings.json",
      "What 'settings set' has said; not there where nothing was."
    ),
    (
      "~/.local/share/feedsync/versions/CONTAINER-ID/",
      "Versions of your own files that this machine alone has: see 'file versions'."
    ),
    ("DIR/feedsync.container", "The marker that makes a folder a container."),
    (
      "DIR/logs/DEVICE/*.log",
      "What each device wrote, and nobody else: immutable; others may put it back as it was."
    ),
    (
      "DIR/blobs/DEVICE/", "Content of attachments, named by its SHA-256: each device's own copies."
    ),
    ("DIR/Documents/", "Your own files."),
    (
      "DIR/.stignore",
      "What Syncthing must not carry; one marked block of it is feedsync's. It may stand in a "
        + "folder further up."
    ),
    (
      "~/.config/systemd/user/feedsync-*.service",
      "What 'feedsync service install' writes, and a link to it in default.target.wants."
    ),
  ]

  static let examples: [Entry] = [
    (
      "The first machine makes a synced folder a container; the others join it:",
      "feedsync init ~/Sync/notes --identifier org.example.notes"
    ),
    (
      "Write, change and read a document:",
      """
      feedsync put notes groceries '{"title":"Groceries","done":false}'
      feedsync patch notes groceries '{"done":true}'
      feedsync get notes groceries
      """
    ),
    ("Bring in what the other machines wrote, in the background:", "feedsync service install"),
    (
      "Back up all documents, and write them again:",
      "feedsync dump > notes.jsonl\nfeedsync load notes.jsonl"
    ),
    ("Run a command for each change that arrives:", "feedsync watch --exec 'jq .documents'"),
  ]
}
