"""Credentials of a connection, from files."""

from __future__ import annotations

from pathlib import Path

import grpc

from i2s_sdk.errors import SettingsError


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
    return grpc.ssl_channel_credentials(_read(ca), _read(key), _read(certificate))


def _read(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as error:
        raise SettingsError(f"TLS file {path}: cannot be read: {error.strerror}") from None
