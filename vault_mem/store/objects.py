"""The objects of a store, with a time limit on every call and errors that never quote credentials."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from vault_mem.errors import StoreError

T = TypeVar("T")
# A longer request is given up, and tried once more if there is time.
REQUEST_SECONDS, CONNECT_SECONDS = 10, 3
# The variables of a command's environment that are used, by kind of store.
_FROM_ENVIRONMENT = {
    "s3": {
        "AWS_ACCESS_KEY_ID": "access_key_id",
        "AWS_SECRET_ACCESS_KEY": "secret_access_key",
        "AWS_SESSION_TOKEN": "session_token",
        "AWS_DEFAULT_REGION": "region",
        "AWS_REGION": "region",
        "AWS_ENDPOINT_URL": "endpoint",
        "AWS_ENDPOINT_URL_S3": "endpoint",
        "AWS_ALLOW_HTTP": "allow_http",
    },
    "az": {
        "AZURE_STORAGE_ACCOUNT_NAME": "account_name",
        "AZURE_STORAGE_ACCOUNT_KEY": "account_key",
        "AZURE_STORAGE_SAS_TOKEN": "sas_token",
        "AZURE_STORAGE_ENDPOINT": "endpoint",
        "AZURE_CLIENT_ID": "client_id",
        "AZURE_CLIENT_SECRET": "client_secret",
        "AZURE_TENANT_ID": "tenant_id",
        "AZURE_ALLOW_HTTP": "allow_http",
    },
    "gs": {
        "GOOGLE_APPLICATION_CREDENTIALS": "application_credentials",
        "GOOGLE_SERVICE_ACCOUNT": "service_account",
        "GOOGLE_SERVICE_ACCOUNT_KEY": "service_account_key",
    },
}
_INSTALL = "pip install 'vault-mem[store]'"


@dataclass(frozen=True)
class ObjectInfo:
    """An object as listed; `modified` is by the clock of the store."""

    modified: float
    size: int
    tag: str
    version: str | None


@dataclass
class Traffic:
    """How many requests and bytes went to a store and came from it."""

    requests: int = 0
    read: int = 0
    written: int = 0


def without_password(uri: str) -> str:
    """A store's address without any password in it."""
    return re.sub(r"//[^/]*@", "//(hidden)@", uri.partition("?")[0])


class Objects:
    """The objects below one address. After `seconds`, every call raises StoreError."""

    def __init__(self, uri: str, env: Mapping[str, str], options: Iterable[str], seconds: float) -> None:
        self.traffic = Traffic()
        self.keeps_versions = False
        self._seconds, self._began = seconds, (time.monotonic(), time.time())
        scheme, _, path = uri.partition("://")
        if scheme not in _FROM_ENVIRONMENT:
            raise StoreError(f"machines cannot share an index on {scheme}://", "use s3://, gs:// or az:// and a bucket")
        if not path.strip("/") or re.search(r"[@?#]", path):
            raise StoreError(
                "the address of the store should be a bucket and a folder in it, and nothing else",
                "s3://bucket/folder; credentials belong in the environment or in store_options",
            )
        self._numbers_all = scheme == "gs"  # every object there has a version number, even if old versions are not kept
        given = _FROM_ENVIRONMENT[scheme]
        config = {name: env[variable] for variable, name in given.items() if env.get(variable)}
        config |= {name.strip(): value.strip() for name, _, value in (each.partition("=") for each in options)}
        self._store = _opened(uri, config)

    def get(self, name: str) -> bytes | None:
        """An object, or None."""
        data = self._ask(lambda: bytes(self._store.get(name).bytes()), missing=None)
        self.traffic.read += len(data or b"")
        return data

    def put(self, name: str, data: bytes) -> None:
        """Write an object, and replace what was there."""
        self._put(name, data, "overwrite")

    def put_new(self, name: str, data: bytes) -> bool:
        """Write an object unless it exists; False if it does."""
        return self._put(name, data, "create")

    def swap(self, name: str, data: bytes, seen: ObjectInfo) -> bool:
        """Replace an object unless it changed since it was listed; False if it did."""
        return self._put(name, data, {"e_tag": seen.tag} | ({"version": seen.version} if seen.version else {}))

    def list(self, prefix: str) -> dict[str, ObjectInfo]:
        """The objects whose names begin with a prefix that ends in a slash."""
        found = self._ask(lambda: self._store.list(prefix).collect())
        self.traffic.requests += len(found) // 1000  # a listing comes in pages
        return {each["path"]: _info(each) for each in found}

    def look_at(self, name: str) -> ObjectInfo | None:
        """What a listing says about one object, or None."""
        each = self._ask(lambda: self._store.head(name), missing=None)
        return each and _info(each)

    def delete(self, *names: str) -> None:
        """Remove objects; missing ones are ignored."""
        for name in names:
            self._ask(lambda name=name: self._store.delete(name), missing=None)  # type: ignore[misc]

    def time_left(self) -> float:
        """How many seconds the store may still be used. Both clocks count, since one stops while a computer sleeps."""
        monotonic, wall = self._began
        return self._seconds - max(time.monotonic() - monotonic, time.time() - wall)

    def _put(self, name: str, data: bytes, mode: Any) -> bool:
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        try:
            done = self._ask(lambda: self._store.put(name, data, mode=mode, use_multipart=False))
        except (AlreadyExistsError, PreconditionError):
            return False
        self.traffic.written += len(data)
        kept = done["version"] not in (None, "null") and not self._numbers_all
        self.keeps_versions = self.keeps_versions or kept
        return True

    def _ask(self, call: Callable[[], T], **missing: Any) -> T:
        from obstore import exceptions

        if self.time_left() <= 0:
            raise StoreError("the store is too slow", "the next command tries again")
        self.traffic.requests += 1
        try:
            return call()
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError):
            raise
        except (exceptions.NotFoundError, FileNotFoundError):
            if missing:
                return missing["missing"]  # type: ignore[no-any-return]
            raise StoreError("the bucket of the store does not exist", "create it, or fix index_dir") from None
        except (exceptions.PermissionDeniedError, exceptions.UnauthenticatedError, PermissionError):
            hint = "docs/store.md says where they are set; S3 also refuses a computer whose clock is wrong"
            raise StoreError("the store refuses the credentials", hint) from None
        except (exceptions.BaseError, OSError, TimeoutError):  # their texts may quote an address or a header
            raise StoreError("the store cannot be reached", "the next command tries again") from None


def _info(found: Any) -> ObjectInfo:
    return ObjectInfo(
        found["last_modified"].timestamp(), int(found["size"]), str(found["e_tag"] or ""), found["version"]
    )


def _opened(uri: str, config: dict[str, str]) -> Any:
    try:
        from obstore import exceptions
        from obstore.store import from_url
    except ImportError:
        raise StoreError("obstore, which speaks to object stores, is not installed", _INSTALL) from None
    plain = config.pop("allow_http", "").lower() in ("1", "true", "yes")
    limits = {"timeout": f"{REQUEST_SECONDS}s", "connect_timeout": f"{CONNECT_SECONDS}s", "allow_http": plain}
    patience = {"max_retries": 1, "retry_timeout": timedelta(seconds=REQUEST_SECONDS)}
    try:
        return from_url(uri, config=config, client_options=limits, retry_config=patience)  # type: ignore[call-overload]
    except (exceptions.BaseError, ValueError, TypeError):
        raise StoreError("the options of the store are not understood", "docs/store.md names them") from None
