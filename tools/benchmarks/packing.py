"""Writes a workload as the files that `limit` reads: a bare form of the same transactions."""
import json
import os
import struct

REMOVED = b"\x03"


class Fields:
    """Numbers for the names of fields, and which of them a document ever had."""

    def __init__(self):
        self.numbers = {}
        self.of_document = {}

    def number(self, name):
        return self.numbers.setdefault(name, len(self.numbers))


def value_bytes(value):
    if value is None:
        return REMOVED
    if isinstance(value, str):
        text = value.encode()
        return struct.pack("<BI", 1, len(text)) + text
    if isinstance(value, float):
        return struct.pack("<Bd", 2, value)
    return struct.pack("<Bq", 0, int(value))


def operation_bytes(document, field, value):
    identifier = document.encode()
    return (struct.pack("<H", len(identifier)) + identifier + struct.pack("<H", field)
            + value_bytes(value))


def record(transaction, fields):
    """A transaction; deleting a document takes away each field that it ever had."""
    parts = []
    for document, field, value in transaction["ops"]:
        known = fields.of_document.setdefault(document, set())
        if field is None:
            parts += [operation_bytes(document, number, None) for number in sorted(known)]
            continue
        number = fields.number(field)
        known.add(number)
        parts.append(operation_bytes(document, number, value))
    return struct.pack("<QH", transaction["t"] << 8 | transaction["d"], len(parts)) + b"".join(parts)


def write(workload, folder, with_single):
    """`ranged/` has a file for each device and round, `single/` one for each transaction, `more/`
    one for each further transaction; `documents` the final state, a record a document."""
    for name in ("ranged", "more") + (("single",) if with_single else ()):
        os.makedirs(os.path.join(folder, name))
    fields, open_round, parts = Fields(), 0, {}

    def end_round():
        for device, records in parts.items():
            path = os.path.join(folder, "ranged", "%06d-%d" % (open_round, device))
            with open(path, "wb") as file:
                file.write(b"".join(records))
        parts.clear()

    with open(os.path.join(workload, "txns.jsonl")) as lines:
        for number, line in enumerate(lines):
            transaction = json.loads(line)
            if transaction["r"] != open_round:
                end_round()
                open_round = transaction["r"]
            made = record(transaction, fields)
            parts.setdefault(transaction["d"], []).append(made)
            if with_single:
                with open(os.path.join(folder, "single", "%08d" % number), "wb") as file:
                    file.write(made)
    end_round()
    with open(os.path.join(workload, "incr.jsonl")) as lines:
        for number, line in enumerate(lines):
            with open(os.path.join(folder, "more", "%06d" % number), "wb") as file:
                file.write(record(json.loads(line), fields))
    write_documents(workload, folder, fields)
    with open(os.path.join(folder, "fields.json"), "w") as file:
        json.dump(sorted(fields.numbers, key=fields.numbers.get), file)


def write_documents(workload, folder, fields):
    """The final documents: for `limit inserts`, and as lines for `feedsync load`."""
    with open(os.path.join(workload, "final.json")) as file:
        cells = json.load(file)
    documents = {}
    for document, field, value in cells:
        documents.setdefault(document, {})[field] = value
    with open(os.path.join(folder, "documents"), "wb") as bare, \
            open(os.path.join(folder, "documents.jsonl"), "w") as lines:
        for document, body in documents.items():
            bare.write(struct.pack("<QH", 1, len(body)) + b"".join(
                operation_bytes(document, fields.number(field), value)
                for field, value in body.items()))
            lines.write(json.dumps({"body": body, "collection": "items", "id": document},
                                   ensure_ascii=False) + "\n")
