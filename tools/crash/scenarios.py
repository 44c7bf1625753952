"""What is interrupted: a folder and states to begin with, a command, and what may be there after.

Every document has two equal members, so that half of one would show. `stages` are all the dumps
that the device may show once the command was interrupted, whole transaction by whole transaction;
the last one is what it must show once the command has ended well.
"""

import itertools
import json
import os
import random

from . import strace
from .device import Device, Unusable, canonical

OTHER = ("other", "later")
OTHER_BODY = {"left": "later", "right": "later"}


def body(text, size=0):
    filler = "x" * size
    return {"left": text + filler, "right": text + filler}


def documents(collection, prefix, count, size=0):
    return {(collection, "%s%03d" % (prefix, n)): body("%s%d" % (prefix, n), size)
            for n in range(count)}


def lines(found):
    return canonical(found).encode()


class Scenario:
    """One command to interrupt. `prepare(root)` lays out what it begins with."""

    def __init__(self, name, prepare, arguments, stages, stdin=b"", initialises=False,
                 failing=(), calls=None, sample=None, errors=True, imported=None, joins=False):
        self.name = name
        self.prepare = prepare
        self.arguments = arguments
        self.stages = stages
        self.stdin = stdin
        self.initialises = initialises
        # What is there after an import, where that is not the stage itself.
        self.imported = imported
        # Calls that always fail, as on file systems that lack them: [(call, errno)].
        self.failing = list(failing)
        # The calls to sweep; None for all that the command makes.
        self.calls = calls
        # {call: at most so many points}; all others are swept whole.
        self.sample = sample or {}
        self.errors = errors
        # Whether a file may stand beside others that have the same transactions, for a while.
        self.joins = joins

    def then(self, stage):
        """What must be there when a stage was found, and then all was imported and one put."""
        found = dict(stage if self.imported is None else self.imported)
        found[OTHER] = OTHER_BODY
        return found


def put(device, key, value):
    device.run("put", key[0], key[1], json.dumps(value))


def load(device, found, size):
    device.run("load", "--transaction-size", str(size), stdin=lines(found))


# What is acknowledged, imported and published before the command begins.
OWN = documents("notes", "a", 6)
FOREIGN = documents("notes", "b", 4)
USER_PATTERNS = "(?d)*.bak\n// mine\n"


class Templates:
    """Lays out devices; `binary` runs them."""

    def __init__(self, binary):
        self.binary = binary

    def device(self, root, state="state"):
        return Device(self.binary, root, state)

    def empty_folder(self, root):
        """A synced folder of a user who has ignore patterns already, and nothing else."""
        _make_folder(root)
        with open(root + "/folder/.stignore", "w", encoding="ascii") as file:
            file.write(USER_PATTERNS)

    def deep_folder(self, root):
        """As `empty_folder`, but what the syncer syncs is the directory above it."""
        self.empty_folder(root)
        os.mkdir(root + "/.stfolder")
        os.rename(root + "/folder/.stignore", root + "/.stignore")

    def foreign_folder(self, root):
        """A container of another device."""
        self.empty_folder(root)
        other = self.device(root, "origin")
        other.run("init")
        load(other, FOREIGN, 2)

    def silent(self, root):
        """A device that has just been initialised and never wrote: `logs/` is not there."""
        self.empty_folder(root)
        self.device(root).run("init")

    def settled(self, root):
        """A device that wrote, published and imported, and has nothing left to do."""
        self.foreign_folder(root)
        subject = self.device(root)
        subject.run("init")
        subject.run("import", "--once")
        load(subject, OWN, 2)

    def arrived(self, root):
        """As `settled`; and several segments of two devices came in, and two own writes wait."""
        self.settled(root)
        origin, third = self.device(root, "origin"), self.device(root, "third")
        third.run("init", "--join")
        for device in (origin, third):
            device.run("import", "--once")
        for writes in ARRIVALS[0]:
            _write(origin, writes)
        for writes in ARRIVALS[1]:
            _write(third, writes)
        subject = self.device(root)
        # Away, so that it stays to be published.
        _away(root, lambda: [put(subject, key, value) for key, value in WAITING.items()])

    def large(self, root):
        """As `settled`; and a segment of many documents came in."""
        self.settled(root)
        origin = self.device(root, "origin")
        origin.run("import", "--once")
        load(origin, LARGE, 1000)

    def parts(self, root):
        """As `settled`; and more came in than is applied in one transaction."""
        self.settled(root)
        origin = self.device(root, "origin")
        origin.run("import", "--once")
        for key, value in PARTS.items():
            origin.run("put", *key, "-", stdin=json.dumps(value).encode())

    def gathered(self, root, *settings):
        """As `settled`; and it has written over much, in files that are due to be joined."""
        self.settled(root)
        subject = self.device(root)
        for setting in (*COMPACTING, *settings):
            subject.run("settings", "set", *setting)
        for key, value in OVERWRITING:
            put(subject, key, value)
        subject.run("delete", OLD[0], "a004")

    def claimed(self, root, *settings):
        """As `gathered`; the files are joined, and the other device has said that it has them."""
        self.gathered(root, *settings)
        subject, origin = self.device(root), self.device(root, "origin")
        subject.run("compact")
        origin.run("import", "--once")
        put(origin, *CLAIM)
        subject.run("import", "--once")

    def ripe(self, root):
        """As `claimed`; and nothing keeps what is dead."""
        self.claimed(root, ("grace", "0"))

    def reduced(self, root):
        """What is dead has been dropped by one device, and this one has still got it."""
        self.ripe(root)
        self.device(root).run("compact")
        os.rename(root + "/state", root + "/writer")
        os.rename(root + "/origin", root + "/state")

    def cut_off(self, root):
        """As `settled`; and a write was killed when it was on disk but not in the folder."""
        self.settled(root)
        found = strace.inject(
            self.device(root), ["put", *NEW[0], json.dumps(NEW[1])], b"", root + "/log", "linkat",
            1, "signal=KILL")
        if not found.is_killed:
            raise Unusable("could not be cut off: %s" % found.result)


def _make_folder(root):
    os.makedirs(root + "/folder")


def _away(root, work):
    os.rename(root + "/folder", root + "/away")
    try:
        work()
    finally:
        os.rename(root + "/away", root + "/folder")


def _write(device, writes):
    """One transaction: puts, or deletes of documents given as None."""
    gone = [key for key, value in writes.items() if value is None]
    if gone:
        device.run("delete", gone[0][0], *[key[1] for key in gone])
    else:
        load(device, writes, 1000)


NEW = (("notes", "new"), body("new"))
OLD = ("notes", "a001")
# One list for each other device; one entry for each transaction, and each is its own segment.
ARRIVALS = [
    [{("notes", "b000"): body("b0 again")}, documents("news", "n", 20),
     {("notes", "b001"): None, ("notes", "b002"): None}],
    [documents("third", "t", 3), {("third", "t001"): body("t1 again")}],
]
WAITING = {("notes", "w0"): body("waits"), ("notes", "a000"): body("waits too")}
LARGE = documents("large", "l", 300, size=150)


def _incompressible(seed):
    generator = random.Random(seed)
    return {"left": generator.randbytes(220_000).hex(), "right": generator.randbytes(220_000).hex()}


PARTS = {("parts", "p%02d" % n): _incompressible(n) for n in range(22)}


# Files that are joined and dropped from at once, and by no import.
COMPACTING = [("fan-out", "4"), ("interval", "never")]
CLAIM = (("claims", "c0"), body("has all"))


def _texts(count):
    """What takes more in the folder than what stands in its place once it is dropped."""
    generator = random.Random(7)
    return [{"left": text, "right": text} for text in (
        generator.randbytes(60).hex() for _ in range(count))]


OVERWRITING = [(("notes", "a00%d" % (n % 3)), text) for n, text in enumerate(_texts(9))]


def _with(before, change):
    after = dict(before)
    for key, value in change.items():
        if value is None:
            del after[key]
        else:
            after[key] = value
    return after


def grow(before, changes):
    stages = [before]
    for change in changes:
        stages.append(_with(stages[-1], change))
    return stages


def mixed(before, streams):
    """Every prefix of one stream with every prefix of the others; the streams touch other documents."""
    counts = [range(len(stream) + 1) for stream in streams]
    stages = []
    for lengths in itertools.product(*counts):
        now = before
        for stream, length in zip(streams, lengths):
            for change in stream[:length]:
                now = _with(now, change)
        stages.append(now)
    return stages


def chunks(found, size):
    items = sorted(found.items())
    return [dict(items[n:n + size]) for n in range(0, len(items), size)]


SETTLED = {**OWN, **FOREIGN}
GATHERED = _with(SETTLED, {**dict(OVERWRITING), ("notes", "a004"): None})
CLAIMED = _with(GATHERED, dict([CLAIM]))
LOADED = {**documents("loaded", "d", 28), OLD: body("loaded over"), ("notes", "b003"): body("too")}
PATCHED = {"right": "patched", "added": "patched"}
PUBLISHING = ["write", "fsync", "linkat", "link", "renameat2", "rename", "unlink", "openat"]
NO_LINKAT = [("linkat", "EPERM")]
NO_RENAMEAT2 = NO_LINKAT + [("renameat2", "EINVAL")]
NO_LINK = NO_RENAMEAT2 + [("link", "EPERM")]


def all_scenarios(binary):
    make = Templates(binary)
    waiting = _with(SETTLED, WAITING)
    put_new = ["put", *NEW[0], json.dumps(NEW[1])]
    stages_new = [SETTLED, _with(SETTLED, dict([NEW]))]

    def publishing(name, failing):
        return Scenario("put, " + name, make.settled, put_new, stages_new, failing=failing,
                        calls=PUBLISHING, errors=False)

    return [
        Scenario("init", make.empty_folder, ["init"], [{}], initialises=True),
        Scenario("init --join", make.foreign_folder, ["init", "--join"], [{}], initialises=True,
                 imported=FOREIGN),
        Scenario("put, the first", make.silent, put_new, grow({}, [dict([NEW])])),
        Scenario("put, new", make.settled, put_new, stages_new),
        Scenario("put, over", make.settled, ["put", *OLD, json.dumps(body("over"))],
                 grow(SETTLED, [{OLD: body("over")}])),
        Scenario("patch", make.settled, ["patch", *OLD, json.dumps(PATCHED)],
                 grow(SETTLED, [{OLD: {**OWN[OLD], **PATCHED}}])),
        Scenario("delete, three", make.settled, ["delete", "notes", "a001", "b001", "a004"],
                 grow(SETTLED, [{("notes", name): None for name in ("a001", "b001", "a004")}])),
        Scenario("load, 3 transactions", make.settled, ["load", "--transaction-size", "10"],
                 grow(SETTLED, chunks(LOADED, 10)), stdin=lines(LOADED)),
        Scenario("import, 5 segments", make.arrived, ["import", "--once"],
                 mixed(waiting, ARRIVALS), imported=mixed(waiting, ARRIVALS)[-1]),
        Scenario("import, large", make.large, ["import", "--once"],
                 grow(SETTLED, [LARGE]), imported={**SETTLED, **LARGE}, sample={"pwrite64": 40}, errors=False),
        Scenario("import, in parts", make.parts, ["import", "--once"],
                 grow(SETTLED, [{key: value} for key, value in PARTS.items()]),
                 imported={**SETTLED, **PARTS}, sample={"pwrite64": 8}, errors=False),
        Scenario("import after a kill", make.cut_off, ["import", "--once"], stages_new[1:]),
        Scenario("compact, joining", make.gathered, ["compact"], [GATHERED], joins=True),
        Scenario("compact, removing", make.claimed, ["compact"], [CLAIMED], joins=True),
        Scenario("compact, dropping", make.ripe, ["compact"], [CLAIMED], joins=True),
        Scenario("import, heeding", make.reduced, ["import", "--once"], [CLAIMED], joins=True),
        publishing("no linkat", NO_LINKAT),
        publishing("no renameat2", NO_RENAMEAT2),
        publishing("no link", NO_LINK),
    ]

