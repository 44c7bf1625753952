"""Who is at a Unix socket that another user has put somewhere, or has let others reach.

Each acts as a process of its own, since the kernel tells a socket's two sides by their processes;
it is started as root, who may use this Python wherever that is, and then becomes the user.
The socket is named from its directory: an address has no room for a long path.
"""

import subprocess
import sys

from rig import expect

PATIENCE_S = 10

BECOME = """
import fcntl, os, socket, sys
user = int(sys.argv.pop(1))
os.setgroups([])
os.setgid(user)
os.setuid(user)
"""

# Listens, with the arbiter's lock where it is asked to, and says what is said to it.
SQUATTER = BECOME + """
name, lock = sys.argv[1:]
if lock:
    held = open(lock, "r+")
    fcntl.lockf(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
if os.path.lexists(name):
    os.unlink(name)
listener = socket.socket(socket.AF_UNIX)
listener.bind(name)
listener.listen()
print("listens", flush=True)
while True:
    connection, _ = listener.accept()
    print("heard", len(connection.recv(1 << 16)), "bytes", flush=True)
"""

# Connects, says nothing, and tells whether it was hung up on within some time.
CALLER = BECOME + """
caller = socket.socket(socket.AF_UNIX)
caller.settimeout(float(sys.argv[2]))
caller.connect(sys.argv[1])
try:
    print("heard" if caller.recv(1) else "refused")
except TimeoutError:
    print("served")
"""


class Squatter:
    """Another user's process that listens where the arbiter's socket is to be."""

    def __init__(self, rig, user, directory, lock=""):
        self.process = subprocess.Popen(
            [sys.executable, "-c", SQUATTER, str(user), "arbiter.socket", lock], cwd=directory,
            text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        rig.at_end(lambda: self.end())
        said = self.process.stdout.readline()
        expect(said == "listens\n", f"the squatter does not listen: '{said}'")

    def end(self):
        """Ends it; returns what was said to it."""
        self.process.kill()
        self.process.wait()
        return [] if self.process.stdout.closed else self.process.communicate()[0].splitlines()


def call(user, directory, patience_s=PATIENCE_S):
    """What a user meets who connects to the arbiter of the directory: refused, or served."""
    done = subprocess.run(
        [sys.executable, "-c", CALLER, str(user), "arbiter.socket", str(patience_s)],
        cwd=directory, capture_output=True, text=True, check=False, timeout=PATIENCE_S * 2)
    expect(done.returncode == 0, f"user {user} cannot even connect: {done.stderr[-500:]}")
    return done.stdout.strip()
