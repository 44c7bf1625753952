"""What must hold after a crash: asked of the device itself, and of one that joins the folder."""

import hashlib
import json
import os
import re
import shutil
import sqlite3
import threading

from .device import Device, Failure, canonical
from .scenarios import OTHER, OTHER_BODY, USER_PATTERNS

RANGE = re.compile(r"^([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]{16})\.log$")

# The commands that come first after a crash; which one is the first must not matter.
ORDERS = ["look", "write", "repeat"]


class Verifier:
    """Checks devices after their crashes; remembers which segments it has found whole."""

    def __init__(self, binary):
        self.binary = binary
        self.whole = set()
        self.leftovers = 0
        self.lock = threading.Lock()

    def check(self, root, scenario, order, stages, is_done):
        """Lets the next commands run, and compares what they find with what may be there.

        `stages`: the dumps that may be seen. `is_done`: the command said that it succeeded, so
        for `init` nobody is to call it again. Throws a ``Failure``.
        """
        device = Device(self.binary, root)
        self.check_databases(device, as_left=True)
        if scenario.initialises and not is_done:
            device.run(*scenario.arguments)
            order = "look"
        getattr(self, "_" + order)(device, scenario, stages)
        self.check_folder(device, joins=scenario.joins)
        self.check_databases(device, as_left=False)
        self._check_newcomer(device)

    # What the user does next.

    def _look(self, device, scenario, stages):
        """dump, import, put."""
        seen = self._stage(device.dump(), stages)
        device.run("import", "--once")
        self._put_other(device)
        self._stage(device.dump(), [scenario.then(seen)])

    def _write(self, device, scenario, stages):
        """put, import."""
        self._put_other(device)
        device.run("import", "--once")
        seen = stages if scenario.imported is None else stages[-1:]
        self._stage(device.dump(), [scenario.then(stage) for stage in seen])

    def _repeat(self, device, scenario, stages):
        """The same command again, as who saw it die would; then put, import."""
        # What was deleted before the crash is not there to be deleted.
        accept = (0, 1) if scenario.arguments[0] == "delete" else (0,)
        device.run(*scenario.arguments, stdin=scenario.stdin, accept=accept)
        self._put_other(device)
        device.run("import", "--once")
        self._stage(device.dump(), [scenario.then(scenario.stages[-1])])

    @staticmethod
    def _put_other(device):
        device.run("put", *OTHER, json.dumps(OTHER_BODY))

    # What is there.

    @staticmethod
    def _stage(dump, stages):
        """The one of the stages that the dump shows."""
        count = dump.count("\n")
        for stage in reversed(stages):
            if len(stage) == count and dump == canonical(stage):
                return stage
        raise Failure("the dump is none of those possible: " + _difference(dump, stages))

    def _check_newcomer(self, device):
        """A device that joins the folder sees what this one sees."""
        newcomer = Device(self.binary, device.root, "newcomer")
        newcomer.run("init", "--join")
        newcomer.run("import", "--once")
        ours, theirs = device.dump(), newcomer.dump()
        if ours != theirs:
            raise Failure("another device sees something else: " + _lines(ours, theirs))
        self.check_databases(newcomer, as_left=False)

    def check_folder(self, device, joins=False):
        """Files under final names are whole, no two claim the same transactions.

        - joins: whether one may stand beside others all of whose transactions it has.
        """
        with open(device.folder + "/feedsync.container", "rb") as file:
            json.loads(file.read())
        self._check_ignore_file(device)
        ranges = {}
        for path in device.segments():
            self._check_segment(device, path)
            match = RANGE.match(os.path.basename(path))
            if not match:
                raise Failure("not a segment's name: " + path)
            stream = os.path.dirname(path)
            first, last = int(match.group(1), 16), int(match.group(2), 16)
            for other_first, other_last, other in ranges.setdefault(stream, []):
                nested = (first <= other_first and other_last <= last
                          or other_first <= first and last <= other_last)
                if first <= other_last and other_first <= last and not (joins and nested):
                    raise Failure("two segments of the same transactions: %s, %s" % (
                        os.path.basename(other), os.path.basename(path)))
            ranges[stream].append((first, last, path))
        self._count_leftovers(device)

    def _check_segment(self, device, path):
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).digest()
        with self.lock:
            if digest in self.whole:
                return
        result = device.run("segment", "dump", path, accept=(0, 65))
        if result.status != 0:
            raise Failure("damaged under its final name: %s" % result)
        with self.lock:
            self.whole.add(digest)

    @staticmethod
    def _check_ignore_file(device):
        # In the root of what the syncer syncs.
        above = os.path.exists(device.root + "/.stfolder")
        path = (device.root if above else device.folder) + "/.stignore"
        if not os.path.exists(path):
            raise Failure("no .stignore")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if text.count("feedsync: begin") != 1 or text.count("feedsync: end") != 1:
            raise Failure(".stignore does not hold the block once: %r" % text)
        if USER_PATTERNS not in text:
            raise Failure(".stignore lost the user's patterns: %r" % text)

    def _count_leftovers(self, device):
        names = [name for _, _, files in os.walk(device.root) for name in files
                 if name.startswith(".feedsync-")]
        with self.lock:
            self.leftovers += len(names)

    def check_databases(self, device, as_left):
        """SQLite finds nothing wrong; looked at in a copy, so that nothing is mended."""
        for path in device.databases():
            if os.path.getsize(path) == 0:
                continue
            copy = os.path.join(device.root, "look")
            shutil.copytree(os.path.dirname(path), copy)
            try:
                connection = sqlite3.connect(os.path.join(copy, "store.sqlite"))
                try:
                    answer = connection.execute("PRAGMA integrity_check").fetchall()
                finally:
                    connection.close()
            except sqlite3.DatabaseError as error:
                raise Failure("SQLite says %s%s" % (
                    error, " of the database as it was left" if as_left else "")) from error
            finally:
                shutil.rmtree(copy)
            if answer != [("ok",)]:
                raise Failure("integrity_check: %s" % answer[:3])


def _difference(dump, stages):
    return "; or ".join(_lines(canonical(stage), dump) for stage in stages[-2:])


def _lines(wanted, found):
    wanted, found = set(wanted.splitlines()), set(found.splitlines())
    missing, extra = sorted(wanted - found), sorted(found - wanted)
    return "%d lines missing (%s), %d too many (%s)" % (
        len(missing), "".join(missing)[:120], len(extra), "".join(extra)[:120])
