"""An evaluation says that it uses services that are up, which may be those of another installation."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.cli.evaluate import tell_services_up
from i2s_sdk.settings import Settings
from i2s_sdk.stack.state import StackKind, Up, UpService, stack_folder, write_record


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A metric service that is recorded as a container, and that listens."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        write_record(Up(StackKind.DOCKER, (UpService("metrics", address, "i2s-metrics"),)), stack_folder())
        yield address


def test_services_that_are_up_are_said(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    tell_services_up(replace(Settings(), metrics=None))
    assert "uses the services that are up" in capsys.readouterr().err


def test_nothing_is_said_where_the_settings_name_the_service(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tell_services_up(replace(Settings(), metrics="127.0.0.1:1"))
    assert capsys.readouterr().err == ""
