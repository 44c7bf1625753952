"""Coordinated accesses that nobody contends for, and what an answer of another process takes at all."""

import os
import socket
import statistics
import subprocess
import time

OWN_LIMIT_US = 30
OTHER_LIMIT_US = 100


def answer_us(count=2000):
    """The median time until a process on a Unix socket, which waits for that, has answered."""
    here, there = socket.socketpair()
    child = os.fork()
    if child == 0:
        here.close()
        while piece := there.recv(256):
            there.send(piece)
        os._exit(0)
    there.close()
    message = bytes(200)
    times = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        here.send(message)
        here.recv(256)
        times.append(time.perf_counter_ns() - begin)
    here.close()
    os.waitpid(child, 0)
    return statistics.median(times) / 1000


class Accesses:
    """Processes of CoordinationPeer that write a file that nobody else wants."""

    def __init__(self, peer, folder, environment=None):
        self.peer = peer
        self.folder = folder
        self.state = os.path.join(folder, "state")
        self.environment = environment
        os.makedirs(self.state, mode=0o700, exist_ok=True)

    def _start(self, command, *words):
        return subprocess.Popen(
            [self.peer, command, self.state, *map(str, words)], text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=self.environment)

    def _median_us(self, count):
        process = self._start("measure", os.path.join(self.folder, "file"), count)
        output, _ = process.communicate(timeout=120)
        if process.returncode != 0:
            raise RuntimeError("CoordinationPeer measure: %s" % output)
        return int(output.split()[0]) / 1000

    def measure(self, count, rounds=3):
        """Three medians in microseconds, each of `rounds` by turns: an access in the process that
        keeps the queue, one from another, and an answer of another process by itself."""
        own, other, answers = [], [], []
        for _ in range(rounds):
            own.append(self._median_us(count))
            keeper = self._start("hold", "read", os.path.join(self.folder, "another"))
            keeper.stdout.readline()
            other.append(self._median_us(count))
            keeper.communicate(timeout=60)
            answers.append(answer_us())
        return tuple(statistics.median(each) for each in (own, other, answers))


def report(peer, folder, table, count):
    own, other, answer = Accesses(peer, folder).measure(count)
    table.add("a coordinated access in the arbiter's process", OWN_LIMIT_US, own,
              "nobody contends for it", unit=" µs")
    table.add("a coordinated access from another process", OTHER_LIMIT_US, other,
              "%.1f × a bare answer over a Unix socket, %.0f µs" % (other / answer, answer),
              unit=" µs")
