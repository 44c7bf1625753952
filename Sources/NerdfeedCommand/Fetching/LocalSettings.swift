import FeedFetching
import FeedLibrary
import FeedSync
import Foundation

/// What is set on this machine alone: names and passwords, and certificates that are trusted.
///
/// They are in a directory that is not synced: `$NERDFEED_CONFIG`, else
/// `$XDG_CONFIG_HOME/nerdfeed`, else `~/.config/nerdfeed`. `credentials.json` is for its owner
/// alone:
///
///     {"https://example.org": {"name": "ann", "password": "secret"}}
///
/// `trusted.pem`, if it is there, has certificates that are trusted besides the system's.
struct LocalSettings: Sendable, Equatable {
  private struct Secret: Codable {
    var name: String
    var password: String
  }

  let directory: String?
  private(set) var credentials: [String: FeedCredentials] = [:]
  private(set) var trustedCertificateFiles: [String] = []

  /// Nothing set.
  init(directory: String? = nil) { self.directory = directory }

  /// Reads what is set; what is missing is not.
  ///
  /// - throws: ``LibraryError`` if a file is there and cannot be read.
  static func load(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> LocalSettings {
    var settings = LocalSettings(directory: directory(environment))
    guard let directory = settings.directory else { return settings }
    let certificates = directory + "/trusted.pem"
    if FileManager.default.fileExists(atPath: certificates) {
      settings.trustedCertificateFiles = [certificates]
    }
    settings.credentials = try credentials(in: directory)
    return settings
  }

  private static func credentials(in directory: String) throws -> [String: FeedCredentials] {
    let file = directory + "/credentials.json"
    guard FileManager.default.fileExists(atPath: file) else { return [:] }
    do {
      let data = try Data(contentsOf: URL(filePath: file))
      let secrets = try JSONDecoder().decode([String: Secret].self, from: data)
      var result: [String: FeedCredentials] = [:]
      for (server, secret) in secrets {
        result[serverName(of: try FeedAddress(server))] = FeedCredentials(
          name: secret.name, password: secret.password)
      }
      return result
    } catch {
      throw failure(
        .configuration, file: file, message: "the names and passwords cannot be read: \(error)",
        hint: #"write it as {"https://example.org": {"name": "ann", "password": "secret"}}"#)
    }
  }

  /// What is kept for the server of an address.
  ///
  /// A server that has moved from `http` to `https`, each on its usual port, is the same: so a feed
  /// is followed there with its password, and is found there the next time.
  func credentials(for address: FeedAddress) -> FeedCredentials? {
    let kept = credentials[Self.serverName(of: address)]
    guard kept == nil, address.isSecure, address.port == 443 else { return kept }
    return credentials["http://\(address.host):80"]
  }

  /// Keeps a name and a password for the server of an address, in place of those it had.
  ///
  /// - throws: ``LibraryError`` if they cannot be written.
  mutating func keep(_ secret: FeedCredentials, for address: FeedAddress) throws {
    let server = Self.serverName(of: address)
    guard credentials[server] != secret else { return }
    guard let directory else {
      throw Self.failure(
        .configuration, file: nil, message: "HOME is not set",
        hint: "set NERDFEED_CONFIG to a directory that is not synced")
    }
    let file = directory + "/credentials.json"
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try PrivateFile.change(file, in: directory) {
        // Others may have kept theirs since this was read.
        credentials = try Self.credentials(in: directory)
        credentials[server] = secret
        return try encoder.encode(
          credentials.mapValues { Secret(name: $0.name, password: $0.password) })
      }
    } catch let error as LibraryError {
      throw error
    } catch {
      throw Self.failure(
        .cannotWrite, file: file, message: "the password cannot be kept: \(error)",
        hint: "make the directory writable, or set NERDFEED_CONFIG to another")
    }
  }

  /// Keeps a name and a password for the server of an address that has none yet: what a list of
  /// subscriptions says, whoever wrote it, replaces nothing.
  ///
  /// - returns: Whether they are those that the server has now.
  /// - throws: ``LibraryError`` if they cannot be written.
  mutating func offer(_ secret: FeedCredentials, for address: FeedAddress) throws -> Bool {
    if let kept = credentials(for: address) { return kept == secret }
    try keep(secret, for: address)
    return true
  }

  /// What is said where an offer is not taken.
  static func othersAreKept(for address: FeedAddress) -> LibraryError {
    let error = failure(
      .configuration, file: nil,
      message: "another name or password is kept for this server, and stays",
      hint: "to replace it, name the new one in an address for 'nerdfeed add'")
    return LibraryError(error.cause, operation: "import subscriptions", subject: address.url)
  }

  private static func directory(_ environment: [String: String]) -> String? {
    func variable(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    if let directory = variable("NERDFEED_CONFIG") { return directory }
    // One that is relative counts for nothing (XDG Base Directory Specification).
    if let path = variable("XDG_CONFIG_HOME"), path.hasPrefix("/") { return path + "/nerdfeed" }
    return variable("HOME").map { $0 + "/.config/nerdfeed" }
  }

  private static func serverName(of address: FeedAddress) -> String {
    "\(address.isSecure ? "https" : "http")://\(address.host):\(address.port)"
  }

  private static func failure(
    _ code: FeedSyncError.Code, file: String?, message: String, hint: String
  ) -> LibraryError {
    let operation = "use the local settings"
    return LibraryError(
      .store(FeedSyncError(code, operation: operation, file: file, message: message, hint: hint)),
      operation: operation, subject: file)
  }
}

/// Files that nobody but their owner may read, at no moment.
private enum PrivateFile {
  /// Writes what `contents` gives, while no other process does.
  static func change(
    _ file: String, in directory: String, _ contents: () throws -> Data
  ) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    // The directory, since the file is replaced. The lock goes with the descriptor.
    let lock = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      // Where the file system has no locks, the last one counts.
      if errno != EINTR { break }
    }
    try write(try contents(), to: file)
  }

  private static func write(_ data: Data, to file: String) throws {
    let draft = file + ".\(getpid()).tmp"
    // A process with this number may have been killed here, and in a container all have the same.
    unlink(draft)
    let descriptor = open(draft, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      try handle.write(contentsOf: data)
      try handle.synchronize()
      guard rename(draft, file) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    } catch {
      // What is left would have the password in it; that it cannot be removed changes nothing.
      unlink(draft)
      throw error
    }
  }
}
