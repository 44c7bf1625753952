"""A terminal that a check types into and looks at: tmux, in its control mode."""

import re
import subprocess
import threading
import time

from rig import Failure, expect, say

STYLE = re.compile(r"(\x1b\[[0-9;]*m)")


class Screen:
    """A shell in a terminal of its own.

    Its tmux is driven through one connection, so that asking what is on the screen takes about a
    millisecond, and reactions can be measured.
    """

    def __init__(self, rig, environment, columns=100, rows=24):
        self._socket = str(rig.root / "tmux")
        self._tmux = ["tmux", "-S", self._socket, "-f", "/dev/null"]
        settings = {**environment, "TERM": "xterm-256color", "PS1": "ready$ ", "ENV": ""}
        settings.pop("TMUX", None)
        subprocess.run(
            [*self._tmux, "new-session", "-d", "-x", str(columns), "-y", str(rows), "sh", "-i"],
            check=True, env=settings, stdin=subprocess.DEVNULL, timeout=30)
        rig.at_end(self.close)
        self._control = subprocess.Popen(
            [*self._tmux, "-C", "attach"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=settings)
        self._news = threading.Condition()
        self._answers = []
        self.output = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        with self._news:
            expect(self._news.wait_for(lambda: self._answers, 30), "tmux does not answer")
            self._answers.clear()
        self._ask("set-option -g window-size manual")
        self.resize(columns, rows)

    def close(self):
        subprocess.run(
            [*self._tmux, "kill-server"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)

    def resize(self, columns, rows):
        self._ask(f"resize-window -x {columns} -y {rows}")

    def press(self, *keys):
        """Presses keys by their names, such as `j`, `Enter` and `C-z`."""
        self._ask("send-keys " + " ".join(f"'{key}'" for key in keys))

    def type(self, text):
        self._ask("send-keys -l '" + text.replace("'", "'\\''") + "'")

    def lines(self):
        """What is on the screen, as text."""
        return self._ask("capture-pane -p")

    def selected(self):
        """The line in reverse video between the first and the last, as text; empty if none is."""
        lines = self._ask("capture-pane -p -e")
        # What holds at the end of a line goes on in the next.
        reverse = False
        for number, line in enumerate(lines):
            chosen = ""
            for part in STYLE.split(line):
                if STYLE.fullmatch(part):
                    codes = part[2:-1].split(";")
                    reverse = "7" in codes or reverse and not {"", "0", "27"} & set(codes)
                elif reverse:
                    chosen += part
            if chosen.strip() and 0 < number < len(lines) - 1:
                return chosen.strip()
        return ""

    def until(self, what, condition, timeout_s=10):
        """Waits until `condition(self)` is true, and returns how long that took."""
        start = time.monotonic()
        while True:
            if condition(self):
                return time.monotonic() - start
            if time.monotonic() - start > timeout_s:
                say("\n".join(f"  |{line}" for line in self.lines()))
                raise Failure(f"waited {timeout_s} s in vain: {what}")

    def reaction(self, what, keys, condition, timeout_s=10):
        """Presses keys and returns how long it takes until `condition` is true."""
        start = time.monotonic()
        self.press(*keys)
        self.until(what, condition, timeout_s)
        return time.monotonic() - start

    def _ask(self, command):
        """The lines of the answer to a command of tmux."""
        with self._news:
            self._answers.clear()
            self._control.stdin.write(command.encode() + b"\n")
            self._control.stdin.flush()
            expect(self._news.wait_for(lambda: self._answers, 30), f"tmux: no answer to {command}")
            isError, lines = self._answers.pop()
        expect(not isError, f"tmux: {command}: {lines}")
        return lines

    def _read(self):
        answer = None
        for line in self._control.stdout:
            line = line.rstrip(b"\n")
            if answer is None and line.startswith(b"%begin"):
                answer = []
            elif answer is not None and line.startswith((b"%end", b"%error")):
                with self._news:
                    text = [one.decode(errors="replace") for one in answer]
                    self._answers.append((line.startswith(b"%error"), text))
                    self._news.notify_all()
                answer = None
            elif answer is not None:
                answer.append(line)
            elif line.startswith(b"%output"):
                self.output += line.split(b" ", 2)[2]
