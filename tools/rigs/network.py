"""Network file systems and disks without permissions, served and mounted on this machine alone.

Each function mounts something until the end of the check and returns where. Servers that insist on
a well-known port run in a network of their own, so that a server of this machine is not in the way.
"""

import os
import signal
import subprocess
import sys

from rig import Failure, end, expect, free_ports, wait_until
from users import Skipped, unmount

LOOPBACK_UP = (
    "import fcntl, os, socket, struct, sys; s = socket.socket();"
    "fcntl.ioctl(s, 0x8914, struct.pack('16sH14s', b'lo', 0x49, b''));"  # SIOCSIFFLAGS
    "os.execvp(sys.argv[1], sys.argv[1:])")


def kinds():
    """The file systems that this kernel has."""
    with open("/proc/filesystems", encoding="ascii") as file:
        return {line.split()[-1] for line in file}


def mounted(place):
    """What is mounted at a place, as the kernel names it; None if nothing is."""
    found = None
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[4] == str(place):
                found = words[words.index("-") + 1]
    return found


class Mount:
    """A FUSE mount and the program behind it."""

    def __init__(self, rig, place, command, **options):
        self.rig = rig
        self.place = place
        self.command = command
        self.options = options
        place.mkdir(exist_ok=True)
        self.process = None
        self.mount()

    def mount(self):
        log = f"{self.place.parent.name}-{self.place.name}.log"
        command = self.command() if callable(self.command) else self.command
        self.process = self.rig.start(command, log, stdout="log", **self.options)
        self.rig.at_end(self.unmount)

        def is_there():
            expect(
                mounted(self.place) or self.process.poll() is None,
                f"{command[0]} has ended:\n{self.rig.log(log)}")
            return mounted(self.place)
        wait_until(f"{command[0]} has mounted {self.place}", is_there, 30)

    def unmount(self):
        self.process.send_signal(signal.SIGCONT)
        subprocess.run(
            ["fusermount3", "-u", self.place], stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=30, check=False)
        unmount(self.place)
        end(self.process)

    def remount(self):
        self.unmount()
        self.mount()

    def kill(self):
        """Ends the program, so that the mount stands there with nothing behind it."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(10)


def sshfs(rig, folder, name, *options):
    """sshfs without ssh: it talks to an sftp-server that it starts itself."""
    remote = folder / "remote"
    remote.mkdir(exist_ok=True)
    serve = folder / f"serve-{name}"
    serve.write_text(f"#!/bin/sh\necho $$ >{folder}/server-{name}\nexec /usr/lib/openssh/sftp-server\n")
    serve.chmod(0o755)
    words = ",".join([f"ssh_command={serve}", "dcache_timeout=1", *options])
    return Mount(
        rig, folder / name, ["sshfs", "-f", "-F", "/dev/null", "-o", words, f"x:{remote}",
                             folder / name])


def sshfs_server(folder, name):
    """The process id of the server behind an sshfs mount."""
    return int((folder / f"server-{name}").read_text())


SMBD = """
[global]
 server role = standalone server
 map to guest = Bad User
 guest account = root
 interfaces = 127.0.0.1
 bind interfaces only = yes
 smb ports = 445
 disable netbios = yes
 load printers = no
 {places}
[share]
 path = {share}
 read only = no
 guest ok = yes
 force user = root
"""
SMB_CLIENT = "[global]\n client min protocol = SMB2\n {places}\n"


def smb_places(folder):
    folder.mkdir(exist_ok=True)
    names = ("lock", "state", "cache", "pid")
    lines = [f"{name} directory = {folder}" for name in names]
    return "\n ".join([*lines, f"private dir = {folder}", f"log file = {folder}/log"])


def smb(rig, folder, *names):
    """An smbd in a network of its own, and a smbnetfs mount of its share for each name."""
    share = folder / "share"
    share.mkdir()
    (folder / "smb.conf").write_text(
        SMBD.format(places=smb_places(folder / "server"), share=share))
    server = rig.start(
        ["unshare", "-n", sys.executable, "-c", LOOPBACK_UP, "smbd", "-F", "--no-process-group",
         "-s", folder / "smb.conf"], "smbd.log", stdout="log")

    def inside(*command):
        return ["nsenter", f"--net=/proc/{server.pid}/ns/net", *command]

    def listens():
        expect(server.poll() is None, f"smbd has ended:\n{rig.log('smbd.log')}")
        probe = "import socket; socket.create_connection(('127.0.0.1', 445), 2)"
        return subprocess.run(
            inside(sys.executable, "-c", probe), stderr=subprocess.DEVNULL,
            timeout=30, check=False).returncode == 0
    wait_until("smbd listens", listens, 30)
    return [smbnetfs(rig, folder, name, inside) for name in names]


def smbnetfs(rig, folder, name, inside):
    home = folder / f"client-{name}"
    (home / ".smb").mkdir(parents=True)
    client = home / ".smb/smb.conf"
    client.write_text(SMB_CLIENT.format(places=smb_places(home / "state")))
    configuration = home / "smbnetfs.conf"
    configuration.write_text('auth "guest" ""\nhost 127.0.0.1 visible=true\n')
    configuration.chmod(0o600)
    mount = Mount(
        rig, folder / name,
        inside("smbnetfs", folder / name, "-f", "-o", f"config={configuration}"),
        env={**rig.environment, "HOME": str(home), "SMB_CONF_PATH": str(client)})
    share = mount.place / "127.0.0.1" / "share"
    wait_until(f"{share} can be listed", lambda: is_listable(share), 30)
    return share


def is_listable(place):
    try:
        os.listdir(place)
    except OSError:
        return False
    return True


def rclone(rig, folder, *names):
    """An rclone that serves a folder by WebDAV, and a mount of it for each name."""
    remote = folder / "remote"
    remote.mkdir()
    (port,) = free_ports(1)
    environment = {**rig.environment, "RCLONE_CONFIG": str(folder / "rclone.conf")}
    (folder / "rclone.conf").write_text(
        f"[r]\ntype = webdav\nurl = http://127.0.0.1:{port}\nvendor = other\n")
    rig.start(
        ["rclone", "serve", "webdav", remote, "--addr", f"127.0.0.1:{port}",
         "--dir-cache-time", "1s"], "rclone.log", stdout="log", env=environment)
    wait_until("rclone serves", lambda: "server started" in rig.log("rclone.log").lower()
               or "serving" in rig.log("rclone.log").lower(), 30)
    return [
        Mount(
            rig, folder / name,
            ["rclone", "mount", "r:", folder / name, "--vfs-cache-mode", "writes",
             "--dir-cache-time", "1s", "--cache-dir", folder / f"cache-{name}"],
            env=environment)
        for name in names]


def image(rig, folder, make_command, mount_command):
    """A disk image with a file system on it, mounted by a FUSE program."""
    path = folder / "image"
    with open(path, "wb") as file:
        file.truncate(64 << 20)
    done = subprocess.run(
        [*make_command, path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=60, check=False)
    if done.returncode != 0:
        raise Failure(f"{make_command}: {done.stderr}{done.stdout}")
    place = folder / "disk"

    def command():
        words = {"IMAGE": path, "PLACE": place}
        if "DEVICE" in mount_command:
            words["DEVICE"] = loop_device(rig, path)
        return [words.get(word, word) for word in mount_command]
    return Mount(rig, place, command)


def loop_device(rig, path):
    """A new device for an image at each mount.

    Another program's mount namespace may hold the mount before, and a device is mounted but once.
    """
    done = subprocess.run(
        ["losetup", "--find", "--show", path], capture_output=True, text=True, timeout=60,
        check=False)
    if done.returncode != 0:
        raise Skipped(done.stderr.strip())
    device = done.stdout.strip()
    rig.at_end(lambda: subprocess.run(["losetup", "-d", device], timeout=60, check=False))
    return device
