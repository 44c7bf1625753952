"""Records what a command does to files, call by call, and does the same to a modelled disk."""

import os
import re

from . import device, disk

# Some of these are not modelled: they are recorded so as to notice when feedsync begins to use them.
TRACED = ["openat", "open", "creat", "write", "writev", "pwrite64", "pwritev", "pwritev2", "ftruncate",
          "truncate", "fallocate", "fsync", "fdatasync", "sync_file_range", "linkat", "link",
          "symlink", "symlinkat", "rename", "renameat", "renameat2", "unlink", "unlinkat", "rmdir",
          "mkdir", "mkdirat", "close", "dup", "dup2", "dup3", "copy_file_range", "sendfile",
          "splice", "mmap", "fcntl", "execve"]
LONGEST_WRITE = 1 << 24

LINE = re.compile(r"^(\d+) +(.*)$")
UNFINISHED = re.compile(r"^(.*?) ?<unfinished \.\.\.>$")
RESUMED = re.compile(r"^<\.\.\. (\w+) resumed>(.*)$")
CALL = re.compile(r"^(\w+)\((.*)\) += (-?\d+|\?)(.*)$")
# A string, a descriptor with what it stands for, a number or flags; strings are in hexadecimal.
ARGUMENT = re.compile(r'"([^"]*)"(\.\.\.)?|(-?\d+|AT_FDCWD)(?:<([^>]*)>(?:\(deleted\))?)?|([A-Z_0-9|]+)')
DESCRIPTOR_FIRST = {"write", "writev", "pwrite64", "pwritev", "pwritev2", "ftruncate", "fallocate",
                    "fsync", "fdatasync", "sync_file_range", "close", "dup", "dup2", "dup3", "fcntl"}


def _decode(text):
    return bytes.fromhex(text.replace("\\x", ""))


class Call:
    """A system call that has returned."""

    def __init__(self, name, arguments, value, is_injected):
        self.name = name
        self.is_injected = is_injected
        self.value = value
        self.strings = []
        self.numbers = []
        self.descriptors = []
        self.flags = ""
        for match in ARGUMENT.finditer(arguments):
            string, is_cut, number, target, flags = match.groups()
            if string is not None:
                if is_cut:
                    raise device.Unusable("strace cut a string short")
                self.strings.append(string)
            elif number is not None:
                self.numbers.append(number)
                if target is not None and number != "AT_FDCWD":
                    self.descriptors.append(int(number))
            elif flags:
                self.flags += flags + "|"

    def text(self, index):
        return os.fsdecode(_decode(self.strings[index]))

    def data(self):
        return _decode(self.strings[0])


def parse(lines):
    """The calls, in the order in which they returned."""
    waiting = {}
    for line in lines:
        match = LINE.match(line.rstrip("\n"))
        if not match:
            continue
        thread, rest = match.groups()
        unfinished = UNFINISHED.match(rest)
        if unfinished:
            waiting[thread] = unfinished.group(1)
            continue
        resumed = RESUMED.match(rest)
        if resumed:
            rest = waiting.pop(thread, "") + resumed.group(2)
        found = CALL.match(rest)
        if found and found.group(3) != "?":
            yield Call(found.group(1), found.group(2), int(found.group(3)),
                       "(INJECTED)" in found.group(4))


def record(subject, arguments, stdin, log, injections=()):
    """Runs a command under strace: how it ended, and its calls. Injections: "linkat:error=EPERM"."""
    line = ["strace", "-f", "-qq", "-y", "-xx", "-s", str(LONGEST_WRITE), "-e", "signal=none",
            "-e", "trace=" + ",".join(TRACED), "-o", log]
    for injection in injections:
        line += ["-e", "inject=" + injection]
    result = device.run(line + subject.command(arguments), subject.root, stdin)
    with open(log, encoding="ascii") as lines:
        calls = list(parse(lines))
    os.remove(log)
    return result, calls


class Player:
    """Does to a disk what the calls of one process did to the real one."""

    def __init__(self, model, ignored=None):
        self.disk = model
        # A call that is to do nothing: to see that the check would notice if it were missing.
        self.ignored = ignored
        # {descriptor: [node, offset]} of this process.
        self.open = {}

    def play(self, call):
        if call.value < 0 and call.name in ("fsync", "fdatasync"):
            node = self._node(call)[0]
            if isinstance(node, disk.File):
                node.fail_to_synchronize()
        if call.value < 0 or call.name == self.ignored:
            return
        action = getattr(self, "_" + call.name, None)
        if action is not None:
            action(call)
        elif call.name in DESCRIPTOR_FIRST:
            if int(call.numbers[0]) in self.open:
                raise device.Unusable("not modelled: " + call.name)
        elif any(self.disk.contains(call.text(n)) for n in range(len(call.strings))):
            raise device.Unusable("not modelled: " + call.name)

    def is_boundary(self, call):
        """Whether it synchronizes something of this disk."""
        return (call.value == 0 and call.name in ("fsync", "fdatasync")
                and int(call.numbers[0]) in self.open)

    def _node(self, call):
        return self.open.get(int(call.numbers[0]), (None, 0))

    def _path(self, call, index):
        path = os.path.normpath(call.text(index))
        return path if self.disk.contains(path) else None

    # The calls, by name.

    def _execve(self, call):
        del call
        self.open = {}

    def _openat(self, call):
        self.open.pop(call.value, None)
        path = self._path(call, 0)
        if path is None:
            return
        if "O_TMPFILE" in call.flags:
            node = disk.File()
        else:
            node = self.disk.find(path)
            if node is None:
                node = disk.File()
                directory, name = self.disk.parent(path)
                directory.change((name, node))
            elif "O_TRUNC" in call.flags:
                node.truncate(0)
        self.open[call.value] = [node, 0]

    _open = _creat = _openat

    def _close(self, call):
        self.open.pop(int(call.numbers[0]), None)

    def _fcntl(self, call):
        if "F_DUPFD" in call.flags and int(call.numbers[0]) in self.open:
            self.open[call.value] = self.open[int(call.numbers[0])]

    def _mmap(self, call):
        # Only SQLite's wal-index may be written so: it is made anew after a crash.
        if "MAP_SHARED" not in call.flags or "PROT_WRITE" not in call.flags:
            return
        nodes = [self.open[n][0] for n in call.descriptors if n in self.open]
        if any(not self._is_index(node) for node in nodes):
            raise device.Unusable("not modelled: a file mapped to be written")

    def _is_index(self, node):
        pending = [self.disk.root]
        while pending:
            for name, found in pending.pop().current.items():
                if found is node:
                    return name.endswith("-shm")
                if isinstance(found, disk.Directory):
                    pending.append(found)
        return False

    def _write(self, call):
        entry = self._node(call)
        if entry[0] is not None:
            entry[0].write(entry[1], call.data()[:call.value])
            entry[1] += call.value

    def _pwrite64(self, call):
        node = self._node(call)[0]
        if node is not None:
            node.write(int(call.numbers[-1]), call.data()[:call.value])

    def _ftruncate(self, call):
        node = self._node(call)[0]
        if node is not None:
            node.truncate(int(call.numbers[-1]))

    def _fsync(self, call):
        node = self._node(call)[0]
        if node is not None:
            node.synchronize()

    _fdatasync = _fsync

    def _linkat(self, call):
        old, new = call.text(0), self._path(call, 1)
        if new is None:
            return
        if old.startswith("/proc/self/fd/"):
            node = self.open[int(old.rsplit("/", 1)[1])][0]
        else:
            node = self.disk.find(os.path.normpath(old))
        directory, name = self.disk.parent(new)
        directory.change((name, node))

    _link = _linkat

    def _rename(self, call):
        old, new = self._path(call, 0), self._path(call, 1)
        if old is not None and new is not None:
            self.disk.rename(old, new)
        elif old is not None or new is not None:
            raise device.Unusable("not modelled: a rename across the edge")

    _renameat = _renameat2 = _rename

    def _unlink(self, call):
        path = self._path(call, 0)
        if path is not None:
            directory, name = self.disk.parent(path)
            directory.change((name, None))

    _unlinkat = _rmdir = _unlink

    def _mkdir(self, call):
        path = self._path(call, 0)
        if path is not None:
            directory, name = self.disk.parent(path)
            directory.change((name, disk.Directory()))

    _mkdirat = _mkdir
