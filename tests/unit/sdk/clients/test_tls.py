"""Credentials from files."""

from pathlib import Path

import grpc
import pytest

from i2s_sdk.clients.tls import tls_credentials
from i2s_sdk.errors import SettingsError


def test_without_certificates_to_check_against_there_is_no_tls() -> None:
    assert tls_credentials(None) is None


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nowhere"):
        tls_credentials(tmp_path / "nowhere")


def test_files_become_credentials(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("")
    assert isinstance(tls_credentials(tmp_path / "ca.pem"), grpc.ChannelCredentials)
