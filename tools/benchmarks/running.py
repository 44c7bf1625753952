"""Runs processes and says what they took; knows the machine."""
import json
import os
import platform
import signal
import statistics
import subprocess
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
# Of PyPI, so that every run compares with the same.
PEER_PACKAGES = ("pycrdt==0.14.13", "loro==1.17.1")


class Failure(Exception):
    pass


def read_json(path):
    with open(path) as file:
        return json.load(file)


class Tools:
    """The programs that take part; the benchmark's own are compiled when they are first needed."""

    def __init__(self, folder):
        self.folder = folder
        release = os.path.join(ROOT, ".build", "release")
        self.feedsync = os.environ.get("FEEDSYNC", os.path.join(release, "feedsync"))
        self.simulate = os.environ.get(
            "FEEDSYNC_SIMULATE", os.path.join(release, "feedsync-simulate"))
        for path in (self.feedsync, self.simulate):
            if not os.path.exists(path):
                raise Failure("%s is not there: run tools/build feedsync feedsync-simulate" % path)
        self.limit = self.compiled("limit", "-lsqlite3")
        self.measure = self.compiled("measure")
        self.python = None

    def compiled(self, name, *options):
        source = os.path.join(HERE, name + ".c")
        binary = os.path.join(self.folder, name)
        if not os.path.exists(binary) or os.path.getmtime(binary) < os.path.getmtime(source):
            subprocess.run(["cc", "-O2", "-Wall", "-o", binary, source, *options], check=True)
        return binary

    def coordination_peer(self):
        """The program of the tests that coordinates accesses, as users' programs are linked."""
        given = os.environ.get("COORDINATION_PEER")
        if given:
            return given
        subprocess.run([os.path.join(ROOT, "tools", "build"), "CoordinationPeer"], check=True,
                       stdout=subprocess.DEVNULL)
        return os.path.join(ROOT, ".build", "release", "CoordinationPeer")

    def make_peers(self):
        """Where the network is away, the rows go without them."""
        environment = os.path.join(self.folder, "peers")
        python = os.path.join(environment, "bin", "python")
        try:
            if not os.path.exists(os.path.join(environment, "complete")):
                subprocess.run(["python3", "-m", "venv", environment], check=True)
                subprocess.run([python, "-m", "pip", "install", "-q", *PEER_PACKAGES], check=True)
                open(os.path.join(environment, "complete"), "w").close()
            self.python = python
        except subprocess.CalledProcessError as error:
            print("The peers cannot be installed, and are left out: %s" % error, flush=True)

    def run(self, *arguments, expected=(0,)):
        """Runs a command in a process of its own: seconds, processor seconds, megabytes, output."""
        reading, writing = os.pipe()
        # The small launcher finds its report's end at descriptor 3.
        process = subprocess.Popen(
            ["sh", "-c", 'exec "$0" "$@" 3>&%d' % writing if writing != 3 else 'exec "$0" "$@"',
             self.measure, *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pass_fds=(writing,))
        os.close(writing)
        output, errors = process.communicate()
        with os.fdopen(reading) as file:
            report = file.read()
        if not report or json.loads(report)["exit"] not in expected:
            raise Failure("%s: %s %s" % (
                " ".join(map(str, arguments)), report.strip(), errors.strip()[-400:]))
        return dict(json.loads(report), output=output)

    def peer(self, name, *arguments):
        """As `run`, with the seconds that the peer counts itself."""
        result = self.run(self.python, os.path.join(HERE, "peer.py"), name, *arguments)
        return dict(result, **json.loads(result["output"]))


def median(results, key="seconds"):
    return statistics.median(result[key] for result in results)


def ratio(results, others, key="seconds"):
    """The median of the ratios within each repetition: what else the machine does then, both
    suffer."""
    pairs = [(one[key], other[key]) for one, other in zip(results, others)]
    return statistics.median(one / max(other, 1e-6) for one, other in pairs)


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


def commit():
    def git(*arguments):
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True,
                              text=True).stdout.strip()
    dirty = " with changes" if git("status", "--porcelain", "-uno") else ""
    return (git("rev-parse", "--short", "HEAD") or "none") + dirty


def machine(folder):
    """One line about what everything ran on."""
    with open("/proc/cpuinfo") as file:
        models = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) / (1 << 20)
    kind = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True,
                          text=True).stdout.strip()
    return "%s, %d cores, %.0f GB, Linux %s, folder on %s, load %.1f" % (
        models[0] if models else platform.machine(), os.cpu_count(), memory, platform.release(),
        kind, os.getloadavg()[0])


class Watch:
    """`feedsync watch` in the background."""

    def __init__(self, tools, folder, state):
        self.process = subprocess.Popen(
            [tools.feedsync, "watch", "--container", folder, "--state", state],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.until("watching")

    def until(self, event):
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Failure("watch has ended with %s" % self.process.wait())
            if json.loads(line)["event"] == event:
                return

    def megabytes(self):
        with open("/proc/%d/status" % self.process.pid) as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))

    def wakeups(self):
        """How often each thread has begun to run again, by the thread's id and name."""
        counts, tasks = {}, "/proc/%d/task" % self.process.pid
        for thread in os.listdir(tasks):
            with open("%s/%s/status" % (tasks, thread)) as file:
                lines = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            counts[thread, lines["Name"]] = int(lines["voluntary_ctxt_switches"])
        return counts

    def wakeups_within(self, seconds):
        before = self.wakeups()
        time.sleep(seconds)
        after = self.wakeups()
        return {key: after[key] - before.get(key, 0) for key in after
                if after[key] != before.get(key, 0)}

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
