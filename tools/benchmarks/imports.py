"""Rows of importing: a whole folder into a fresh device.

Each is a process of its own, from its start to its end, into a database that `init` has made (not
counted) or into none; `limit fold` ends with a checkpoint, and so does nobody's state lie in memory
alone. The files have been read once before, so they come from the page cache.
"""
import os
import shutil

from report import took
from running import median, ratio
from stage import database_bytes, folder_size, remove_database


def read_once(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            with open(os.path.join(place, name), "rb") as file:
                file.read()


class Import:
    """One workload in one packing, imported by everybody in turn."""

    def __init__(self, stage, packing, peers=()):
        self.stage, self.packing, self.peers = stage, packing, peers
        self.ours, self.raw, self.upsert = [], [], []
        self.of_peers = {name: [] for name in peers}
        self.bytes = self.raw_bytes = 0

    def run(self, repetitions):
        stage, tools = self.stage, self.stage.tools
        container = stage.container(self.packing)
        bare = os.path.join(stage.bare(), self.packing)
        places = {name: stage.peer(name) for name in self.peers}
        read_once(os.path.join(container, "logs"))
        read_once(bare)
        database = stage.path("limit.sqlite")
        for _ in range(repetitions):
            remove_database(database)
            self.raw.append(tools.run(tools.limit, "fold", database, bare))
            self.raw_bytes = os.path.getsize(database)
            state = stage.fresh_state(container)
            self.ours.append(tools.run(tools.feedsync, "import", "--once", "--state", state))
            self.bytes = database_bytes(state)
            stage.check_state(state, self.packing)
            for name, place in places.items():
                self.of_peers[name].append(
                    tools.peer(name, "import", stage.workload, place, self.packing))
        remove_database(database)
        tools.run(tools.limit, "upsert", database, bare)
        return self

    @property
    def detail(self):
        text = "%s against %s; of processor time %.2f×" % (
            took(median(self.ours)), took(median(self.raw)),
            ratio(self.ours, self.raw, "processor"))
        for name, results in self.of_peers.items():
            text += "; %s %.2f× (%.1f %% of its final values agree)" % (
                name, ratio(results, self.raw), 100 * results[0]["agreement"])
        return text

    def report(self, table, target):
        table.add("import of %s (%d operations), %s" % (
            self.stage.name, self.stage.meta["ops"],
            "ranged segments" if self.packing == "ranged" else
            "%d one-transaction files" % self.stage.meta["txns"]),
            target, ratio(self.ours, self.raw), self.detail)

    def report_sizes(self, table):
        table.add("local database of %s ÷ raw cells' database" % self.stage.name, 1.2,
                  self.bytes / self.raw_bytes,
                  "%.1f MB against %.1f MB" % (self.bytes / 1e6, self.raw_bytes / 1e6))


def report_folder(stage, table):
    """Bytes in the folder for each operation of the workload."""
    for packing, target in (("ranged", 25), ("single", 60)):
        if packing == "single" and not stage.has_single:
            continue
        stage.container(packing)
        written = stage.written[packing]
        table.add("bytes in the folder per operation of %s, %s" % (
            stage.name, "ranged" if packing == "ranged" else "one transaction a file"),
            target, written["bytes"] / written["operations"],
            "%.2f MB in %d files" % (written["bytes"] / 1e6, written["files"]), unit=" B")


def report_memory(imported, table):
    table.add("peak memory importing %s" % imported.stage.name, 100,
              median(imported.ours, "megabytes"),
              "raw fold %.0f MB" % median(imported.raw, "megabytes"), unit=" MB")


def report_history(stage, table, times, repetitions):
    """The same live state after more history, in the folder as the devices wrote it, and in one
    whose files another device has looked after, as their devices do in time."""
    folders = {
        "once": stage.container("ranged"), "many": stage.container("ranged", times),
        "once, compacted": stage.compacted(), "many, compacted": stage.compacted(times)}
    results = {name: [] for name in folders}
    for folder in folders.values():
        read_once(os.path.join(folder, "logs"))
    for _ in range(repetitions):
        for name, folder in folders.items():
            state = stage.fresh_state(folder, "state-history")
            results[name].append(
                stage.tools.run(stage.tools.feedsync, "import", "--once", "--state", state))
            stage.check_state(state, "ranged, " + name)
            shutil.rmtree(state)
    for ending, what in (("", "as the devices wrote it"), (", compacted", "compacted")):
        short, long_ = results["once" + ending], results["many" + ending]
        table.add("peak memory importing %s %d times over, %s" % (stage.name, times, what), 100,
                  median(long_, "megabytes"), "once over %.0f MB" % median(short, "megabytes"),
                  unit=" MB")
        files, size = folder_size(folders["many" + ending])
        table.add("new device after %d × %s with the same live state ÷ after %s, %s" % (
            times, stage.name, stage.name, what), 1.3, ratio(long_, short),
            "%s against %s; %.1f MB in %d files against %.1f MB" % (
                took(median(long_)), took(median(short)), size / 1e6, files,
                folder_size(folders["once" + ending])[1] / 1e6))


