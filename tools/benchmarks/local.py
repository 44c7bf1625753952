"""Rows of local writes: durable before they are acknowledged, on every side."""
import json
import os
import shutil
import tempfile

from report import took
from running import median, ratio


class Local:
    """A new container on the same disk, and everybody's writes to it by turns.

    Nothing is removed before the end: for minutes after a file was, some file systems look at each
    inode that was in use before they give one to a new file.
    """

    def __init__(self, tools, folder):
        self.tools = tools
        self.folder = os.path.join(folder, "local")
        os.makedirs(self.folder, exist_ok=True)
        self.runs = tempfile.mkdtemp(dir=self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def begin(self, name):
        """An empty folder for one run."""
        return tempfile.mkdtemp(prefix=name + "-", dir=self.runs)

    def device(self, name):
        path = self.begin(name)
        container, state = os.path.join(path, "folder"), os.path.join(path, "state")
        os.makedirs(container)
        self.tools.run(self.tools.feedsync, "init", container, "--state", state)
        return container, state

    def raw(self, count, with_files):
        path = self.begin("raw")
        folder = "-"
        if with_files:
            folder = os.path.join(path, "published")
            os.makedirs(folder)
        result = self.tools.run(
            self.tools.limit, "local", os.path.join(path, "cells.sqlite"), count, folder)
        return dict(result, **json.loads(result["output"]))

    def published(self, count):
        container, state = self.device("ours")
        result = self.tools.run(
            self.tools.simulate, "write", container, "--state", state, "--count", count)
        return dict(result, **json.loads(result["output"]))

    def loaded(self, path, size):
        _, state = self.device("ours")
        return self.tools.run(self.tools.feedsync, "load", path, "--transaction-size", size,
                              "--state", state)


def documents(path, count):
    with open(path, "w") as file:
        for number in range(count):
            file.write(json.dumps({
                "body": {"author": "an author", "isRead": True, "rating": number % 6,
                         "starred": False, "title":
                         "Some title of about sixty characters in length for the item"},
                "collection": "items", "id": "https://example.com/local/%d" % number}) + "\n")
    return path


def report(tools, folder, table, count, repetitions, peers):
    """Rates of transactions of five members, ÷ the raw one of the same repetition."""
    with Local(tools, folder) as local:
        _report(local, table, count, repetitions, peers)


def _report(local, table, count, repetitions, peers):
    lines = documents(os.path.join(local.folder, "documents.jsonl"), count)
    published, raw_published, loaded, raw = [], [], [], []
    of_peers = {name: [] for name in peers}
    for _ in range(repetitions):
        raw_published.append(local.raw(count, with_files=True))
        published.append(local.published(count))
        raw.append(local.raw(count, with_files=False))
        loaded.append(local.loaded(lines, 1))
        for name in peers:
            of_peers[name].append(local.tools.peer(name, "local", local.begin(name), count))

    def rate(results):
        return "%.0f/s" % (count / median(results))

    table.add("durable local transactions, each published before it is acknowledged", 0.8,
              ratio(raw_published, published), "%s against %s of raw SQLite + published file" % (
                  rate(published), rate(raw_published)), at_least=True)
    detail = "%s, process start and end included, against %s of raw SQLite" % (
        rate(loaded), rate(raw))
    for name, results in of_peers.items():
        detail += "; %s, appended and not queryable, %.2f×" % (name, ratio(raw, results))
    table.add("durable local transactions, published within 250 ms (load --transaction-size 1)",
              0.7, ratio(raw, loaded), detail, at_least=True)


def report_bulk(stage, folder, table, repetitions):
    """The final documents of a workload, a thousand a transaction on both sides."""
    bare = stage.bare()
    ours, raw = [], []
    with Local(stage.tools, folder) as local:
        for _ in range(repetitions):
            database = os.path.join(local.begin("raw"), "cells.sqlite")
            raw.append(local.tools.run(
                local.tools.limit, "inserts", database, os.path.join(bare, "documents"), 1000))
            ours.append(local.loaded(os.path.join(bare, "documents.jsonl"), 1000))
    table.add("bulk load of %s's %d final documents ÷ raw inserts" % (
        stage.name, stage.meta["docs"]), 1.5, ratio(ours, raw), "%s against %s, %s" % (
            took(median(ours)), took(median(raw)),
            "of processor time %.2f×; publishing included" % ratio(ours, raw, "processor")))
