"""Devices whose files are brought into a watched folder by hand, as a syncer would."""

import os
import shutil
import threading
import time

from rig import Device, expect

SUPPLIER_LIMIT_S = 300


class Supplier(Device):
    """A device that shares no folder with the watched one: its files are moved by hand."""

    def __init__(self, rig, name, marker, scratch):
        super().__init__(rig, name, scratch / f"folder-{name}", scratch / f"state-{name}")
        self.folder.mkdir()
        (self.folder / "logs").mkdir()
        shutil.copy(marker, self.folder)
        self.documents = 0
        expect(self.init("--join") == "joined", f"{name} did not join")

    def write(self, count):
        """Writes documents one by one: a segment file each."""
        for _ in range(count):
            self.documents += 1
            body = f'{{"by":"{self.name}","number":{self.documents},"title":"some words"}}'
            self.run("put", "items", f"{self.name}-{self.documents:06}", body)

    def stage(self, target):
        """Copies the files written since the last time into `target`, on the watched folder's
        file system; returns them in order."""
        directory = next((self.folder / "logs").iterdir())
        self.stream = directory.name
        target.mkdir(exist_ok=True)
        staged = []
        for path in sorted(directory.glob("*.log")):
            staged.append(target / path.name)
            shutil.copy(path, staged[-1])
            path.unlink()
        return staged


def write_together(suppliers, count):
    """Has each supplier write its share of `count` documents, all at the same time."""
    failures = []

    def work(supplier, share):
        try:
            supplier.write(share)
        except Exception as error:
            failures.append(error)
    share, extra = divmod(count, len(suppliers))
    threads = [
        threading.Thread(target=work, args=(supplier, share + (index < extra)), daemon=True)
        for index, supplier in enumerate(suppliers)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + SUPPLIER_LIMIT_S
    for thread in threads:
        thread.join(max(0, deadline - time.monotonic()))
        expect(not thread.is_alive(), f"{count} files were not written in {SUPPLIER_LIMIT_S} s")
    if failures:
        raise failures[0]


def move_in(paths, directory):
    for path in paths:
        os.rename(path, directory / path.name)
