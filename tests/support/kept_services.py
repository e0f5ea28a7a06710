"""Services of this project in a process that keeps them running, for suites that only call them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from i2s_sdk.settings import Settings

REPOSITORY = Path(__file__).resolve().parents[2]

_KEEP = """
import asyncio, json, sys
from pathlib import Path
from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services

async def main():
    logs, *names = sys.argv[1:]
    async with open_services(Settings(), Path(logs), names) as services:
        print(json.dumps({name: client.address for name, client in services.clients.items()}), flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@contextmanager
def kept_addresses(
    logs: Path, environment: Mapping[str, str], services: Sequence[str], python: Path | str = sys.executable
) -> Iterator[tuple[int, dict[str, str]]]:
    """Have services run as long as the block lasts, and be started again when they die.

    Args:
        logs: Folder for their logs.
        environment: Theirs.
        services: Names of the services.
        python: Interpreter of the environment that has them.

    Yields:
        The process that keeps them, and their addresses by name.
    """
    command = [str(python), "-c", _KEEP, str(logs), *services]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as keeper:
        assert keeper.stdin is not None
        assert keeper.stdout is not None
        try:
            yield keeper.pid, json.loads(keeper.stdout.readline())
        finally:
            keeper.stdin.close()
            keeper.wait(60)


@contextmanager
def kept_services(
    logs: Path,
    environment: Mapping[str, str],
    services: Sequence[str] = ("render-latex", "metrics"),
    python: Path | str = sys.executable,
) -> Iterator[Settings]:
    """Have services run as long as the block lasts.

    Args:
        logs: Folder for their logs.
        environment: Theirs.
        services: Names of the services.
        python: Interpreter of the environment that has them.
    """
    with kept_addresses(logs, environment, services, python) as (_, addresses):
        named = {name.replace("-", "_"): address for name, address in addresses.items()}
        yield Settings(examples=REPOSITORY / "examples", reference_points="no", **named)
