"""Calls of a file system of fsspec, made again if that may end better, with failures of our own."""

from __future__ import annotations

import contextlib
import errno
import uuid
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from tenacity import Retrying, retry_if_exception, stop_before_delay, wait_random_exponential

from i2s_sdk.errors import StoreError, StoreRefusedError, UsageError
from i2s_wire.installation import install_command

A = TypeVar("A")

#: Extra of this package with what s3:// and gs:// need.
EXTRA = "i2s-sdk[object-store]"

#: Stores that take an object whole or not at all. With others an object is written aside and then moved.
_WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oci", "oss", "memory"})

_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0  # seconds
#: By name, since macOS has no EREMCHG.
_NEVER_BETTER = frozenset(
    number
    for number, name in errno.errorcode.items()
    if name
    in {
        "EINVAL",
        "ENOSYS",
        "EPERM",
        "ENOSPC",
        "EROFS",
        "EDQUOT",
        "ENAMETOOLONG",
        "EMSGSIZE",
        "EREMCHG",
    }
)
_PASSING_CODES = frozenset({408, 429})
_VENDORS = frozenset(
    {
        "aiohttp",
        "aiobotocore",
        "azure",
        "botocore",
        "fsspec",
        "gcsfs",
        "google",
        "requests",
        "s3fs",
        "urllib3",
    }
)


class Access:
    """Objects below a URL.

    Absent objects raise FileNotFoundError; every other failure of a store is a StoreError.

    Attributes:
        url: URL of the folder.
        whole: Whether the store takes objects whole or not at all by itself.

    Args:
        url: URL of the folder.
        retry_seconds: Seconds for all attempts of a call.

    Raises:
        UsageError: A package is missing that the URL needs, or nothing knows such URLs.
        StoreError: The store cannot be spoken to at all.
    """

    def __init__(self, url: str, retry_seconds: float) -> None:
        self.url = url.rstrip("/")
        if not self.url.partition("://")[2]:
            raise UsageError(f"{url!r} names no folder; give a URL such as s3://BUCKET/FOLDER")
        self._retry_seconds = retry_seconds
        self._given_up = False  # after the last call; then the next one is tried once
        self._fs, root = _opened(self.url)
        self._root = root.rstrip("/")
        protocols = (self._fs.protocol,) if isinstance(self._fs.protocol, str) else self._fs.protocol
        self.whole = not _WHOLE.isdisjoint(protocols)
        if hasattr(self._fs, "retries"):  # the loop of s3fs and gcsfs; this one is enough
            self._fs.retries = 1

    def read(self, name: str) -> bytes:
        """Return an object."""
        content: bytes = self._call(f"reading {name}", lambda: self._fs.cat_file(self._path(name)))
        return content

    def write(self, name: str, content: bytes) -> None:
        """Write an object, whole or not at all."""
        self._written(name, lambda path: self._fs.pipe_file(path, content))

    def upload(self, name: str, file: Path) -> None:
        """Write an object with the content of a local file, whole or not at all."""
        self._written(name, lambda path: self._fs.put_file(str(file), path))

    def create(self, name: str, content: bytes) -> bool:
        """Write an object unless it is there, and return whether it was written.

        If a store has no such call, of two that create an object at once the later wins.
        """

        def once() -> bool:
            self._fs.invalidate_cache()
            if self._fs.exists(self._path(name)):
                return False
            self._parents(name)
            try:
                self._fs.pipe_file(self._path(name), content, mode="create")
            except FileExistsError:
                return False
            except OSError as error:  # PreconditionFailed, in the words of s3fs
                if error.errno == errno.EINVAL and self._fs.exists(self._path(name)):
                    return False
                raise
            return True

        return self._stored(name, once)

    def exists(self, name: str) -> bool:
        """Return whether there is this object."""

        def look() -> bool:
            self._fs.invalidate_cache()
            return bool(self._fs.isfile(self._path(name)))

        return self._call(f"looking for {name}", look)

    def listing(self, folder: str = "") -> set[str]:
        """Return the names of what lies directly in a folder; nothing if there is none."""

        def look() -> set[str]:
            self._fs.invalidate_cache()
            paths = self._fs.ls(self._path(folder), detail=False)
            return {path.rstrip("/").rpartition("/")[2] for path in paths} - {""}

        try:
            return self._call(f"listing {folder or 'the folder'}", look)
        except FileNotFoundError:
            return set()

    def sizes(self) -> list[int]:
        """Return the size of each object below the URL, in folders too; nothing if there is none."""

        def look() -> list[int]:
            self._fs.invalidate_cache()
            entries: dict[str, dict[str, Any]] = self._fs.find(self._path(""), detail=True)
            return [int(entry["size"] or 0) for entry in entries.values()]

        try:
            return self._call("listing the folder", look)
        except FileNotFoundError:
            return []

    def remove(self, names: Iterable[str]) -> None:
        """Remove objects; those that are not there do not matter."""
        paths = [self._path(name) for name in names]
        with contextlib.suppress(FileNotFoundError):
            self._call(f"removing {paths[0]}", lambda: self._fs.rm(paths))

    def clear(self, folder: str) -> None:
        """Remove a folder, or an object, and everything within; it need not be there."""

        def once() -> None:
            self._fs.invalidate_cache()
            self._fs.rm(self._path(folder), recursive=True)

        with contextlib.suppress(FileNotFoundError):
            self._call(f"removing {folder}", once)

    def _written(self, name: str, write: Callable[[str], Any]) -> None:
        def once() -> None:
            if self.whole:
                write(self._path(name))
                return
            draft = self._path(f"{DRAFTS}/{uuid.uuid4().hex}")
            for path in (draft, self._path(name)):
                self._fs.makedirs(self._fs._parent(path), exist_ok=True)
            write(draft)
            self._fs.mv(draft, self._path(name))

        self._stored(name, once)

    def _stored(self, name: str, call: Callable[[], A]) -> A:
        action = f"writing {name}"
        try:
            return self._call(action, call)
        except FileNotFoundError as error:  # the bucket
            raise self._refused(action, error) from None

    def _parents(self, name: str) -> None:
        if not self.whole:
            self._fs.makedirs(self._fs._parent(self._path(name)), exist_ok=True)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _call(self, action: str, call: Callable[[], A]) -> A:
        attempts = Retrying(
            retry=retry_if_exception(may_end_better),
            wait=wait_random_exponential(multiplier=_FIRST_PAUSE, max=_LONGEST_PAUSE),
            stop=stop_before_delay(0 if self._given_up else self._retry_seconds),
            reraise=True,
        )
        try:
            answer = attempts(call)
            self._given_up = False
            return answer
        except FileNotFoundError:
            raise
        except Exception as error:
            self._given_up = True
            if is_refusal(error):
                raise self._refused(action, error) from error
            advice = "this is a fault of the program or of a package of the store"
            if may_end_better(error):
                advice = f"tried for {self._retry_seconds:g} s; the same command goes on once it answers"
            raise StoreError(f"{self.url}: {action} failed: {_reason(error)}; {advice}") from error

    def _refused(self, action: str, error: Exception) -> StoreRefusedError:
        advice = "check that the bucket exists, its address, the credentials and their rights"
        return StoreRefusedError(f"{self.url}: {action} failed: {_reason(error)}; {advice}")


#: Where objects lie that are being written, in a store that does not take them whole.
DRAFTS = ".drafts"


def may_end_better(error: BaseException) -> bool:
    """Return whether the same call may end better: time-outs, lost connections, 429 and 5xx."""
    if is_refusal(error):
        return False
    return isinstance(error, OSError) or type(error).__module__.partition(".")[0] in _VENDORS


def is_refusal(error: BaseException) -> bool:
    """Return whether the store would refuse the same call again: bucket, rights, credentials, space."""
    if isinstance(error, FileNotFoundError | FileExistsError | PermissionError | IsADirectoryError):
        return True
    code = getattr(error, "code", getattr(error, "status", None))
    if isinstance(code, int) and 400 <= code < 500:
        return code not in _PASSING_CODES
    if any(word in type(error).__name__ for word in ("Credential", "ParamValidation", "Refresh")):
        return True
    return isinstance(error, OSError) and error.errno in _NEVER_BETTER


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _opened(url: str) -> tuple[Any, str]:
    try:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]

        opened: tuple[Any, str] = url_to_fs(url, skip_instance_cache=True)
    except ImportError as error:
        scheme = url.partition(":")[0]
        reason = " ".join(str(error).split())
        raise UsageError(f"{scheme}:// needs a package ({reason}): {install_command(EXTRA)}") from None
    except Exception as error:
        raise UsageError(f"{url} cannot be opened: {' '.join(str(error).split())}") from None
    return opened
