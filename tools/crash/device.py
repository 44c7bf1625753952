"""Runs feedsync as a user would, with nothing in its environment but what the test gives it."""

import glob
import json
import os
import signal
import sqlite3
import subprocess
import sys

TIMEOUT_SECONDS = 60


class Failure(Exception):
    """Something that feedsync promises did not hold."""


class Unusable(Exception):
    """The check itself could not do its work, so it says nothing about feedsync."""


def find_binary():
    """$FEEDSYNC, else the project's release build, else its debug build."""
    project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    given = os.environ.get("FEEDSYNC")
    places = [given] if given else [
        os.path.join(project, ".build", kind, "feedsync") for kind in ("release", "debug")]
    for place in places:
        if os.access(place, os.X_OK):
            return os.path.abspath(place)
    sys.exit("no feedsync at " + " or ".join(places) + "; run tools/build, or set FEEDSYNC")


class Result:
    """How a process ended; a negative status is the signal that ended it."""

    def __init__(self, arguments, status, output, errors):
        self.arguments = arguments
        self.status = status
        self.output = output
        self.errors = errors

    def __str__(self):
        text = self.errors.decode("utf-8", "replace").strip()[-400:]
        return "%s: exit %d%s" % (" ".join(self.arguments)[:200], self.status,
                                  ": " + text if text else "")


def run(arguments, home, stdin=b"", timeout=TIMEOUT_SECONDS):
    """Runs a program in a session of its own and never waits for ever."""
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": home}
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment, start_new_session=True)
    try:
        output, errors = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failure("no end after %d s: %s" % (timeout, " ".join(arguments)))
    return Result([os.path.basename(arguments[0])] + arguments[1:], process.returncode,
                  output, errors)


def settle(root, original):
    """Has the devices under `root`, a copy of `original`, work in the copied folder.

    Else they would take it for what it is, a copy of the folder that they work in.
    """
    for file in glob.glob(os.path.join(glob.escape(root), "*", "*", "store.sqlite")):
        database = sqlite3.connect(file, isolation_level=None)
        database.execute(
            "UPDATE device SET path = CAST(replace(CAST(path AS TEXT), ?, ?) AS BLOB)",
            (original, root))
        database.close()


class Device:
    """One (state, container) pair under `root`: `root/<state>` and `root/folder`."""

    def __init__(self, binary, root, state="state"):
        self.binary = binary
        self.root = root
        self.state = os.path.join(root, state)
        self.folder = os.path.join(root, "folder")

    def command(self, arguments):
        """The whole command line; `init` names the folder itself."""
        line = [self.binary] + list(arguments) + ["--state", self.state]
        if arguments[0] == "init":
            return line[:2] + [self.folder] + line[2:]
        return line + ["--container", self.folder]

    def run(self, *arguments, stdin=b"", accept=(0,)):
        result = run(self.command(arguments), self.root, stdin)
        if result.status not in accept:
            raise Failure("wanted exit %s of %s" % ("/".join(map(str, accept)), result))
        return result

    def dump(self):
        return self.run("dump").output.decode("utf-8")

    def databases(self):
        """The database files in the state, one for each container."""
        if not os.path.isdir(self.state):
            return []
        found = [os.path.join(self.state, name, "store.sqlite")
                 for name in sorted(os.listdir(self.state))]
        return [path for path in found if os.path.exists(path)]

    def segments(self):
        """The files that stand under a segment's name."""
        found = []
        for directory, _, names in os.walk(os.path.join(self.folder, "logs")):
            found += [os.path.join(directory, name) for name in names if name.endswith(".log")]
        return sorted(found)


def canonical(documents):
    """What `dump` must print for {(collection, id): body}; ASCII, no doubles."""
    lines = []
    for (collection, identifier), body in sorted(documents.items()):
        line = {"body": body, "collection": collection, "id": identifier}
        lines.append(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n")
    return "".join(lines)
