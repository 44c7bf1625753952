"""A real Syncthing with a home and a folder of its own, which talks to nobody but its peers."""

import json
import subprocess
import urllib.request
import xml.etree.ElementTree as ElementTree

from rig import expect, free_ports, wait_until

FOLDER = "shared"
# Nobody but the other instance is to be asked or told anything.
OPTIONS = {
    "globalAnnounceEnabled": "false", "localAnnounceEnabled": "false", "relaysEnabled": "false",
    "natEnabled": "false", "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0",
    "urAccepted": "-1", "startBrowser": "false", "stunKeepaliveStartS": "0",
    "announceLANAddresses": "false", "reconnectionIntervalS": "5"}


class Instance:
    """One Syncthing with a home and a folder of its own."""

    def __init__(self, rig, name, port, interface_port):
        self.rig = rig
        self.name = name
        self.home = rig.root / f"syncthing-{name}"
        self.folder = rig.root / f"folder-{name}"
        self.address = f"tcp://127.0.0.1:{port}"
        self.interface = f"127.0.0.1:{interface_port}"
        self.environment = {
            **rig.environment, "HOME": str(rig.root), "STNOUPGRADE": "1", "STNORESTART": "1"}
        done = subprocess.run(
            ["syncthing", "generate", f"--home={self.home}", "--no-default-folder"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
            env=self.environment)
        expect(done.returncode == 0, f"syncthing generate: {done.stdout}{done.stderr}")
        self.configuration = ElementTree.parse(self.home / "config.xml")
        root = self.configuration.getroot()
        self.id = root.find("device").get("id")
        self.key = root.find("gui/apikey").text

    def configure(self, peers, delay_s):
        """Writes the configuration before the first start, so that nothing is announced ever."""
        root = self.configuration.getroot()
        for element in root.findall("device") + root.findall("folder"):
            root.remove(element)
        folder = ElementTree.SubElement(root, "folder", {
            "id": FOLDER, "label": FOLDER, "path": str(self.folder), "type": "sendreceive",
            "rescanIntervalS": "3600", "fsWatcherEnabled": "true",
            "fsWatcherDelayS": str(delay_s)})
        for peer in peers:
            ElementTree.SubElement(folder, "device", {"id": peer.id})
            device = ElementTree.SubElement(
                root, "device", {"id": peer.id, "name": peer.name})
            ElementTree.SubElement(device, "address").text = peer.address
        # What Syncthing gives to new folders; where it is not written down, no copy is kept.
        ElementTree.SubElement(folder, "maxConflicts").text = "10"
        free = ElementTree.SubElement(folder, "minDiskFree", {"unit": "%"})
        free.text = "0"
        root.find("gui/address").text = self.interface
        options = root.find("options")
        for name, value in {**OPTIONS, "listenAddress": self.address}.items():
            for element in options.findall(name):
                options.remove(element)
            ElementTree.SubElement(options, name).text = value
        self.configuration.write(self.home / "config.xml")
        (self.folder / ".stfolder").mkdir(parents=True)

    def start(self):
        self.process = self.rig.start(
            ["syncthing", "serve", f"--home={self.home}", "--no-browser"],
            f"syncthing-{self.name}.log", stdout="log", env=self.environment)

    def ask(self, path):
        """What its REST interface says, or nothing while it does not answer."""
        request = urllib.request.Request(
            f"http://{self.interface}/rest/{path}", headers={"X-API-Key": self.key})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=10) as answer:
                return json.load(answer)
        except (OSError, ValueError):
            expect(
                self.process.poll() is None,
                f"Syncthing {self.name} has ended:\n"
                f"{self.rig.log(f'syncthing-{self.name}.log')}")
            return None

    def tell(self, path):
        """Has its REST interface do something."""
        self._send("POST", path)

    def _send(self, method, path, content=None):
        request = urllib.request.Request(
            f"http://{self.interface}/rest/{path}", method=method,
            data=b"" if content is None else json.dumps(content).encode(),
            headers={"X-API-Key": self.key, "Content-Type": "application/json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            answer.read()

    def limit(self, kib_s):
        """Has it send and receive no faster than this; 0: as fast as it can."""
        self._send("PATCH", "config/options", {
            "maxSendKbps": kib_s, "maxRecvKbps": kib_s, "limitBandwidthInLan": kib_s > 0})

    def connections(self):
        """The ids of those that it is connected to."""
        # One that does not answer yet may be connected, or not.
        answer = wait_until(
            f"Syncthing {self.name} answers", lambda: self.ask("system/connections"), 120)
        return {id for id, one in answer["connections"].items() if one["connected"]}

    def is_connected(self):
        return bool(self.connections())

    def state(self):
        """What it has of the folder, or nothing unless it is idle and needs nothing."""
        answer = self.ask(f"db/status?folder={FOLDER}")
        if not answer or answer["state"] != "idle" or answer["needTotalItems"]:
            return None
        # What was made and removed elsewhere before it came here is no deletion of one's own.
        return [answer[name] for name in (
            "globalFiles", "globalDeleted", "globalBytes", "localFiles", "localBytes")]


def are_idle(instances):
    """Whether all have the same, and nothing is on its way."""
    states = [one.state() for one in instances]
    return bool(states[0]) and all(state == states[0] for state in states)


def two_instances(rig, delay_s):
    """Two Syncthings with a folder each, connected and idle."""
    ports = free_ports(4)
    instances = [
        Instance(rig, "a", ports[0], ports[1]), Instance(rig, "b", ports[2], ports[3])]
    for one in instances:
        one.configure(instances, delay_s)
        one.start()
    wait_until(
        "the two Syncthings are connected and idle",
        lambda: all(one.is_connected() for one in instances) and are_idle(instances), 120)
    return instances


def connect(instances, is_connected):
    """Has two Syncthings talk to each other, or not."""
    for one, other in (instances, reversed(instances)):
        one.tell(f"system/{'resume' if is_connected else 'pause'}?device={other.id}")
    if not is_connected:
        wait_until(
            "the connection is cut", lambda: not any(one.is_connected() for one in instances), 30)
