"""Rows of what happens all the time: a little that is new, nothing that is new, one question.

Processes are counted from their start to their end. Each imports one file that was not there
before, by turns with the same in raw C.
"""
import os
import shutil
import time

from report import milliseconds
from running import Watch, median, percentile, ratio
from stage import remove_database


def processor(results):
    return milliseconds(median(results, "processor"))


class Live:
    """A device and a raw database that hold a workload, and a copy of its folder to add to."""

    def __init__(self, stage):
        self.stage, self.tools = stage, stage.tools
        container = stage.container("ranged")
        self.folder = stage.path("live")
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(container, self.folder)
        self.state = stage.imported_state(self.folder, "live-state")
        self.more = stage.more()
        bare = stage.bare()
        self.bare = sorted(os.path.join(bare, "more", name)
                           for name in os.listdir(os.path.join(bare, "more")))
        self.database = stage.path("live.sqlite")
        remove_database(self.database)
        self.tools.run(self.tools.limit, "fold", self.database, os.path.join(bare, "ranged"))
        self.ours, self.raw = [], []

    def place(self, number):
        """Lets a further file appear as a syncer does; when it did."""
        source, name = self.more[number]
        target = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        temporary = os.path.join(os.path.dirname(target), ".syncthing.%d.tmp" % number)
        shutil.copyfile(source, temporary)
        start = time.monotonic()
        os.rename(temporary, target)
        return start

    def import_one(self, number):
        tools = self.tools
        self.raw.append(tools.run(tools.limit, "one", self.database, self.bare[number]))
        self.place(number)
        result = tools.run(tools.feedsync, "import", "--once", "--state", self.state)
        if not result["output"].startswith("imported 1 segment"):
            raise AssertionError(result["output"])
        self.ours.append(result)


def report_one(large, small, table, count):
    for number in range(count):
        large.import_one(number)
        small.import_one(number)
    table.add("one more transaction into %s, whole process ÷ raw C's" % large.stage.name, 3,
              ratio(large.ours, large.raw), "%s against %s; of processor time %s against %s" % (
                  milliseconds(median(large.ours)), milliseconds(median(large.raw)),
                  processor(large.ours), processor(large.raw)))
    table.add("the same ÷ into %s" % small.stage.name, 1.3, ratio(large.ours, small.ours),
              "%s against %s; of processor time %s against %s" % (
                  milliseconds(median(large.ours)), milliseconds(median(small.ours)),
                  processor(large.ours), processor(small.ours)))


def report_peers(stage, peers, table, repetitions):
    for name in peers:
        place = stage.peer(name)
        if not os.path.exists(os.path.join(place, "state")):
            continue
        results = [stage.tools.peer(name, "one", place) for _ in range(repetitions)]
        table.say("  for comparison: one more transaction into %s by %s %s" % (
            stage.name, name, milliseconds(median(results))))


def report_nothing(many, few, table, count):
    """Two folders of one-transaction files, all imported; what the listing alone takes beside."""
    tools, places = many.tools, []
    for stage in (many, few):
        container = stage.container("single")
        places.append((stage, container, stage.imported_state(container, "idle-state"), [], []))
    for _ in range(count):
        for _, container, state, ours, lists in places:
            ours.append(tools.run(tools.feedsync, "import", "--once", "--state", state))
            lists.append(tools.run(tools.limit, "list", os.path.join(container, "logs")))
    (_, _, _, ours, lists), (_, _, _, fewer, shorter) = places
    table.add("nothing new and %d segments in the folder" % many.meta["txns"], 40,
              median(ours) * 1000, "of processor time %s; listing alone %s (%s); with %d segments "
              "%s (%s), listing alone %s" % (
                  processor(ours), milliseconds(median(lists)), processor(lists),
                  few.meta["txns"], milliseconds(median(fewer)), processor(fewer),
                  milliseconds(median(shorter))), unit=" ms")


def report_get(live, table, count):
    tools = live.tools
    with open(os.path.join(live.stage.workload, "final.json")) as file:
        text = file.read(4096)
    document = text[3:].split('"', 1)[0]
    ours, raw = [], []
    for _ in range(count):
        ours.append(tools.run(tools.feedsync, "get", "items", document, "--state", live.state))
        raw.append(tools.run(tools.limit, "get", live.database, document))
    table.add("get in the state of %s, whole process" % live.stage.name, 10,
              median(ours) * 1000, "of processor time %s; C %s (%s)" % (
                  processor(ours), milliseconds(median(raw)), processor(raw)), unit=" ms")


def report_watch(live, table, first, count, quiet_seconds):
    """A watch on what is there already; files come one by one, each after some quiet."""
    watch = Watch(live.tools, live.folder, live.state)
    times = []
    try:
        for number in range(first, min(first + count, len(live.more))):
            time.sleep(0.3)
            start = live.place(number)
            watch.until("import")
            times.append(time.monotonic() - start)
        what = "new file → line printed by watch, state of %s, " % live.stage.name
        detail = "%d files, from the rename to the line read" % len(times)
        table.add(what + "p50", 5, percentile(times, 0.5) * 1000, detail, unit=" ms")
        table.add(what + "p99", 30, percentile(times, 0.99) * 1000, detail, unit=" ms")
        time.sleep(3)
        woken = watch.wakeups_within(quiet_seconds)
        table.add("watch idle, memory", 30, watch.megabytes(),
                  "after %d imports" % len(times), unit=" MB")
        table.add("watch idle, wake-ups a second", 1.1, sum(woken.values()) / quiet_seconds,
                  "in %d s: %s" % (quiet_seconds, ", ".join(
                      "%s %d" % (name, count) for (_, name), count in sorted(woken.items()))
                      or "none"), unit="/s")
    finally:
        watch.end()
