"""A disk that loses what was not synchronized: the strictest reading of fsync(2).

Bytes of a file survive up to its last fsync or fdatasync; names in a directory up to the last fsync
of that directory; fsync of a new file does not keep its name. Everything since then may be there, or
not, or in part, in any combination, until it is synchronized.

A synchronization that fails takes the pages it was about for written, as Linux does: what was in them is
there until power fails, and no later synchronization brings it to the disk, unless the page is
written to again.
"""

import hashlib
import os

SECTOR = 512
PAGE = 4096


class File:
    def __init__(self, content=b""):
        self.durable = bytes(content)
        self.current = bytearray(content)
        # ("write", offset, bytes) or ("truncate", length), since the last synchronization.
        self.pending = []
        self.has_lost = False

    def write(self, offset, data):
        _write(self.current, offset, data)
        self.pending.append(("write", offset, bytes(data)))

    def truncate(self, length):
        _truncate(self.current, length)
        self.pending.append(("truncate", length))

    def synchronize(self):
        content = bytearray(self.durable)
        for change in self.pending:
            if change[0] == "truncate":
                _truncate(content, change[1])
        _truncate(content, len(self.current))
        for change in self.pending:
            if change[0] == "write":
                start = change[1] // PAGE * PAGE
                end = min(-(-(change[1] + len(change[2])) // PAGE) * PAGE, len(self.current))
                content[start:end] = self.current[start:end]
        self.durable = bytes(content)
        self.pending = []

    def fail_to_synchronize(self):
        self.pending = []
        self.has_lost = True

    def image(self, choice):
        if self.has_lost and isinstance(choice, Everything):
            return bytes(self.current)
        content = bytearray(self.durable)
        for change in choice.order(self.pending):
            if change[0] == "truncate":
                _truncate(content, change[1])
            elif change[0] == "grow":
                _truncate(content, max(len(content), change[1]))
            else:
                _write(content, change[1], change[2])
        return bytes(content)


class Directory:
    def __init__(self):
        self.durable = {}
        self.current = {}
        # Lists of (name, node or None), each list all or nothing, since the last synchronization.
        self.pending = []

    def change(self, *names):
        for name, node in names:
            _bind(self.current, name, node)
        self.pending.append(names)

    def synchronize(self):
        self.durable = dict(self.current)
        self.pending = []

    def image(self, choice):
        entries = dict(self.durable)
        for names in choice.order(self.pending):
            for name, node in names:
                _bind(entries, name, node)
        return entries


def _bind(entries, name, node):
    if node is None:
        entries.pop(name, None)
    else:
        entries[name] = node


def _write(content, offset, data):
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset:offset + len(data)] = data


def _truncate(content, length):
    del content[length:]
    content.extend(bytes(length - len(content)))


# What of the changes since the last synchronization a loss of power leaves.


class Nothing:
    """The worst case: all of it is gone."""

    name = "nothing unsynchronized"

    @staticmethod
    def order(pending):
        del pending
        return []


class Everything:
    """As after a kill."""

    name = "everything"

    @staticmethod
    def order(pending):
        return pending


class OnlyNames:
    """Names are there and the bytes are not, as with delayed allocation."""

    name = "names only"

    @staticmethod
    def order(pending):
        return [change for change in pending if not isinstance(change[0], str)]


class OnlyBytes:
    """Bytes are there and the names are not."""

    name = "bytes only"

    @staticmethod
    def order(pending):
        return [change for change in pending if isinstance(change[0], str)]


class Some:
    """Each change is kept, dropped, cut, or leaves its length alone; or the first few are kept."""

    def __init__(self, generator):
        self.generator = generator
        self.name = "some of it"
        self.is_in_order = generator.random() < 0.3
        self.kept = generator.choice([0.2, 0.5, 0.8])

    def order(self, pending):
        if self.is_in_order:
            return pending[:self.generator.randint(0, len(pending))]
        found = []
        for change in pending:
            drawn = self.generator.random()
            if drawn < self.kept:
                found.append(change)
            elif change[0] == "write":
                found += self._damaged(change)
        return found

    def _damaged(self, change):
        _, offset, data = change
        kind = self.generator.choice(["dropped", "cut", "sector", "zero"])
        if kind == "cut":
            return [("write", offset, data[:self.generator.randint(0, len(data))])]
        if kind == "sector":
            cut = self.generator.randint(0, len(data) // SECTOR) * SECTOR
            # Either end may be the one that arrived.
            if self.generator.random() < 0.5:
                return [("write", offset, data[:cut])]
            return [("write", offset + cut, data[cut:])]
        if kind == "zero":
            # Grown, but never filled. Bytes that were there before are never lost so.
            return [("grow", offset + len(data))]
        return []


class Disk:
    """The tree under a path; all of what is there at first is durable."""

    def __init__(self, root):
        self.path = root
        self.root = self._load(root)

    def _load(self, path):
        node = Directory()
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                node.current[entry.name] = self._load(entry.path)
            else:
                with open(entry.path, "rb") as file:
                    node.current[entry.name] = File(file.read())
        node.durable = dict(node.current)
        return node

    def contains(self, path):
        return path == self.path or path.startswith(self.path + "/")

    def find(self, path):
        """What has a name now; None if nothing has."""
        node = self.root
        for name in path[len(self.path):].split("/"):
            if name and node is not None:
                node = node.current.get(name) if isinstance(node, Directory) else None
        return node

    def parent(self, path):
        directory, name = os.path.split(path)
        return self.find(directory), name

    def rename(self, old, new):
        source, old_name = self.parent(old)
        target, new_name = self.parent(new)
        node = source.current[old_name]
        if source is target:
            source.change((old_name, None), (new_name, node))
        else:
            target.change((new_name, node))
            source.change((old_name, None))

    def image(self, choice):
        """{path: bytes, or None for a directory} as it may be after the loss of power."""
        found = {}
        contents = {}

        def walk(directory, prefix):
            for name, node in sorted(directory.image(choice).items()):
                path = prefix + name
                if isinstance(node, Directory):
                    found[path] = None
                    walk(node, path + "/")
                elif not name.endswith("-shm"):
                    # One file under two names has one content.
                    if id(node) not in contents:
                        contents[id(node)] = node.image(choice)
                    found[path] = contents[id(node)]

        walk(self.root, "")
        return found


def digest(image):
    found = hashlib.sha256()
    for path, content in sorted(image.items()):
        found.update(path.encode() + (b"/" if content is None else b"=%d:" % len(content)))
        found.update(content or b"")
    return found.digest()


def materialise(image, root):
    os.makedirs(root)
    for path, content in sorted(image.items()):
        whole = os.path.join(root, path)
        if content is None:
            os.makedirs(whole, mode=0o700)
        else:
            with open(whole, "wb") as file:
                file.write(content)


def as_it_is(root):
    """The real tree, in the form of an image."""
    found = {}
    for directory, names, files in os.walk(root):
        for name in names:
            found[os.path.relpath(os.path.join(directory, name), root)] = None
        for name in files:
            if not name.endswith("-shm"):
                path = os.path.join(directory, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
    return found
