"""Services for all tests of the SDK, started once by the SDK's own stack."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.settings import Settings

REPOSITORY = Path(__file__).resolve().parents[3]

_KEEP = """
import asyncio, json, sys
from pathlib import Path
from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services

async def main():
    async with open_services(Settings(), Path(sys.argv[1])) as services:
        print(json.dumps({name: client.address for name, client in services.clients.items()}), flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings that name a renderer and a metric service that run."""
    logs = tmp_path_factory.mktemp("logs")
    command = [sys.executable, "-c", _KEEP, str(logs)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        try:
            addresses = json.loads(keeper.stdout.readline())
            yield Settings(
                render_latex=addresses["render-latex"],
                metrics=addresses["metrics"],
                examples=REPOSITORY / "examples",
            )
        finally:
            keeper.stdin.close()
            keeper.wait(60)


@pytest.fixture(scope="session")
def endpoints(running: Settings) -> dict[str, str]:
    """The same as environment variables."""
    return {
        "I2S_RENDER_LATEX": str(running.render_latex),
        "I2S_METRICS": str(running.metrics),
        "I2S_EXAMPLES": str(running.examples),
    }
