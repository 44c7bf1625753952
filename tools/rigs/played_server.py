"""A web server on loopback that answers as a check wants: well, slowly, wrongly, or without end."""

import asyncio
import ssl
import subprocess
import threading


class Request:
    """What was asked for."""

    def __init__(self, path, fields):
        self.path = path
        self.fields = fields


class PlayedServer:
    """Serves on one port of any number of addresses, in a thread of its own.

    - answer: called with a `Request`; returns what to send: a list of bytes and of seconds to wait,
      or a generator of them. The connection is closed after it.
    """

    def __init__(self, answer, hosts=("127.0.0.1",), port=0, certificate=None):
        self.requests = []
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        context = None
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
        self._server = self._loop.run_until_complete(
            asyncio.start_server(
                self._serve, host=list(hosts), port=port, ssl=context, backlog=512))
        self.port = self._server.sockets[0].getsockname()[1]
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def url(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"

    def paths(self):
        """What was asked for since the last time this was asked."""
        paths = [request.path for request in self.requests]
        self.requests.clear()
        return paths

    async def _serve(self, reader, writer):
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            fields = dict(
                (name.strip().lower(), value.strip())
                for name, _, value in (line.partition(":") for line in head[1:] if line))
            request = Request(head[0].split(" ")[1], fields)
            self.requests.append(request)
            for step in self._answer(request):
                if isinstance(step, bytes):
                    writer.write(step)
                    await writer.drain()
                else:
                    await asyncio.sleep(step)
        except (
                ConnectionError, asyncio.CancelledError, asyncio.IncompleteReadError,
                ssl.SSLError):
            pass  # Whoever asked has had enough, which some of the checks are about.
        finally:
            writer.close()

    def close(self):
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    async def _end(self):
        self._server.close()
        answering = asyncio.all_tasks() - {asyncio.current_task()}
        for task in answering:
            task.cancel()
        await asyncio.gather(*answering, return_exceptions=True)


def reply(status, body="", *fields):
    """An answer of one piece."""
    body = body.encode()
    head = [f"HTTP/1.1 {status} Played", f"Content-Length: {len(body)}", "Connection: close"]
    return ["\r\n".join([*head, *fields, "", ""]).encode() + body]


def self_signed(directory):
    """A certificate for 127.0.0.1 that nobody vouches for, and its key."""
    key, certificate = directory / "key.pem", directory / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
         certificate],
        check=True, capture_output=True)
    return certificate, key
