"""What a supervisor holds: its log stays bounded."""

from __future__ import annotations

import asyncio
import contextlib

import pytest

from i2s_sdk.stack import child as child_module
from i2s_sdk.stack import supervise as supervise_module
from i2s_sdk.stack.state import stack_folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    folder = stack_folder()
    folder.mkdir(parents=True)
    return folder


async def test_the_log_of_the_supervisor_stays_bounded(folder, monkeypatch):
    monkeypatch.setattr(child_module, "_LOG_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(child_module, "LOG_BYTES", 4)
    log = folder / "supervisor.log"
    log.write_text("too long")

    async def hold(*given: object) -> None:
        while log.stat().st_size:
            await asyncio.sleep(0.01)

    monkeypatch.setattr(supervise_module._Stack, "hold", hold)
    holding = supervise_module.supervise(
        (), 60.0, insist=False, http="", ports="free", started=contextlib.nullcontext
    )
    await asyncio.wait_for(holding, 20)
    assert (folder / "supervisor.log.1").read_text() == "too long"
