"""Workloads: what several devices write, round by round, and the state that all must end in.

A workload is a folder: `txns.jsonl` has a transaction a line, `{"d":device,"t":clock,"r":round,
"ops":[[document,field,value],…]}` with clock = milliseconds × 4096 + counter, strictly increasing.
Devices exchange everything between rounds, and know nothing of one another inside one. A value of
null takes the field away, a field of null deletes the document. `final.json` lists the [document,
field, value] that remain (true and false as 1 and 0), `incr.jsonl` has further small transactions,
`meta.json` the numbers.
"""
import bisect
import hashlib
import json
import os
import random

WORDS = ("swift sync store feed reader cloud merge index update local device folder clock field set "
         "value counter sqlite file import note today news world release guide open source").split()
FURTHER = 200
# What a fields' weights decide: how often a feed reader writes them.
READER = {"isRead": 35, "title": 15, "starred": 15, "rating": 10, "author": 5, "readAt": 20}


class Shape:
    """What a workload is made of."""

    def __init__(self, operations, devices=3, fields=None, deletes=0.0, id_bytes=None, seed=1,
                 is_marks=False, operations_per_document=5):
        self.operations = operations
        self.devices = devices
        self.fields = fields or READER
        self.deletes = deletes
        self.id_bytes = id_bytes
        self.seed = seed
        self.is_marks = is_marks
        self.operations_per_document = operations_per_document


SHAPES = {
    "S": Shape(10_000),
    "M": Shape(100_000),
    "L": Shape(1_000_000),
    "RM": Shape(100_000, is_marks=True),
    "RM-S": Shape(10_000, is_marks=True),
    "files-10k": Shape(50_000, seed=3),
    "files-1k": Shape(5_000, seed=3),
    "other": Shape(300_000, devices=9, fields={"field%02d" % i: 1 + i % 4 for i in range(40)},
                   deletes=0.3, id_bytes=12, seed=7, operations_per_document=80),
    "other-S": Shape(30_000, devices=9, fields={"field%02d" % i: 1 + i % 4 for i in range(40)},
                     deletes=0.3, id_bytes=12, seed=7, operations_per_document=80),
}


class Documents:
    """What is there of each field, as the protocol's rules have it: a write or removal covers what
    its author had seen; of what nothing covers, the latest is shown."""

    def __init__(self):
        self.values = {}
        self.owners = {}

    @staticmethod
    def is_seen(entry, device, round_number):
        return entry[1] == device or entry[2] < round_number

    def shown_to(self, document, device, round_number):
        return [field for field, entries in self.values.get(document, {}).items()
                if any(self.is_seen(entry, device, round_number) for entry in entries)]

    def write(self, document, field, value, device, round_number, keeps_all):
        fields = self.values.setdefault(document, {})
        # Without removals the latest is shown, whatever had been seen.
        rest = [] if not keeps_all else [
            entry for entry in fields.get(field, ())
            if not self.is_seen(entry, device, round_number)]
        if value is not None:
            rest.append((value, device, round_number))
        fields[field] = rest

    def may_touch(self, document, device, round_number):
        owner = self.owners.get(document)
        return owner is None or owner[0] < round_number or owner[1] in (device, None)

    def touch(self, document, device, round_number, is_deletion=False):
        """Notes who writes a document in a round; of a deletion others keep away until it ends."""
        number, owner, alone = self.owners.get(document, (-1, None, False))
        if is_deletion:
            self.owners[document] = (round_number, device, True)
        elif number < round_number:
            self.owners[document] = (round_number, None, device)
        elif owner is None and alone != device:
            self.owners[document] = (round_number, None, "several")

    def is_alone(self, document, device, round_number):
        number, owner, alone = self.owners.get(document, (-1, None, device))
        return number < round_number or owner == device or alone == device

    def final(self):
        return sorted(
            [document, field, int(entries[-1][0]) if isinstance(entries[-1][0], bool)
             else entries[-1][0]]
            for document, fields in self.values.items()
            for field, entries in fields.items() if entries)


class Generator:
    """Makes a workload; the same shape gives the same one."""

    def __init__(self, shape):
        self.shape = shape
        self.random = random.Random(shape.seed)
        self.documents = Documents()
        self.milliseconds, self.counter = 1_700_000_000_000, 0
        self.operations = self.transactions = 0
        count = max(50, shape.operations // shape.operations_per_document)
        self.order = list(range(count))
        self.random.shuffle(self.order)
        total, self.weights = 0.0, []
        for place in range(count):
            total += (place + 1) ** -0.9
            self.weights.append(total)
        self.ids = {}
        self.names = list(shape.fields)
        self.totals, sum_ = [], 0
        for weight in shape.fields.values():
            sum_ += weight
            self.totals.append(sum_)

    def document(self):
        place = bisect.bisect_left(self.weights, self.random.random() * self.weights[-1])
        return self.id_of(self.order[place])

    def id_of(self, number):
        if number in self.ids:
            return self.ids[number]
        digest = hashlib.sha256(b"%d.%d" % (self.shape.seed, number)).hexdigest()
        if self.shape.id_bytes:
            made = digest[:self.shape.id_bytes]
        else:
            choice = int(digest, 16)
            words = "-".join(WORDS[(choice >> 7 * i) % len(WORDS)] for i in range(3))
            made = "https://www.feed-%03d.example.com/posts/20%02d/%02d/%02d/%s-%s" % (
                choice % 997, 10 + number % 16, 1 + number % 12, 1 + number % 28, words, digest[:10])
        self.ids[number] = made
        return made

    def clock(self):
        step = self.random.choice((0, 0, 1, 7, 40, 900))
        self.milliseconds, self.counter = (
            (self.milliseconds + step, 0) if step else (self.milliseconds, self.counter + 1))
        return self.milliseconds << 12 | self.counter

    def value(self, field):
        chance = self.random.random
        kind = field if field in READER else list(READER)[int(field[-2:]) % len(READER)]
        if kind in ("isRead", "starred"):
            return chance() < (0.8 if kind == "isRead" else 0.2)
        if kind == "rating":
            return int(chance() * 6)
        if kind == "readAt":
            return self.milliseconds + int(chance() * 100_000)
        words = self.random.choices(WORDS, k=2 if kind == "author" else 10)
        return " ".join(words).capitalize()

    def edit(self, document, device, round_number, seen):
        """An operation on a document; None where it had one on that field in the transaction."""
        if self.shape.deletes and self.random.random() < self.shape.deletes:
            shown = self.documents.shown_to(document, device, round_number)
            if shown and self.random.random() < 0.05 and self.documents.is_alone(
                    document, device, round_number) and not any(d == document for d, _ in seen):
                self.documents.touch(document, device, round_number, is_deletion=True)
                self.documents.values[document] = {}
                seen.update((document, name) for name in self.names)
                return [document, None, None]
            shown = [field for field in shown if (document, field) not in seen]
            if not shown:
                return None
            field, value = self.random.choice(shown), None
        else:
            place = bisect.bisect_right(self.totals, self.random.random() * self.totals[-1])
            field = self.names[place]
            if (document, field) in seen:
                return None
            value = self.value(field)
        seen.add((document, field))
        if self.shape.deletes:
            self.documents.touch(document, device, round_number)
        self.documents.write(
            document, field, value, device, round_number, self.shape.deletes > 0)
        return [document, field, value]

    def transaction(self, device, round_number):
        clock = self.clock()
        if self.shape.is_marks:
            name = "mark-" + hashlib.sha256(b"%d" % self.operations).hexdigest()[:20]
            operations = [[name, "link", self.id_of(self.operations)]]
            self.documents.write(name, "link", operations[0][2], device, round_number, False)
        else:
            operations, seen, document = [], set(), None
            wanted = self.random.choice((1, 2, 3, 5, 8, 11))
            while len(operations) < wanted:
                if document is None or self.random.random() > 0.6:
                    document = self.document()
                if self.documents.may_touch(document, device, round_number):
                    made = self.edit(document, device, round_number, seen)
                    if made:
                        operations.append(made)
                        continue
                document = None
        self.operations += len(operations)
        self.transactions += 1
        return json.dumps({"d": device, "t": clock, "r": round_number, "ops": operations},
                          separators=(",", ":")) + "\n"

    def write(self, folder):
        devices = self.shape.devices
        expected = self.shape.operations // (1 if self.shape.is_marks else 5)
        length = max(10, min(1000, expected // devices // 10))
        round_number = 0
        with open(os.path.join(folder, "txns.jsonl"), "w") as file:
            while self.operations < self.shape.operations:
                order = [device for device in range(devices) for _ in range(length)]
                self.random.shuffle(order)
                for device in order:
                    file.write(self.transaction(device, round_number))
                    if self.operations >= self.shape.operations:
                        break
                round_number += 1
        operations, transactions = self.operations, self.transactions
        final = self.documents.final()
        with open(os.path.join(folder, "final.json"), "w") as file:
            json.dump(final, file)
        with open(os.path.join(folder, "incr.jsonl"), "w") as file:
            for number in range(FURTHER):
                self.milliseconds += 1000
                file.write(self.transaction(number % devices, round_number))
        with open(os.path.join(folder, "meta.json"), "w") as file:
            json.dump({"ops": operations, "txns": transactions, "rounds": round_number,
                       "docs": len({document for document, _, _ in final}),
                       "cells": len(final)}, file)


def make(name, folder):
    """The folder of a workload, which is made if it is not there."""
    path = os.path.join(folder, name)
    if not os.path.exists(os.path.join(path, "meta.json")):
        os.makedirs(path, exist_ok=True)
        Generator(SHAPES[name]).write(path)
    return path
