"""What the check scripts have in common: the binary, a scratch folder, processes, waiting.

A check is a function of a `Rig`; `run` gives it one, ends all that it started however it ends,
prints one line `PASS: …` or `FAIL: …` last, and exits with 0 or 1.
"""

import argparse
import ctypes
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
COMMAND_TIMEOUT_S = 120
PR_SET_PDEATHSIG = 1
PORTS_GIVEN = Path("/proc/sys/net/ipv4/ip_local_port_range")


class Failure(Exception):
    """What was checked does not hold, or could not be checked."""


def expect(condition, message):
    """Fails the check with `message` unless `condition` holds."""
    if not condition:
        raise Failure(message)


def say(text):
    print(text, flush=True)


def milliseconds(seconds):
    return f"{seconds * 1000:.1f} ms"


def percentile(values, percent):
    """The smallest value that at least `percent` of all do not exceed."""
    ordered = sorted(values)
    rank = -(-len(ordered) * percent // 100)  # rounded up
    return ordered[max(1, rank) - 1]


def wait_until(what, condition, timeout_s, interval_s=0.1):
    """Waits until `condition()` is true and returns what it returned."""
    deadline = time.monotonic() + timeout_s
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > deadline:
            raise Failure(f"waited {timeout_s:.0f} s in vain: {what}")
        time.sleep(interval_s)


def free_ports(count):
    """Ports of 127.0.0.1 that nobody listens on.

    None of those that the kernel gives to whoever names none: until a server that takes seconds to
    start listens there, another program might get it for a connection.
    """
    first, last = map(int, PORTS_GIVEN.read_text().split())
    others = [*range(10_000, first), *range(last + 1, 1 << 16)]
    random.shuffle(others)
    sockets = []
    try:
        for port in others + [0] * count:
            if len(sockets) == count:
                break
            sockets.append(socket.socket())
            try:
                sockets[-1].bind(("127.0.0.1", port))
            except OSError:
                sockets.pop().close()
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def find_binary():
    candidates = [os.environ.get("FEEDSYNC")] if os.environ.get("FEEDSYNC") else [
        PROJECT / ".build/release/feedsync", PROJECT / ".build/debug/feedsync"]
    for path in candidates:
        if os.access(path, os.X_OK):
            return str(Path(path).resolve())
    names = ", ".join(str(path) for path in candidates)
    raise Failure(f"no feedsync binary ({names}): run tools/build, or set FEEDSYNC")


# Debian starts a service that it installs, unless this says no.
INSTALL = """
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  printf '#!/bin/sh\\nexit 101\\n' >$policy && chmod 755 $policy
fi
export DEBIAN_FRONTEND=noninteractive
apt-get install -y --no-install-recommends "$@" && exit
apt-get update && apt-get install -y --no-install-recommends "$@"
"""


def need(packages):
    """Installs Debian packages of which a program is missing.

    - packages: of each package a program, such as {"sshfs": "sshfs"}.
    """
    path = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"
    os.environ["PATH"] = path
    missing = [name for name, program in packages.items() if not shutil.which(program)]
    if not missing:
        return
    say(f"installing from Debian: {' '.join(missing)}")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    done = subprocess.run(
        [*sudo, "sh", "-c", INSTALL, "install", *missing], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
    expect(done.returncode == 0, f"cannot install {missing}:\n{done.stdout[-2000:]}")


def _end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Rig:
    """A scratch folder, and all processes and mounts that are to be gone with it."""

    def __init__(self, name, keep):
        found = find_binary()
        self.root = Path(tempfile.mkdtemp(prefix=f"feedsync-{name}-"))
        # A build in the middle of a check would have two versions talk to each other.
        self.binary = shutil.copy(found, self.root / "feedsync")
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith("FEEDSYNC")}
        self._keep = keep
        self._endings = []

    def at_end(self, action):
        """Has `action` done when the check ends; the last one first."""
        self._endings.append(action)

    def start(self, arguments, log, **options):
        """Starts a process that lives as long as the check at most; its output goes to `log`."""
        options.setdefault("stdout", subprocess.DEVNULL)
        with open(self.root / log, "ab") as errors:
            if options["stdout"] == "log":
                options["stdout"] = errors
            process = subprocess.Popen(
                [str(one) for one in arguments], stdin=subprocess.DEVNULL, stderr=errors,
                start_new_session=True, preexec_fn=_end_with_parent, **options)
        self.at_end(lambda: end(process))
        return process

    def log(self, name, length=1500):
        return (self.root / name).read_text(errors="replace")[-length:]

    def close(self):
        for action in reversed(self._endings):
            try:
                action()
            except Exception as error:  # The others are still to be done.
                say(f"cleaning up: {error}")
        if self._keep:
            say(f"kept: {self.root}")
        elif not any(os.path.ismount(path) for path in self.root.iterdir()):
            shutil.rmtree(self.root, ignore_errors=True)
        else:
            say(f"still mounted, so not removed: {self.root}")


def end(process, patience_s=10):
    """Ends a process that `Rig.start` started, and what it started itself."""
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)  # It may be stopped, and would not hear.
        process.terminate()
        try:
            process.wait(patience_s)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait(patience_s)


def suspend(process, patience_s=30):
    """Stops a process as Ctrl-Z does, and waits until it is stopped.

    One of its threads has to run to take the signal; the others go on until then.
    """
    process.send_signal(signal.SIGSTOP)

    def is_stopped():
        expect(process.poll() is None, f"process {process.pid} has ended: {process.returncode}")
        try:
            # After the name, which stands in parentheses and may hold anything.
            return all(
                path.read_text().rpartition(")")[2].split()[0] == "T"
                for path in Path(f"/proc/{process.pid}/task").glob("*/stat"))
        except OSError:  # A thread has ended meanwhile.
            return False
    wait_until(f"process {process.pid} is stopped", is_stopped, patience_s, 0.01)


class Device:
    """A state and a container folder: one device."""

    def __init__(self, rig, name, folder, state=None):
        self.rig = rig
        self.name = name
        self.folder = Path(folder)
        self.state = Path(state or rig.root / f"state-{name}")

    def arguments(self, *arguments):
        return [
            self.rig.binary, *(str(one) for one in arguments), "--state", str(self.state),
            "--container", str(self.folder)]

    def run(self, *arguments, text=None, status=(0,)):
        """Runs a command and returns how it ended; any status but `status` is a failure."""
        done = subprocess.run(
            self.arguments(*arguments), input=text or "", capture_output=True, text=True,
            env=self.rig.environment, timeout=COMMAND_TIMEOUT_S)
        expect(
            done.returncode in status,
            f"{self.name}: feedsync {' '.join(map(str, arguments))[:200]}: exit "
            f"{done.returncode}\n{done.stderr[-1000:]}")
        return done

    def json(self, *arguments):
        return json.loads(self.run(*arguments, "--format", "json").stdout)

    def init(self, *options):
        command = [
            self.rig.binary, "init", str(self.folder), "--state", str(self.state),
            "--device-name", self.name, *options]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=self.rig.environment, timeout=COMMAND_TIMEOUT_S)
        expect(done.returncode == 0, f"{self.name}: init: exit {done.returncode}: {done.stderr}")
        return done.stdout.strip()

    def status(self):
        return self.json("status")

    def dump(self):
        return self.run("dump").stdout

    def segments(self):
        """The names of all segment files in its folder, as `stream/name`."""
        logs = self.folder / "logs"
        return {
            f"{path.parent.name}/{path.name}" for path in logs.glob("*/*.log")
            if not path.name.startswith(".")}

    def watch(self):
        return Watch(self)

    def follow(self, *command):
        """A command that goes on and prints a line of JSON for each event, as `watch` does."""
        return Watch(self, *command)


class Watch:
    """A running `feedsync watch`, or another command that goes on, and its lines with the time at
    which each arrived."""

    def __init__(self, device, *command):
        self.device = device
        self.log = f"{command[0] if command else 'watch'}-{device.name}.log"
        self.process = device.rig.start(
            device.arguments(*(command or ("watch",))), self.log, stdout=subprocess.PIPE,
            env=device.rig.environment)
        self.lines = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self):
        return self.process.pid

    def _read(self):
        rest = b""
        while chunk := os.read(self.process.stdout.fileno(), 1 << 16):
            arrival = time.monotonic()
            *whole, rest = (rest + chunk).split(b"\n")
            with self._news:
                self.lines += [(arrival, parsed(line)) for line in whole]
                self._news.notify_all()

    def wait_for(self, what, found, timeout_s, after=0):
        """Waits until `found(lines)` is true of the lines from the `after`-th on; returns them."""
        with self._news:
            arrived = self._news.wait_for(
                lambda: found(self.lines[after:]) or self._bad() or self.process.poll() is not None,
                timeout_s)
            lines = self.lines[after:]
            bad = self._bad()
        expect(not bad, f"watch of {self.device.name} prints what is not JSON: {bad[:1]}")
        expect(
            arrived and found(lines),
            f"watch of {self.device.name}: no line within {timeout_s:.0f} s: {what}; "
            f"exit {self.process.poll()}\n{self.device.rig.log(self.log)}")
        return lines

    def _bad(self):
        return [line["line"] for _, line in self.lines if line["event"] == "not JSON"]

    def first(self, timeout_s=30):
        """The line that says how it watches."""
        (_, line), *_ = self.wait_for("the first", bool, timeout_s)
        expect(line["event"] == "watching", f"the first line is {line}")
        return line

    def events(self, kind, after=0):
        with self._news:
            return [line for _, line in self.lines[after:] if line["event"] == kind]

    def imported(self, after=0):
        """How many transactions its lines have told of."""
        return transactions(self.events("import", after))

    def wait_imported(self, count, timeout_s, after=0):
        """Waits for lines about `count` transactions; returns when the last of them arrived."""
        def enough(lines):
            found = [line for _, line in lines if line["event"] == "import"]
            return transactions(found) >= count
        lines = self.wait_for(
            f"{count} transactions (told: {self.imported(after)})", enough, timeout_s, after)
        total = transactions(line for _, line in lines if line["event"] == "import")
        expect(total == count, f"lines tell of {total} transactions, not of {count}")
        return lines[-1][0]

    def stop(self, number=signal.SIGTERM, timeout_s=20):
        """Sends a signal; the watch must end with status 0."""
        expect(
            self.process.poll() is None,
            f"watch of {self.device.name} has ended by itself: {self.process.poll()}\n"
            f"{self.device.rig.log(self.log)}")
        self.process.send_signal(number)
        try:
            status = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise Failure(f"watch goes on {timeout_s} s after {number.name}") from None
        expect(status == 0, f"watch ended with {status} on {number.name}, not 0")


def parsed(line):
    try:
        return json.loads(line)
    except ValueError:
        return {"event": "not JSON", "line": line.decode(errors="replace")}


def transactions(import_lines):
    return sum(line["transactions"] for line in import_lines)


def _interrupted(number, _frame):
    raise Failure(f"interrupted by {signal.Signals(number).name}")


def _out_of_time(_number, _frame):
    raise Failure("the check took longer than it may (--timeout)")


def run(name, parser, check):
    """Runs `check(rig, options)`, which returns what to say when all is well."""
    parser.add_argument("--keep", action="store_true", help="leave the scratch folder")
    parser.add_argument(
        "--timeout", type=int, default=1800, metavar="S",
        help="fail after so many seconds (default: %(default)s)")
    options = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    signal.signal(signal.SIGALRM, _out_of_time)
    signal.alarm(options.timeout)
    rig = None
    try:
        rig = Rig(name, options.keep)
        version = subprocess.run(
            [rig.binary, "--version"], capture_output=True, text=True, timeout=COMMAND_TIMEOUT_S)
        say(f"{name}: {find_binary()} {version.stdout.strip()}")
        verdict, status = f"PASS: {check(rig, options)}", 0
    except Failure as failure:
        verdict, status = f"FAIL: {failure}", 1
    except Exception as error:
        traceback.print_exc()
        verdict, status = f"FAIL: {type(error).__name__}: {error}", 1
    signal.alarm(0)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # Cleaning up is bounded, and is to be finished.
    if rig:
        rig.close()
    # The verdict is one line, and the last one.
    first, *details = verdict.splitlines()
    for line in details:
        say(f"  {line}")
    say(first)
    sys.exit(status)


def parser(description):
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.ArgumentDefaultsHelpFormatter)
