"""A device whose user reads with `nerdfeed`, and the feeds that the checks let it read."""

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

from rig import COMMAND_TIMEOUT_S, Device, expect, find_binary


def find_nerdfeed(rig):
    """Copies $NERDFEED, or the one beside feedsync, into the scratch folder."""
    named = os.environ.get("NERDFEED") or Path(find_binary()).with_name("nerdfeed")
    expect(os.access(named, os.X_OK), f"no nerdfeed binary ({named}): build it, or set NERDFEED")
    return shutil.copy(named, rig.root / "nerdfeed")


class Reader(Device):
    """A device with its own cache and settings, whose user reads with nerdfeed."""

    def __init__(self, rig, name, binary, folder=None):
        super().__init__(rig, name, folder or rig.root / "folder")
        self.nerdfeed = binary
        self.cache = rig.root / f"cache-{name}"
        self.config = rig.root / f"config-{name}"
        self.environment = {**rig.environment, "NERDFEED_CONFIG": str(self.config)}

    def command(self, *arguments):
        return [
            str(one) for one in (
                self.nerdfeed, *arguments, "--state", self.state, "--container", self.folder,
                "--cache", self.cache)]

    def nerd(self, *arguments, status=(0,)):
        done = subprocess.run(
            self.command(*arguments), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=self.environment, timeout=COMMAND_TIMEOUT_S)
        expect(
            done.returncode in status,
            f"{self.name}: nerdfeed {arguments}: exit {done.returncode}\n{done.stderr[-1000:]}")
        return done

    def lines(self, *arguments, status=(0,)):
        out = self.nerd(*arguments, "--format", "json", status=status).stdout
        return [json.loads(line) for line in out.splitlines()]

    def unread(self):
        return {item["title"] for item in self.lines("list", "--unread", "--all")}

    def item(self, title):
        found = [one for one in self.lines("list", "--all") if one["title"] == title]
        expect(len(found) == 1, f"{self.name}: {len(found)} items are called {title}")
        return found[0]["item"]

    def feed(self, title):
        found = [one for one in self.lines("feeds") if one["title"] == title]
        expect(len(found) == 1, f"{self.name}: {len(found)} feeds are called {title}")
        return found[0]


def two_readers(rig):
    """Two devices on one folder."""
    binary = find_nerdfeed(rig)
    ann, ben = (Reader(rig, name, binary) for name in ("ann", "ben"))
    ann.folder.mkdir()
    ann.init()
    ben.init("--join")
    return ann, ben


def meet(*readers):
    for reader in readers * 2:
        reader.nerd("sync")


def feed_text(title, items):
    """A feed of items, which are a link, a title, and a date if there is one."""
    text = "".join(
        f"<item><link>{escape(link)}</link><title>{escape(words)}</title>"
        + "".join(f"<pubDate>{date}</pubDate>" for date in dates) + "</item>"
        for link, words, *dates in items)
    return f"<rss version='2.0'><channel><title>{escape(title)}</title>{text}</channel></rss>"


def processor_ms(reader, *arguments):
    """The processor time of one command, as a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    reader.nerd(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
