"""A peer from PyPI at work, in the virtual environment that the benchmark makes.

    peer.py PEER make WORKLOAD FOLDER      what its devices would have written
    peer.py PEER import WORKLOAD FOLDER PACKING   reads all of it, saves; prints seconds, agreement
    peer.py PEER one FOLDER                one more transaction into what `import` saved
    peer.py PEER local FOLDER COUNT        durable transactions, appended to one file

Seconds are those of the work: to start Python and to load the library is not counted. Everything is
on disk at the end. Peers decide between concurrent writes by rules of their own, so that a few
final values differ. They keep one map of document and field, with no index over it.
"""
import json
import os
import struct
import sys
import time

SEPARATOR = "\x1f"


def write_durably(path, content):
    with open(path + ".new", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".new", path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def frame(update):
    return struct.pack("<I", len(update)) + update


def frames(content):
    place = 0
    while place < len(content):
        length, = struct.unpack_from("<I", content, place)
        yield content[place + 4:place + 4 + length]
        place += 4 + length


class Pycrdt:
    def __init__(self, number):
        import pycrdt
        self.library = pycrdt
        self.document = pycrdt.Doc(client_id=number + 1)
        self.map = self.document.get("items", type=pycrdt.Map)
        self.updates = []
        self.is_local = False
        self.subscription = self.document.observe(
            lambda event: self.updates.append(event.update) if self.is_local else None)

    def write(self, operations):
        self.is_local = True
        with self.document.transaction():
            for key, value in operations:
                if value is not None:
                    self.map[key] = value
                elif key in self.map:
                    del self.map[key]
        self.is_local = False
        update = self.updates.pop() if self.updates else None
        self.updates.clear()
        return update

    def segment(self, updates):
        return self.library.merge_updates(*updates)

    def receive(self, updates):
        with self.document.transaction():
            for update in updates:
                self.document.apply_update(update)

    def save(self):
        return self.document.get_update()

    def load(self, content):
        self.document.apply_update(content)

    def state(self):
        return self.map.to_py()

    def keys(self):
        return self.map.keys()


class Loro:
    def __init__(self, number):
        import loro
        self.library = loro
        self.document = loro.LoroDoc()
        self.document.peer_id = number + 1
        self.map = self.document.get_map("items")
        self.start = self.document.oplog_vv

    def write(self, operations):
        before = self.document.oplog_vv
        for key, value in operations:
            if value is not None:
                self.map.insert(key, value)
            elif self.map.get(key) is not None:
                self.map.delete(key)
        self.document.commit()
        return self.document.export(self.library.ExportMode.Updates(before))

    def segment(self, updates):
        return self.document.export(self.library.ExportMode.Updates(self.start))

    def receive(self, updates):
        if updates:
            self.document.import_batch(updates)
        self.start = self.document.oplog_vv

    def save(self):
        return self.document.export(self.library.ExportMode.Snapshot())

    def load(self, content):
        self.document.import_(content)

    def state(self):
        return self.map.get_value()

    def keys(self):
        return self.state().keys()


PEERS = {"pycrdt": Pycrdt, "loro": Loro}


def operations_of(transaction, device):
    for document, field, value in transaction["ops"]:
        if field is not None:
            yield document + SEPARATOR + field, value
        else:
            for key in [key for key in device.keys() if key.startswith(document + SEPARATOR)]:
                yield key, None


def make(kind, workload, folder, with_single):
    devices, written = {}, {}

    def end_round(number):
        segments = {}
        for device, updates in written.items():
            segments[device] = devices[device].segment(updates)
            with open(os.path.join(folder, "ranged", "%06d-%d" % (number, device)), "wb") as file:
                file.write(frame(segments[device]))
        for device in devices:
            devices[device].receive([segments[other] for other in segments if other != device])
        written.clear()

    for name in ("ranged", "single", "more"):
        os.makedirs(os.path.join(folder, name))
    open_round, transaction = 0, {}
    with open(os.path.join(workload, "meta.json")) as file:
        with_single = json.load(file)["txns"] <= with_single
    for source, target in (("txns", "single"), ("incr", "more")):
        for number, line in enumerate(open(os.path.join(workload, source + ".jsonl"))):
            transaction = json.loads(line)
            if transaction["r"] != open_round:
                end_round(open_round)
                open_round = transaction["r"]
            for device in {transaction["d"], *range(3)} - set(devices):
                devices[device] = PEERS[kind](device)
            device = devices[transaction["d"]]
            update = device.write(operations_of(transaction, device))
            if not update:
                continue
            written.setdefault(transaction["d"], []).append(update)
            if target == "more" or with_single:
                with open(os.path.join(folder, target, "%08d" % number), "wb") as file:
                    file.write(frame(update))
        if target == "single":
            end_round(open_round)
    return {}


def import_all(kind, workload, folder, packing):
    device = PEERS[kind](99)
    start = time.monotonic()
    updates = []
    for name in sorted(os.listdir(os.path.join(folder, packing))):
        with open(os.path.join(folder, packing, name), "rb") as file:
            updates += frames(file.read())
    device.receive(updates)
    write_durably(os.path.join(folder, "state"), device.save())
    seconds = time.monotonic() - start
    with open(os.path.join(workload, "final.json")) as file:
        final = json.load(file)
    state = device.state()
    # A boolean is equal to 1 or 0 here, as it is in the workload.
    right = sum(state.get(document + SEPARATOR + field) == value
                for document, field, value in final)
    return {"seconds": seconds, "agreement": right / len(final)}


def import_one(kind, folder):
    with open(os.path.join(folder, "more", sorted(os.listdir(folder + "/more"))[0]), "rb") as file:
        update = list(frames(file.read()))
    device = PEERS[kind](99)
    start = time.monotonic()
    with open(os.path.join(folder, "state"), "rb") as file:
        device.load(file.read())
    device.receive(update)
    with open(os.path.join(folder, "appended"), "ab") as file:
        file.write(frame(update[0]))
        file.flush()
        os.fsync(file.fileno())
    return {"seconds": time.monotonic() - start}


def write_locally(kind, folder, count):
    device = PEERS[kind](1)
    start = time.monotonic()
    with open(os.path.join(folder, "local"), "wb") as file:
        for number in range(count):
            document = "https://example.com/local/%d" % number + SEPARATOR
            update = device.write([
                (document + "author", "an author"), (document + "isRead", True),
                (document + "rating", number % 6), (document + "starred", False),
                (document + "title",
                 "Some title of about sixty characters in length for the item")])
            file.write(frame(update))
            file.flush()
            os.fdatasync(file.fileno())
    return {"transactions": count, "seconds": time.monotonic() - start}


def main():
    kind, command, *rest = sys.argv[1:]
    if command == "make":
        result = make(kind, rest[0], rest[1], int(rest[2]))
    elif command == "import":
        result = import_all(kind, *rest)
    elif command == "one":
        result = import_one(kind, *rest)
    else:
        result = write_locally(kind, rest[0], int(rest[1]))
    print(json.dumps(result), flush=True)
    # To take a large document apart takes seconds, and is no part of anything.
    os._exit(0)


main()
