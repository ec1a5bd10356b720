"""The one family of errors: each says what happened, where, and what to do about it."""

from __future__ import annotations

import re


class VaultMemError(Exception):
    """Something vault-mem cannot do; `hint` says what the reader can do about it."""

    code = "error"
    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidInput(VaultMemError):
    """The caller asked for something that makes no sense: a bad value, an empty text."""

    code = "invalid_input"
    exit_code = 2


class NotFound(VaultMemError):
    """No memory, episode or setting of that name."""

    code = "not_found"
    exit_code = 4


class Ambiguous(NotFound):
    """More than one of that name."""


class Conflict(VaultMemError):
    """What is asked for does not fit what the files say by now; nothing was overwritten."""

    code = "conflict"
    exit_code = 5


class Changed(Conflict):
    """A file changed in the very moment of the operation: looking again and trying again may do."""


class Unsafe(VaultMemError):
    """Going on could lose something, so it stopped."""

    code = "unsafe"
    exit_code = 6


class Busy(Unsafe):
    """Another process has been writing for longer than we wait."""

    code = "busy"


class SecretFound(Unsafe):
    """What was to be written for everyone looks like a credential."""

    code = "secret"


class VaultNotFound(VaultMemError):
    """There is no vault where one was looked for."""

    code = "no_vault"


class SettingsError(VaultMemError):
    """A settings file that cannot be read or holds a value of the wrong type."""

    code = "settings"


class StoreError(VaultMemError):
    """A store that machines share cannot be used; the files and this machine's own index are as they were."""

    code = "store"


class ModelNotFound(VaultMemError):
    """The configured embedding model is not on this machine."""

    code = "model_not_found"


class WriteFailed(VaultMemError):
    """The disk is full, the vault is read-only, or the file system said no."""

    code = "write_failed"


class CallersOwn(BaseException):
    """Wraps what a caller's function raised, so that nothing mistakes it for an error of ours."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def of_system(error: BaseException) -> VaultMemError | None:
    """An error of the disk, or of a database on it, as one of ours; None for anything else.

    Only the system's part of a library's message is kept: the rest may quote a note.
    """
    hint = "nothing was half-written; check space and permissions, then try again"
    if isinstance(error, OSError) and error.errno is not None:
        where = error.filename.decode(errors="replace") if isinstance(error.filename, bytes) else error.filename
        named = f"{where}: " if isinstance(where, str) and where else ""
        return WriteFailed(f"the disk failed: {named}{error.strerror}", hint)
    by_system = re.search(r"[A-Z][A-Za-z ,'/-]+ \(os error \d+\)", str(error))
    if type(error).__module__ == "sqlite3":
        return WriteFailed(f"the index cannot be used: {error}", f"{hint}; `vault-mem reindex` makes a new one")
    if isinstance(error, RuntimeError | ValueError) and (by_system or "lance" in str(error).lower()):
        reason = by_system.group() if by_system else "LanceDB could not read or write it"
        return WriteFailed(f"the index cannot be used: {reason}", f"{hint}; or `vault-mem reindex`")
    return None


class EditRefused(VaultMemError):
    """The front matter cannot be changed without disturbing something else in it."""

    code = "edit_refused"


def by_code(code: str, family: type[VaultMemError] = VaultMemError) -> type[VaultMemError]:
    """The error class with that `code`, as it appears in JSON."""
    for each in family.__subclasses__() if family.code != code else ():
        if (found := by_code(code, each)).code == code:
            return found
    return family
