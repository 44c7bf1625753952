"""What has to be there before anything is measured: the same transactions in everybody's form."""
import json
import os
import shutil

import packing
import workloads
from running import Failure, read_json

# More transactions than this are not written one a file.
MOST_SINGLE = 30_000


class Stage:
    """One workload, prepared; what is prepared stays for the next run in the same folder."""

    def __init__(self, tools, name, folder, workload=None):
        self.tools = tools
        self.name = name
        self.folder = os.path.join(folder, "stage-" + name)
        self.workload = workload or workloads.make(name, os.path.join(folder, "workloads"))
        self.meta = read_json(os.path.join(self.workload, "meta.json"))
        self.has_single = self.meta["txns"] <= MOST_SINGLE
        self.written = {}
        self.checked = set()
        os.makedirs(self.folder, exist_ok=True)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def once(self, name, make):
        """The folder that `make` fills; begun anew if that was interrupted."""
        path = self.path(name)
        if not os.path.exists(path + ".complete"):
            shutil.rmtree(path, ignore_errors=True)
            make(path)
            open(path + ".complete", "w").close()
        return path

    def bare(self):
        """The form that `limit` reads."""
        def make(path):
            os.makedirs(path)
            packing.write(self.workload, path, self.has_single)
        return self.once("bare", make)

    def container(self, kind, times=1):
        """A container with the devices' segments, and further ones beside it in `…-more`."""
        name = kind if times == 1 else "%s-%d" % (kind, times)

        def make(path):
            more = path + "-more"
            shutil.rmtree(more, ignore_errors=True)
            arguments = ["--more", more] if times == 1 else ["--times", times]
            result = self.tools.run(self.tools.simulate, "workload", self.workload, path,
                                    "--packing", kind, *arguments)
            with open(path + ".json", "w") as file:
                file.write(result["output"])
        path = self.once(name, make)
        self.written[name] = read_json(path + ".json")
        return path

    def compacted(self, times=1):
        """The folder once another device has looked after it: that takes the devices which wrote it
        for gone, joins their files, and drops what is dead of them."""
        name = "compacted-%d" % times

        def make(path):
            shutil.copytree(self.container("ranged", times), path)
            state = self.imported_state(path, name + "-state")

            def run(*arguments):
                return self.tools.run(self.tools.feedsync, *arguments, "--state", state)["output"]
            run("settings", "set", "grace", "0s")
            for line in run("devices", "list", "--format", "json").splitlines():
                device = json.loads(line)
                if not device["own"]:
                    run("devices", "retire", device["id"])
            before = None
            while before != folder_size(path):
                before = folder_size(path)
                run("compact")
            shutil.rmtree(state)
        return self.once(name, make)

    def more(self, kind="ranged"):
        """The files of the further transactions, in the order in which they can be applied."""
        self.container(kind)
        logs = os.path.join(self.path(kind + "-more"), "logs")
        files = [(name, stream) for stream in os.listdir(logs)
                 for name in os.listdir(os.path.join(logs, stream))]
        # Each stream's in its order, the streams by turns.
        order = {}
        for name, stream in sorted(files):
            place = sum(1 for other in order.values() if other[1] == stream)
            order[place, stream] = (name, stream)
        return [(os.path.join(logs, stream, name), os.path.join("logs", stream, name))
                for _, (name, stream) in sorted(order.items())]

    def peer(self, kind):
        def make(path):
            os.makedirs(path)
            self.tools.peer(kind, "make", self.workload, path, MOST_SINGLE)
        return self.once(kind, make)

    def fresh_state(self, container, name="state"):
        """A device that has joined and imported nothing."""
        state = self.path(name)
        shutil.rmtree(state, ignore_errors=True)
        self.tools.run(self.tools.feedsync, "init", container, "--join", "--state", state)
        return state

    def imported_state(self, container, name):
        state = self.fresh_state(container, name)
        self.tools.run(self.tools.feedsync, "import", "--once", "--state", state)
        return state

    def check_state(self, state, what):
        """Compares what a device shows with the workload's final state, once for each packing."""
        if what in self.checked:
            return
        self.checked.add(what)
        wanted = {}
        for document, field, value in read_json(os.path.join(self.workload, "final.json")):
            wanted.setdefault(document, {})[field] = value
        dump = self.tools.run(self.tools.feedsync, "dump", "--state", state)["output"]
        wrong = 0
        for line in dump.splitlines():
            row = json.loads(line)
            found = {key: int(value) if isinstance(value, bool) else value
                     for key, value in row["body"].items()}
            wrong += found != wanted.pop(row["id"], {})
        wrong += len(wanted)
        if wrong:
            raise Failure("%s, %s: %d documents differ from the workload's final state" % (
                self.name, what, wrong))


def folder_size(container):
    """How many files are under its `logs/`, and how many bytes."""
    sizes = [os.path.getsize(os.path.join(folder, name))
             for folder, _, names in os.walk(os.path.join(container, "logs")) for name in names]
    return len(sizes), sum(sizes)


def remove_database(path):
    for ending in ("", "-wal", "-shm"):
        if os.path.exists(path + ending):
            os.remove(path + ending)


def database_bytes(state):
    """The size of a device's database with what stands beside it."""
    return sum(os.path.getsize(os.path.join(folder, name))
               for folder, _, names in os.walk(state) for name in names
               if name.startswith("store.sqlite"))
