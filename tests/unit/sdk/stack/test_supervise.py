"""What a supervisor holds: its log stays bounded, and its gateway gets services that serve again."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from i2s_client.service_table import GATEWAY
from i2s_sdk.errors import ServiceStartError, StackError
from i2s_sdk.stack import child as child_module
from i2s_sdk.stack import supervise as supervise_module
from i2s_sdk.stack.command import ServiceCommand
from i2s_sdk.stack.state import Up, read_record, stack_folder, supervising


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


#: Serves once a file is there, and ends before.
_SERVICE = """
import json, os, pathlib, signal, sys
if not pathlib.Path(sys.argv[1]).exists():
    sys.exit("there is no file")
announce = pathlib.Path(sys.argv[sys.argv.index("--announce") + 1])
address = sys.argv[sys.argv.index("--listen") + 1].replace(":0", ":1")
announce.with_suffix(".new").write_text(json.dumps({"address": address, "pid": os.getpid()}))
announce.with_suffix(".new").replace(announce)
signal.pause()
"""


def service(name: str, file: Path, listen: str = "127.0.0.1:0") -> ServiceCommand:
    return ServiceCommand(name, None, program=(sys.executable, "-c", _SERVICE, str(file)), listen=listen)


def insist(name: str, error: StackError) -> None:
    raise error


async def recorded(is_so: Callable[[Up], object]) -> Up:
    """Return the record once something is so."""
    async with asyncio.timeout(20):
        while (up := read_record()) is None or not is_so(up):
            await asyncio.sleep(0.02)
    return up


@pytest.fixture
def gateways(tmp_path, monkeypatch) -> list[tuple[list[str], str]]:
    """The services behind each gateway that was started, and its address; it serves if "http" is there."""
    made: list[tuple[list[str], str]] = []
    (tmp_path / "http").touch()

    def command(addresses: dict[str, str], listen: str) -> ServiceCommand:
        made.append((sorted(addresses), listen))
        return service(GATEWAY, tmp_path / "http", listen)

    monkeypatch.setattr(supervise_module, "gateway_command", command)
    monkeypatch.setattr(child_module, "_pause", lambda deaths: 0.05)
    return made


@contextlib.asynccontextmanager
async def held(folder: Path, here: Path, later: Path, listen: str):
    """Hold a service that serves, one that fails until ``later`` is there, and a gateway."""
    stack = supervise_module._Stack(folder, {}, asyncio.Event(), asyncio.Event())
    commands = [service("good", here), service("bad", later, "127.0.0.1:7")]
    with supervising(folder):
        holding = asyncio.create_task(stack.hold(commands, 60.0, listen, insist, lambda: None))
        yield
        holding.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await holding


async def test_a_service_that_serves_again_comes_behind_the_gateway(folder, tmp_path, gateways):
    later = tmp_path / "later"
    async with held(folder, tmp_path / "http", later, "127.0.0.1:9"):
        await recorded(lambda up: "bad" in up.failing and up.address(GATEWAY))
        assert gateways == [(["good"], "127.0.0.1:9")]
        later.touch()
        await recorded(lambda up: not up.failing and len(gateways) == 2)
        assert gateways[1] == (["bad", "good"], "127.0.0.1:9")
        assert (await recorded(lambda up: True)).address(GATEWAY) == "127.0.0.1:9"


async def test_a_gateway_that_does_not_start_again_is_missing_and_the_services_stay(
    folder, tmp_path, gateways
):
    here, later = tmp_path / "here", tmp_path / "later"
    here.touch()
    async with held(folder, here, later, "127.0.0.1:9"):
        await recorded(lambda up: up.address(GATEWAY))
        (tmp_path / "http").unlink()
        later.touch()
        up = await recorded(lambda up: GATEWAY in up.missing)
        assert {one.name for one in up.services} == {"good", "bad"}
        assert not up.failing


async def test_without_a_service_that_serves_there_is_no_gateway(folder, tmp_path, gateways):
    stack = supervise_module._Stack(folder, {}, asyncio.Event(), asyncio.Event())
    bad = [service("bad", tmp_path / "nothing")]
    with pytest.raises(ServiceStartError):
        await stack.hold(bad, 60.0, "127.0.0.1:9", insist, lambda: None)
    assert gateways == []
