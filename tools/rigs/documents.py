"""A program that has a document file open (Tests/DocumentPeer), as a user's programs have."""

import os
import subprocess

from rig import PROJECT, expect, say

CLOSED = "closed"


def peer_binary():
    path = os.environ.get("DOCUMENT_PEER") or PROJECT / ".build/release/DocumentPeer"
    if not os.access(path, os.X_OK):
        say("building DocumentPeer")
        subprocess.run(
            [PROJECT / "tools/build", "DocumentPeer"], check=True, stdout=subprocess.DEVNULL)
    return str(path)


class OpenDocument:
    """A `DocumentFile` that is open in a process of its own, on one device."""

    def __init__(self, device, name):
        self.device = device
        container = device.status()["container"]["id"]
        self.process = subprocess.Popen(
            [peer_binary(), device.state, device.folder / "Documents",
             device.state / "versions" / container, name],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=device.rig.environment)
        device.rig.at_end(lambda: (self.process.kill(), self.process.wait()))
        self._hear("open")

    def _hear(self, wanted=None):
        said = self.process.stdout.readline().rstrip("\n")
        expect(
            said and wanted in (None, said),
            f"the open document of {self.device.name} says '{said}', not '{wanted}'")
        return said

    def ask(self, words, wanted="done"):
        print(words, file=self.process.stdin, flush=True)
        return self._hear(wanted)

    def shown(self):
        """Its state, whether edits are unsaved, and its contents, as its user sees them now."""
        state, unsaved, text = self.ask("show", wanted=None).split(" ", 2)
        return state, unsaved == "unsaved", text

    def close(self):
        self.process.stdin.close()
        self._hear(CLOSED)
        expect(self.process.wait(timeout=60) == 0, "the open document ended otherwise")
