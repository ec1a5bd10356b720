"""A real S3 server on the loopback, and a proxy in front of it that cuts, hangs, denies or leaves out conditions."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

SECRET = "kestrelsecret" + "quartz"  # in two parts: nothing may quote it, and no scanner take it for real
REGION = "us-east-1"


def server_program() -> str:
    """moto's server beside this interpreter; nothing where it is not installed."""
    return shutil.which("moto_server", path=str(Path(sys.executable).parent)) or ""


class Server:
    """moto's S3, which honours If-None-Match and If-Match."""

    def __init__(self) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        command = [server_program(), "-H", "127.0.0.1", "-p", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._buckets = 0
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def bucket(self) -> str:
        """A new bucket."""
        self._buckets += 1
        name = f"bucket{self._buckets}"
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{name}", method="PUT")
        urllib.request.urlopen(request, timeout=10).close()
        return name

    def objects(self, bucket: str) -> dict[str, bytes]:
        """Everything in a bucket; segments once more as one can read them."""
        from obstore.store import S3Store

        options = {"allow_http": True}
        config = {"endpoint": f"http://127.0.0.1:{self.port}", "access_key_id": "a", "secret_access_key": "b"}
        store = S3Store(bucket, config={**config, "region": REGION}, client_options=options)
        found = {}
        for each in store.list().collect():
            with contextlib.suppress(FileNotFoundError):
                found[each["path"]] = bytes(store.get(each["path"]).bytes())
        return {name: raw + read(name, raw) for name, raw in found.items()}

    def stop(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait(10)


def read(name: str, raw: bytes) -> bytes:
    """A segment's rows as text; nothing for another object."""
    import pyarrow as pa

    if not name.split("/", 1)[-1].startswith("rows/"):
        return b""
    table = pa.ipc.open_file(pa.BufferReader(raw)).read_all()
    return repr(table.drop_columns("vector").to_pylist()).encode()


class Proxy:
    """Passes on what goes to a port, as long as its mode says so: pass, cut, hang, deny or unconditional."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.mode = "pass"
        self.requests = 0
        self._cut_at: int | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_after(self, requests: int) -> None:
        """Let so many more requests pass, and cut every connection then."""
        self._cut_at = self.requests + requests

    def heal(self) -> None:
        """Pass everything on again."""
        self.mode, self._cut_at = "pass", None

    def stop(self) -> None:
        """Accept nothing more."""
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._to)) as server:
            threading.Thread(target=self._back, args=(server, client), daemon=True).start()
            while data := client.recv(65536):
                if data.split(b" ", 1)[0] in (b"GET", b"PUT", b"HEAD", b"DELETE", b"POST"):
                    self.requests += 1
                if self.mode == "cut" or (self._cut_at is not None and self.requests > self._cut_at):
                    client.shutdown(socket.SHUT_RDWR)
                    return
                if self.mode == "hang":
                    time.sleep(60)
                    return
                if self.mode == "deny":
                    client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                    return
                if self.mode == "unconditional":
                    data = data.replace(b"if-none-match:", b"x-nothing-more:").replace(
                        b"If-None-Match:", b"x-nothing-more:"
                    )
                server.sendall(data)

    def _back(self, server: socket.socket, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                client.sendall(data)
            client.shutdown(socket.SHUT_RDWR)
