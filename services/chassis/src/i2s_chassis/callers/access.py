"""Who may call: names with bearer tokens, client certificates and quotas, from a file.

::

    [callers.lab]
    tokens = ["sha256:9f86d081884c7d65…"]     # as the command ``token`` prints them
    certificates = ["lab-client"]             # common names, alternative names or subjects
    slots = 4                                 # quota; what is not named is as --quota-… says
    jobs_per_minute = 600

Tokens are 256 random bits, so one SHA-256 is enough to keep them: there is nothing to guess.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
import secrets
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from i2s_chassis.callers.caller import listed_identity
from i2s_chassis.callers.quota import Quota
from i2s_chassis.errors import PermissionDeniedError, StartError, UnauthenticatedError

TOKEN_PREFIX = "i2s_"  # noqa: S105 - so that scanners for secrets know one when they see it
_TOKEN_BYTES = 32
_MAX_TOKEN_CHARACTERS = 512
_MAX_FILE_BYTES = 4 * 1024 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_QUOTA_NAMES = frozenset(field.name for field in fields(Quota))
_LOOK_AGAIN_SECONDS = 1.0
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listed:
    """One caller of the file."""

    #: Its name, for logs and quotas.
    name: str
    #: Digests of its tokens.
    tokens: tuple[bytes, ...]
    #: Names, one of which its certificate has.
    certificates: frozenset[str]
    #: Its bounds.
    quota: Quota


class AccessList:
    """The callers of a file."""

    def __init__(self, callers: Iterable[Listed]) -> None:
        self.callers = {caller.name: caller for caller in callers}

    def with_token(self, token: str) -> Listed | None:
        """Return who has a token; takes the same time whoever it is, and for a token that nobody has."""
        if not token or len(token) > _MAX_TOKEN_CHARACTERS:
            return None
        digest = token_digest(token)
        matching = None
        for caller in self.callers.values():
            for known in caller.tokens:
                if hmac.compare_digest(known, digest):
                    matching = caller
        return matching

    def with_certificate(self, names: Iterable[str]) -> Listed | None:
        """Return who has a certificate with one of these names."""
        wanted = set(names)
        return next((caller for caller in self.callers.values() if caller.certificates & wanted), None)


def new_token() -> str:
    """Return a token that nobody can guess."""
    return TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)


def token_digest(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def token_line(token: str) -> str:
    """Return a token as it stands in the file: its digest."""
    return f"sha256:{token_digest(token).hex()}"


def is_caller_name(name: str) -> bool:
    """Return whether a caller may have this name."""
    return _NAME.fullmatch(name) is not None


def parse_access(text: str, default: Quota) -> AccessList:
    """Read the callers of a file.

    Args:
        text: TOML.
        default: Bounds of callers that name none.

    Raises:
        ValueError: It is wrong; one line that names the place. Holds nothing of a token.
    """
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not valid TOML: {error}") from None
    if unknown := sorted(content.keys() - {"callers"}):
        raise ValueError(f'unknown key "{unknown[0]}"; there are only tables such as [callers.lab]')
    callers = content.get("callers", {})
    if not isinstance(callers, dict) or not callers:
        raise ValueError("no callers; write a table such as [callers.lab]")
    listed = [_listed(name, table, default) for name, table in callers.items()]
    _check_distinct(listed)
    return AccessList(listed)


def _listed(name: str, table: object, default: Quota) -> Listed:
    where = f"[callers.{name[:64]}]"
    if not is_caller_name(name):
        raise ValueError(f"{where}: a name is up to 64 letters, digits and . _ @ -")
    if not isinstance(table, dict):
        raise ValueError(f"{where}: is not a table")
    if unknown := sorted(table.keys() - _QUOTA_NAMES - {"tokens", "certificates"}):
        known = ", ".join(sorted(_QUOTA_NAMES | {"tokens", "certificates"}))
        raise ValueError(f'{where}: unknown key "{unknown[0]}"; there are: {known}')
    tokens, certificates = _texts(where, "tokens", table), _texts(where, "certificates", table)
    if not tokens and not certificates:
        raise ValueError(f"{where}: has neither tokens nor certificates, so nobody could be it")
    if any(not _DIGEST.fullmatch(token) for token in tokens):
        raise ValueError(
            f'{where}: tokens stand here as "sha256:" and 64 digits; the command token makes them'
        )
    digests = tuple(bytes.fromhex(token.removeprefix("sha256:")) for token in tokens)
    return Listed(name, digests, frozenset(certificates), _quota(where, table, default))


def _quota(where: str, table: Mapping[str, Any], default: Quota) -> Quota:
    given = {name: value for name, value in table.items() if name in _QUOTA_NAMES}
    for name, value in given.items():
        whole = name in {"slots", "queued"}
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            raise ValueError(f"{where}: {name} is not a {'whole ' if whole else ''}number")
    try:
        return replace(default, **given)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _texts(where: str, key: str, table: Mapping[str, object]) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValueError(f"{where}: {key} is not a list of texts")
    return value


def _check_distinct(listed: Iterable[Listed]) -> None:
    owners: dict[bytes | str, str] = {}
    for caller in listed:
        marks: list[bytes | str] = [*caller.tokens, *caller.certificates]
        for mark in marks:
            if owners.setdefault(mark, caller.name) != caller.name:
                raise ValueError(
                    f"[callers.{owners[mark]}] and [callers.{caller.name}] share a token or certificate"
                )


class AccessFile:
    """The list of a file, read again when it changes."""

    def __init__(self, path: Path, default: Quota, clock: Callable[[], float]) -> None:
        """Read the file.

        Raises:
            StartError: It cannot be read or is wrong.
        """
        self._path, self._default, self._clock = path, default, clock
        try:
            self._stamp = self._stamps()
            self._list = self._read()
        except (OSError, ValueError) as error:
            raise StartError(f"--access-file {path}: {_reason(error)}") from None
        self._looked = clock()

    def current(self) -> AccessList:
        """Return the list in force; looks for a new file once a second."""
        now = self._clock()
        if now - self._looked >= _LOOK_AGAIN_SECONDS:
            self._looked = now
            self.reload(only_if_changed=True)
        return self._list

    def reload(self, *, only_if_changed: bool = False) -> None:
        """Read the file again; one that cannot be used leaves the list in force."""
        try:
            stamp = self._stamps()
            if only_if_changed and stamp == self._stamp:
                return
            self._stamp = stamp
            self._list = self._read()
        except (OSError, ValueError) as error:
            if self._stamp is not None or not only_if_changed:
                fields = {"file": str(self._path), "reason": _reason(error)}
                _log.error("the access file cannot be used; the list before stays", extra={"fields": fields})
            if isinstance(error, OSError):
                self._stamp = None
        else:
            _log.info("access file read", extra={"fields": {"callers": len(self._list.callers)}})

    def quota_of(self, caller: str) -> Quota | None:
        """Return the quota of an identity as ``authenticate`` gives it; None for any other."""
        _, _, name = caller.partition(":")
        listed = self._list.callers.get(name) if caller == listed_identity(name) else None
        return listed.quota if listed else None

    def authenticate(self, authorization: str | None, certificate_names: Iterable[str]) -> str:
        """Return the name of the caller who has these credentials.

        Args:
            authorization: Value of the metadata entry of that name; None if there is none.
            certificate_names: Names in the client certificate that TLS verified; empty if there is none.

        Raises:
            UnauthenticatedError: There are no credentials, or a token that nobody has.
            PermissionDeniedError: The certificate is good but not listed.
        """
        listed = self.current()
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
            caller = listed.with_token(token.strip()) if scheme.lower() == "bearer" else None
            if caller is None:
                raise UnauthenticatedError("the token is not one that this service knows; give a valid one")
            return caller.name
        names = list(certificate_names)
        if not names:
            raise UnauthenticatedError(
                "no credentials; send the metadata authorization: Bearer TOKEN, or present a certificate"
            )
        caller = listed.with_certificate(names)
        if caller is None:
            raise PermissionDeniedError("the certificate is valid but not listed here; ask for access")
        return caller.name

    def _stamps(self) -> tuple[int, int, int] | None:
        status = self._path.stat()
        return status.st_mtime_ns, status.st_ino, status.st_size

    def _read(self) -> AccessList:
        with self._path.open("rb") as file:
            raw = file.read(_MAX_FILE_BYTES + 1)
        if len(raw) > _MAX_FILE_BYTES:
            raise ValueError(f"is larger than {_MAX_FILE_BYTES} bytes")
        try:
            return parse_access(raw.decode(), self._default)
        except UnicodeDecodeError:
            raise ValueError("is not UTF-8") from None


def _reason(error: Exception) -> str:
    return f"cannot be read: {error.strerror}" if isinstance(error, OSError) else str(error)
