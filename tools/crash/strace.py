"""Kills a process at its n-th system call of one kind, or has that call fail.

How strace's injection behaves (found by trial): `when=N` counts per thread and per system call, so
each call is swept alone; KILL lands before the call takes effect; with --seccomp-bpf it never fires.
"""

import collections
import os
import re
import shutil

from . import device

# Every call by which feedsync or SQLite changes a file; openat only where it creates one.
MUTATING = ["write", "pwrite64", "writev", "pwritev", "fsync", "fdatasync", "ftruncate", "fallocate",
            "linkat", "link", "renameat2", "rename", "renameat", "unlink", "unlinkat", "rmdir",
            "mkdir", "mkdirat", "openat"]
CREATING = re.compile(r"O_CREAT|O_TMPFILE")
LINE = re.compile(r"^(\d+) +(\w+)\((.*)$")
PATH = re.compile(r'<(/[^<>]*)>|"(/[^"]*)"')


def require():
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed")


def _run(options, binary_device, arguments, stdin, log):
    line = ["strace", "-f", "-qq", "-y", "-s", "16", "-e", "signal=none", "-o", log] + options
    result = device.run(line + binary_device.command(arguments), binary_device.root, stdin)
    with open(log, encoding="utf-8", errors="replace") as lines:
        return result, lines.read()


def _extra(failing):
    options = []
    for call, error in failing:
        options += ["-e", "inject=%s:error=%s" % (call, error)]
    return options


class Census:
    """Which calls a command makes: how often, and whether one thread makes all that matter."""

    def __init__(self, text, root):
        by_thread = collections.defaultdict(collections.Counter)
        files = collections.defaultdict(collections.Counter)
        self.created = []
        for line in text.splitlines():
            match = LINE.match(line)
            if not match:
                continue
            thread, call, rest = match.groups()
            inside = [a or b for a, b in PATH.findall(rest) if (a or b).startswith(root + "/")]
            if call == "openat":
                if CREATING.search(rest) and inside:
                    self.created.append(os.path.relpath(inside[0], root))
                continue
            by_thread[call][thread] += 1
            if inside or call in ("mkdir", "mkdirat"):
                files[call][thread] += 1
        # A thread's own number is what `when` counts.
        self.counts = {call: max(c.values()) for call, c in by_thread.items()}
        self.changing = {call: sum(c.values()) for call, c in files.items()}
        self.spread = [call for call, c in files.items() if len(c) > 1]


def census(subject, arguments, stdin, log, failing=()):
    """Runs a command to its end, and counts its calls."""
    options = ["-e", "trace=" + ",".join(MUTATING)] + _extra(failing)
    result, text = _run(options, subject, arguments, stdin, log)
    return result, Census(text, subject.root)


class Injection:
    """Where a process was stopped or disturbed."""

    def __init__(self, result, text):
        self.result = result
        lines = [line for line in text.splitlines() if "+++" not in line and "---" not in line]
        self.is_killed = result.status == -9
        injected = [line for line in lines if "(INJECTED)" in line]
        self.is_disturbed = bool(injected)
        hit = injected[:1] if injected else lines[-1:]
        self.place = hit[0].strip()[:160] if hit else "?"


def inject(subject, arguments, stdin, log, call, number, action, failing=(), paths=()):
    """Runs a command with `action` ("signal=KILL", "error=EIO") at its n-th `call`.

    `number` may end in "+": from there on. `paths` restricts what is counted to calls on them.
    `failing` calls fail every time: that is how a file system that lacks them behaves.
    """
    traced = [call] + [other for other, _ in failing]
    options = ["-e", "trace=" + ",".join(traced)]
    for path in paths:
        options += ["-P", path]
    options += _extra(failing) + ["-e", "inject=%s:%s:when=%s" % (call, action, number)]
    result, text = _run(options, subject, arguments, stdin, log)
    return Injection(result, text)
