"""Two devices that write at the same time, and what must hold once both are idle.

The documents: each device loads as many, of which 30 % have ids that the other one uses too, with
different content. Then, without waiting for the other, it edits 20 % and deletes 20 %. What of
the outcome does not depend on who came first is checked document by document; that the rest is
the same on both devices, by comparing the dumps.
"""

import concurrent.futures
import hashlib
import json
import os
import time

from rig import Failure, expect, say, wait_until

COLLECTION = "notes"
LINE_LIMIT_S = 30


class Plan:
    """Which documents a device writes: `count` of them, a multiple of 50."""

    def __init__(self, count):
        expect(count > 0 and count % 50 == 0, "the number of documents must be a multiple of 50")
        part = count // 50
        self.count = count
        self.shared = range(15 * part)
        self.own = range(35 * part)
        # Edited by both devices, deleted by none: both edits must survive.
        self.patched = self.shared[:5 * part]
        self.put = self.shared[5 * part:7 * part]
        self.own_put = self.own[:3 * part]
        # The two ranges overlap, and one of them what is `put`.
        self.deleted = {"A": self.shared[6 * part:10 * part], "B": self.shared[8 * part:12 * part]}
        self.own_deleted = self.own[5 * part:11 * part]
        edits = len(self.patched) + len(self.put) + len(self.own_put)
        deletes = len(self.deleted["A"]) + len(self.own_deleted)
        assert edits == deletes == 10 * part

    def __str__(self):
        return (
            f"each device loads {self.count} documents, {len(self.shared)} with the ids of the "
            f"other's, then edits {self.count // 5} and deletes {self.count // 5}")


def shared_id(number):
    return f"shared-{number:04}"


def own_id(name, number):
    return f"own-{name.lower()}-{number:04}"


def body(name, number):
    return {
        "by": name, "number": number, "title": f"{name} writes no. {number}",
        "tags": [name, "loaded"], "place": {"page": number % 7, f"seen_by_{name.lower()}": True}}


def second_body(name, number):
    return {**body(name, number), "title": f"{name} writes no. {number} again", "edited": True}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def line(identifier, content):
    return compact({"body": content, "collection": COLLECTION, "id": identifier})


def write(device, plan):
    """What one device does, from the load to the last delete."""
    name = device.name
    lines = [line(shared_id(number), body(name, number)) for number in plan.shared]
    lines += [line(own_id(name, number), body(name, number)) for number in plan.own]
    device.run("load", "--transaction-size", "50", text="\n".join(lines) + "\n")
    for number in plan.patched:
        edit = {"title": f"{name} renames no. {number}", f"edited_by_{name.lower()}": number}
        device.run("patch", COLLECTION, shared_id(number), compact(edit))
    for number in plan.put:
        device.run("put", COLLECTION, shared_id(number), compact(second_body(name, number)))
    for number in plan.own_put:
        device.run("put", COLLECTION, own_id(name, number), compact(second_body(name, number)))
    # Some of the shared ones may be gone already, if the other's delete has arrived: exit 1.
    for ids, status in (
        ([shared_id(number) for number in plan.deleted[name]], (0, 1)),
        ([own_id(name, number) for number in plan.own_deleted], (0,)),
    ):
        for begin in range(0, len(ids), 10):
            device.run("delete", COLLECTION, *ids[begin:begin + 10], status=status)


def write_together(devices, plan):
    """Has both write at the same time; returns how long that took."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(len(devices)) as pool:
        for future in [pool.submit(write, device, plan) for device in devices]:
            future.result()
    return time.monotonic() - begin


# MARK: - Until both are idle

def unfinished(devices, syncer_is_idle):
    """Why the devices are not idle yet, or nothing: the syncer, unpublished or not imported."""
    if not syncer_is_idle():
        return "the syncer is busy"
    folders = [device.segments() for device in devices]
    for folder in folders[1:]:
        if folder != folders[0]:
            return f"the folders differ by {len(folders[0] ^ folder)} files"
    reports = [device.status() for device in devices]
    written = {}
    for device, report in zip(devices, reports):
        if report["unpublished"]:
            return f"{device.name} has {report['unpublished']} to publish"
        for known in report["devices"]:
            if known["own"]:
                written[known["id"]] = known["transactions"]
    for device, report in zip(devices, reports):
        known = {one["id"]: one["transactions"] for one in report["devices"]}
        if known != written:
            return f"{device.name} knows {known} transactions of {written}"
    return None


def wait_until_idle(devices, syncer_is_idle, timeout_s):
    reason = None

    def idle():
        nonlocal reason
        reason = unfinished(devices, syncer_is_idle)
        return reason is None
    try:
        wait_until("all devices idle", idle, timeout_s, interval_s=0.2)
    except Failure as failure:
        raise Failure(f"{failure}: {reason}") from None


# MARK: - What must hold then

def check_outcome(dump, plan):
    """Checks what does not depend on who came first."""
    documents = {}
    for text in dump.splitlines():
        document = json.loads(text)
        if document["collection"] == COLLECTION:
            documents[document["id"]] = document["body"]
    expected = {}
    for name in ("A", "B"):
        for number in plan.own:
            if number not in plan.own_deleted:
                content = second_body if number in plan.own_put else body
                expected[own_id(name, number)] = content(name, number)
    wrong = [one for one, content in expected.items() if documents.get(one) != content]
    expect(not wrong, f"{len(wrong)} documents that one device alone wrote differ: {wrong[:3]}")
    deleted = {name: set(numbers) for name, numbers in plan.deleted.items()}
    either = {shared_id(number) for number in deleted["A"] ^ deleted["B"]}
    surely = {shared_id(number) for number in set(plan.shared) - deleted["A"] - deleted["B"]}
    missing = (surely | expected.keys()) - documents.keys()
    surplus = documents.keys() - surely - either - expected.keys()
    expect(not missing, f"{len(missing)} documents are lost: {sorted(missing)[:3]}")
    expect(not surplus, f"{len(surplus)} documents should not be: {sorted(surplus)[:3]}")
    for number in plan.patched:
        content = documents[shared_id(number)]
        both = [content.get("edited_by_a"), content.get("edited_by_b")]
        expect(both == [number, number], f"an edit of {shared_id(number)} is lost: {content}")
    kept = len(either & documents.keys())
    return (
        f"{len(documents)} documents, as expected; of {len(either)} deleted by one device alone, "
        f"{kept} kept by what the other wrote")


def check_end(devices, watches, plan):
    """Compares the devices, and ends the watches."""
    dumps = [device.dump() for device in devices]
    sums = [hashlib.sha256(dump.encode()).hexdigest() for dump in dumps]
    for device, total in zip(devices, sums):
        say(f"dump of {device.name}: sha256 {total}")
    expect(sums[0] == sums[1], f"the dumps differ: {difference(*dumps)}")
    say(check_outcome(dumps[0], plan))
    reports = [device.status() for device in devices]
    conflicts = [report["conflicts"] for report in reports]
    say(f"conflicts: {conflicts[0]} on A, {conflicts[1]} on B")
    expect(conflicts[0] == conflicts[1], "the devices count different conflicts")
    expect(conflicts[0] > 0, "no conflict, though both edited the same members at the same time")
    for device, watch, report in zip(devices, watches, reports):
        expect(
            report["documents"] == len(dumps[0].splitlines()),
            f"status of {device.name} counts {report['documents']} documents")
        gaps = [one for one in report["devices"] if one["gap_since"]]
        expect(not gaps and not report["set_aside"], f"status of {device.name}: {report}")
        check_watch(watch, report)
    for device, watch in zip(devices, watches):
        found = device.json("import", "--once")
        left = {key: found[key] for key in ("segments", "gaps", "set_aside", "published")}
        expect(not any(left.values()), f"{device.name}: import --once still found {left}")
        watch.stop()
    say("import --once: exit 0, nothing left; watch: exit 0 on SIGTERM")


def check_watch(watch, report):
    """The lines of a watch must tell of all that its device has from the other one."""
    theirs = sum(one["transactions"] for one in report["devices"] if not one["own"])
    # A line comes after its commit, which is all that the status tells of.
    watch.wait_imported(theirs, LINE_LIMIT_S)
    counts = {kind: len(watch.events(kind)) for kind in ("import", "gap", "set_aside", "restored")}
    say(
        f"watch of {watch.device.name}: {theirs} transactions in {counts['import']} lines; "
        f"gap lines {counts['gap']}, set_aside {counts['set_aside']}")


def difference(first, second):
    lines = [set(dump.splitlines()) for dump in (first, second)]
    samples = [sorted(lines[0] - lines[1])[:1], sorted(lines[1] - lines[0])[:1]]
    return f"{len(lines[0] ^ lines[1])} lines, such as {samples}"


def check_no_copies(folders):
    """No syncer has kept a second version of anything."""
    found = [
        os.path.join(where, name) for folder in folders
        for where, directories, names in os.walk(folder) for name in directories + names
        if "sync-conflict" in name]
    expect(not found, f"{len(found)} conflict copies, such as {found[:3]}")
    say("no sync-conflict file")
