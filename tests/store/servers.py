"""Real servers of S3 and Azure on the loopback, and a proxy that cuts, hangs, denies or leaves out conditions."""

from __future__ import annotations

import base64
import contextlib
import hmac
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from email.utils import formatdate
from pathlib import Path
from typing import Any

SECRET = "kestrelsecret" + "quartz"  # in two parts: nothing may quote it, and no scanner take it for real
REGION = "us-east-1"
HANG_SECONDS = 120
AZURITE = Path(__file__).parents[2] / "build/azurite/node_modules/.bin"


def server_program() -> str:
    """moto's server beside this interpreter; nothing where it is not installed."""
    return shutil.which("moto_server", path=str(Path(sys.executable).parent)) or ""


def azure_program() -> str:
    """Azurite, Microsoft's own stand-in for its store, as `make test-store` installs it; nothing where it is not."""
    return shutil.which("azurite-blob", path=str(AZURITE)) or ""


class Server:
    """moto's S3, which honours If-None-Match and If-Match."""

    scheme = "s3"

    def __init__(self) -> None:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        self._process = subprocess.Popen(self._command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
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

    def _command(self) -> list[str]:
        return [server_program(), "-H", "127.0.0.1", "-p", str(self.port)]

    def credentials(self, port: int) -> dict[str, str]:
        """What a command's environment has, if it reaches the server by a port."""
        return {
            "AWS_ACCESS_KEY_ID": SECRET,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": REGION,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ALLOW_HTTP": "true",
        }

    def bucket(self) -> str:
        """A new bucket."""
        self._buckets += 1
        name = f"bucket{self._buckets}"
        urllib.request.urlopen(self._to_make(name), timeout=60).close()
        return name

    def _to_make(self, name: str) -> urllib.request.Request:
        return urllib.request.Request(f"http://127.0.0.1:{self.port}/{name}", method="PUT")

    def objects(self, bucket: str) -> dict[str, bytes]:
        """Everything in a bucket; segments once more as one can read them."""
        store, found = self._opened(bucket), {}
        for each in store.list().collect():
            with contextlib.suppress(FileNotFoundError):
                found[each["path"]] = bytes(store.get(each["path"]).bytes())
        return {name: raw + read(name, raw) for name, raw in found.items()}

    def _opened(self, bucket: str) -> Any:
        from obstore.store import from_url

        config = {name.lower(): value for name, value in self.credentials(self.port).items() if "HTTP" not in name}
        return from_url(f"{self.scheme}://{bucket}", config=config, client_options={"allow_http": True})

    def stop(self) -> None:
        """End the server. It keeps nothing, and asked politely it waits for every connection to close."""
        self._process.kill()
        self._process.wait()


class Azure(Server):
    """Azurite's blobs, in memory."""

    scheme = "az"
    account = "devstoreaccount1"
    # Azurite's well-known key, in two parts: it opens nothing else, and no scanner should take it for a real one.
    key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6" + "IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    def _command(self) -> list[str]:
        where = ["--blobHost", "127.0.0.1", "--blobPort", str(self.port)]
        return [azure_program(), *where, "--inMemoryPersistence", "--skipApiVersionCheck", "--silent"]

    def credentials(self, port: int) -> dict[str, str]:
        """What a command's environment has, if it reaches the server by a port."""
        return {
            "AZURE_STORAGE_ACCOUNT_NAME": self.account,
            "AZURE_STORAGE_ACCOUNT_KEY": self.key,
            "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{port}/{self.account}",
            "AZURE_ALLOW_HTTP": "true",
        }

    def _to_make(self, name: str) -> urllib.request.Request:
        headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": "2021-08-06"}
        signed = "PUT" + "\n" * 12 + "".join(f"{each}:{value}\n" for each, value in headers.items())
        signed += f"/{self.account}/{self.account}/{name}\nrestype:container"
        proof = base64.b64encode(hmac.digest(base64.b64decode(self.key), signed.encode(), "sha256")).decode()
        headers |= {"Authorization": f"SharedKey {self.account}:{proof}", "Content-Length": "0"}
        address = f"http://127.0.0.1:{self.port}/{self.account}/{name}?restype=container"
        return urllib.request.Request(address, method="PUT", headers=headers)


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
        """Let this many more requests pass, and then cut every connection."""
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
                    time.sleep(HANG_SECONDS)
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
