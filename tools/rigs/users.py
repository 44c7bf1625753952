"""Devices that belong to different users of this machine, and the mounts that they meet.

The users are numbers that no account has: the kernel asks for nothing more, and nothing has to be
added to /etc/passwd or taken out of it again.
"""

import json
import os
import subprocess
import time
from pathlib import Path

from rig import COMMAND_TIMEOUT_S, expect

ANN, BOB, SYNCER = 61001, 61002, 61003
FAMILY = 61010


def can_be_others():
    """Why this process cannot act for other users; None if it can."""
    if os.geteuid() != 0:
        return "needs root, to act for several users and to mount (sudo tools/check-…)"
    try:
        subprocess.run(["true"], user=ANN, group=ANN, extra_groups=[], check=True, timeout=30)
    except (OSError, subprocess.SubprocessError) as error:
        return f"cannot act for another user: {error}"
    return None


def make_mutable(root):
    """Lets what an interrupted case has made immutable be removed."""
    subprocess.run(
        ["chattr", "-R", "-i", root], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        check=False)


class Answer:
    """How a command ended."""

    def __init__(self, arguments, done, took_s):
        self.command = " ".join(str(one) for one in arguments)
        self.status = done.returncode
        self.output = done.stdout
        self.errors = done.stderr
        self.took_s = took_s

    def says(self, *words, status=0):
        """Expects an exit status, and words on standard error or in the output."""
        text = self.errors + self.output
        expect(
            self.status == status,
            f"{self.command}: exit {self.status}, not {status}\n{text[-1500:]}")
        for word in words:
            expect(word in text, f"{self.command}: nothing of '{word}' in:\n{text[-1500:]}")
        return self

    def quiet(self):
        """Expects success without a word on standard error."""
        self.says()
        expect(not self.errors, f"{self.command} says: {self.errors[-1500:]}")
        return self

    def json(self):
        return json.loads(self.output)

    def error(self):
        """The error object of `--format json`, which must have all parts."""
        error = json.loads(self.errors.splitlines()[-1])["error"]
        expect(error["code"] == self.status, f"{self.command}: {error}, exit {self.status}")
        for part in ("operation", "file", "message", "hint"):
            expect(error[part], f"{self.command}: the error has no {part}: {error}")
        return error


class Person:
    """A user with a home, whose `feedsync` runs as that user and nobody else."""

    def __init__(self, rig, user, groups=(), umask=0o022, home=None):
        self.rig = rig
        self.user = user
        self.groups = list(groups)
        self.umask = umask
        self.home = Path(home or rig.root / f"home-{user}")
        if not self.home.exists():
            make(self.home, user, mode=0o700)

    def environment(self):
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin"}

    def identity(self):
        return {
            "user": self.user, "group": self.user, "extra_groups": self.groups,
            "umask": self.umask}

    def run(self, *arguments, text="", timeout_s=COMMAND_TIMEOUT_S, **environment):
        """Runs a feedsync command; returns its `Answer`."""
        begun = time.monotonic()
        done = subprocess.run(
            [self.rig.binary, *(str(one) for one in arguments)], input=text, text=True,
            capture_output=True, env={**self.environment(), **environment}, cwd="/",
            timeout=timeout_s, **self.identity())
        return Answer(arguments, done, time.monotonic() - begun)

    def start(self, *arguments, log):
        """Starts a command whose output and errors go to a log, until the check ends."""
        return self.rig.start(
            [self.rig.binary, *arguments], log, stdout="log", env=self.environment(),
            **self.identity())


def make(path, owner, group=None, mode=0o755):
    """Makes a folder of this owner, group and mode; returns it."""
    os.mkdir(path)
    os.chown(path, owner, owner if group is None else group)
    os.chmod(path, mode)
    return Path(path)


def segments(folder):
    return sorted(path for path in (folder / "logs").glob("*/*.log") if path.name[0] != ".")


def mount(rig, *arguments):
    """Mounts until the end of the check; the last argument is where. Returns an error, or None."""
    done = subprocess.run(
        ["mount", *(str(one) for one in arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode == 0:
        rig.at_end(lambda: unmount(arguments[-1]))
        return None
    return done.stderr.strip().splitlines()[0] if done.stderr.strip() else "mount failed"


def unmount(place):
    """Unmounts all that is there, whoever still uses it."""
    # os.path.ismount does not see a bind mount within one file system.
    while any(line.split()[4] == str(place) for line in open("/proc/self/mountinfo")):
        done = subprocess.run(
            ["umount", "-l", place], capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            return


class Cases:
    """Runs cases one after another, each in a folder of its own, and counts how they end."""

    def __init__(self, rig):
        self.rig = rig
        self.passed = 0
        self.failed = []
        self.skipped = []

    def run(self, case):
        """Runs `case(rig, folder)`, whose documentation is its name; it may return a remark."""
        name = " ".join((case.__doc__ or case.__name__).split()).rstrip(".")
        folder = self.rig.root / case.__name__
        folder.mkdir()
        os.chmod(folder, 0o755)
        begun = time.monotonic()
        try:
            remark = case(self.rig, folder)
        except Skipped as reason:
            self.skipped.append(name)
            print(f"skipped: {name}: {reason}", flush=True)
            return
        except Exception as error:  # Whatever it is, the other cases are to be run.
            self.failed.append(name)
            print(f"FAILED: {name}: {type(error).__name__}: {error}", flush=True)
            return
        self.passed += 1
        seconds = time.monotonic() - begun
        print(f"ok: {name}{f' ({remark})' if remark else ''} {seconds:.1f} s", flush=True)

    def verdict(self):
        expect(not self.failed, f"{len(self.failed)} cases failed: {'; '.join(self.failed)}")
        expect(self.passed > 0, "not one case could be run")
        skipped = f", {len(self.skipped)} skipped" if self.skipped else ""
        return f"{self.passed} cases{skipped}"


class Skipped(Exception):
    """Why a case cannot be run on this machine."""
