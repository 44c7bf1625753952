import Glibc
import SystemPackage

/// The users and groups of this machine, and who this process runs as.
package struct Accounts: Sendable {
  /// The user id that this process has towards files.
  package var user: UInt32
  /// The group that its new files have, where the folder does not say otherwise.
  package var group: UInt32
  /// What is taken away from the mode of its new files; nil if that cannot be told.
  package var umask: UInt32?
  /// The groups of a user; nil for one that is not known here.
  package var groups: @Sendable (_ user: UInt32) -> Set<UInt32>?
  /// A user's name, or else the number.
  package var userName: @Sendable (UInt32) -> String
  /// A group's name, or else the number.
  package var groupName: @Sendable (UInt32) -> String

  /// Puts accounts together, as a test does.
  package init(
    user: UInt32, group: UInt32, umask: UInt32?,
    groups: @escaping @Sendable (UInt32) -> Set<UInt32>?,
    userName: @escaping @Sendable (UInt32) -> String = { "\($0)" },
    groupName: @escaping @Sendable (UInt32) -> String = { "\($0)" }
  ) {
    self.user = user
    self.group = group
    self.umask = umask
    self.groups = groups
    self.userName = userName
    self.groupName = groupName
  }

  /// What the system says now.
  package static var system: Accounts {
    Accounts(
      user: geteuid(), group: getegid(), umask: currentUmask(), groups: groups(of:),
      userName: { user in
        withAccount(of: user) { String(cString: $0.pw_name) } ?? "\(user)"
      },
      groupName: { name(ofGroup: $0) ?? "\($0)" })
  }

  /// The umask, which umask(2) can tell only by changing it; the kernel tells it since 4.7.
  private static func currentUmask() -> UInt32? {
    guard let text = try? LinuxFileSystem().readAll("/proc/self/status", limit: 1 << 16).bytes
    else { return nil }
    let line = text.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "Umask:".utf8) }
    return line.flatMap { line in
      UInt32(String(decoding: line.dropFirst(7), as: UTF8.self), radix: 8)
    }
  }

  private static func withAccount<Value>(of user: UInt32, _ body: (passwd) -> Value) -> Value? {
    var account = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 1 << 16)
    guard getpwuid_r(user, &account, &buffer, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return body(account)
  }

  private static func groups(of user: UInt32) -> Set<UInt32>? {
    withAccount(of: user) { account in
      var count: Int32 = 1 << 12
      var list = [gid_t](repeating: 0, count: Int(count))
      getgrouplist(account.pw_name, account.pw_gid, &list, &count)
      return Set(list.prefix(Int(min(max(count, 0), 1 << 12))))
    }
  }

  private static func name(ofGroup group: UInt32) -> String? {
    var entry = Glibc.group()
    var found: UnsafeMutablePointer<Glibc.group>?
    var buffer = [CChar](repeating: 0, count: 1 << 16)
    guard getgrgid_r(group, &entry, &buffer, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return String(cString: entry.gr_name)
  }
}
