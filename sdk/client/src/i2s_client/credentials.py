"""The credentials of calls: the bearer token that names a caller, and the files of TLS."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from i2s_client.errors import SettingsError

if TYPE_CHECKING:
    import grpc

_FORM = re.compile(r"[!-~]{1,512}")
_MAX_FILE_BYTES = 4096


class Token:
    """A secret that names us to a service; shows itself to nobody who prints or logs it.

    Raises:
        SettingsError: It cannot be a token.
    """

    def __init__(self, secret: str, source: str) -> None:
        if not _FORM.fullmatch(secret):
            raise SettingsError(f"{source}: a token is up to 512 visible ASCII characters without spaces")
        self._secret = secret

    @property
    def authorization(self) -> str:
        """The value of the metadata ``authorization`` of a call."""
        return f"Bearer {self._secret}"

    def __repr__(self) -> str:
        return "Token(***)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Token) and self._secret == other._secret

    def __hash__(self) -> int:
        return hash(self._secret)


def read_token(file: Path) -> Token:
    """Return the token that a file holds.

    Raises:
        SettingsError: The file cannot be read or holds no token.
    """
    try:
        with file.open("rb") as opened:
            raw = opened.read(_MAX_FILE_BYTES)
    except OSError as error:
        raise SettingsError(f"--token-file {file}: cannot be read: {error.strerror}") from None
    return Token(raw.decode("ascii", "replace").strip(), f"--token-file {file}")


def tls_credentials(
    ca: Path | None, certificate: Path | None = None, key: Path | None = None
) -> grpc.ChannelCredentials | None:
    """Return the credentials for services with TLS; None if there is no ``ca``.

    Args:
        ca: Certificates (PEM) that the service is checked against.
        certificate: Our chain (PEM), for services that ask for one.
        key: Its private key (PEM).

    Raises:
        SettingsError: A file cannot be read.
    """
    if ca is None:
        return None
    import grpc  # so that a command line that calls no service starts at once

    return grpc.ssl_channel_credentials(_tls_file(ca), _tls_file(key), _tls_file(certificate))


def _tls_file(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"TLS file {path}: cannot be read: {error.strerror}") from None
