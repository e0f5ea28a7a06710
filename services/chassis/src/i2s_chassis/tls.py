"""Certificates of the server, read again when their files change."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from pathlib import Path
from typing import cast

import grpc

from i2s_chassis.errors import StartError
from i2s_chassis.settings import ServiceSettings

_log = logging.getLogger(__name__)


def server_credentials(settings: ServiceSettings) -> grpc.ServerCredentials | None:
    """Return credentials that follow the files; None if TLS is not set.

    Raises:
        StartError: A file cannot be read, or holds no key or certificate.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    files = _Files(settings.tls_cert, settings.tls_key, settings.tls_client_ca)
    try:
        first = files.read()
        # Checked here because grpc reports a bad pair at the first handshake only.
        files.check()
    except OSError as error:
        pair = f"--tls-cert {settings.tls_cert}, --tls-key {settings.tls_key}"
        raise StartError(f"{pair}: cannot be used: {error.strerror or error}") from None
    # grpc takes None for "no change", which its types do not say.
    fetch = cast(Callable[[], grpc.ServerCertificateConfiguration], files.changed)
    return grpc.dynamic_ssl_server_credentials(first, fetch, settings.tls_client_ca is not None)


class _Files:
    def __init__(self, cert: Path, key: Path, client_ca: Path | None) -> None:
        self._cert, self._key, self._client_ca = cert, key, client_ca
        self._stamp = self._stamps()

    def read(self) -> grpc.ServerCertificateConfiguration:
        pair = (self._key.read_bytes(), self._cert.read_bytes())
        roots = self._client_ca.read_bytes() if self._client_ca else None
        return grpc.ssl_server_certificate_configuration([pair], roots)

    def check(self) -> None:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self._cert, self._key)

    def changed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new certificates, None if they are as before; called for each handshake."""
        try:
            stamp = self._stamps()
            if stamp == self._stamp:
                return None
            self.check()  # half-written files keep the old pair in force
            fresh = self.read()
        except OSError:
            _log.exception("the new TLS files cannot be used; the old ones stay in force")
            return None
        self._stamp = stamp
        _log.info("TLS files read again")
        return fresh

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        files = [file.stat() for file in (self._cert, self._key, self._client_ca) if file is not None]
        return tuple((file.st_mtime_ns, file.st_ino) for file in files)
