"""Renders good and hostile jobs at random over running services while their processes are killed and stopped.

    PYTHONPATH=tests/support .venv/bin/python tests/soak/run.py [--jobs N] [--actions N] [--seed N] …

The summary goes to standard output as JSON, progress and a table to standard error. The exit code is 1 if a
good image was different, a hostile verdict is not permitted, or what the services hold grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from i2s_sdk import AsyncRenderClient, RetryPolicy
from i2s_wire.renderers import RENDERER_SPECS
from kept_services import kept_addresses
from soak.course import Course, Outcome, Wanted
from soak.jobs import kinds_of
from soak.resources import Observer, adopt_orphans, left_behind
from soak.summary import summary, table

SERVICES = ",".join(renderer_spec.name for renderer_spec in RENDERER_SPECS)
#: More than any job takes on a busy machine: what hangs is a fault.
DEADLINE_SECONDS = 600.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=1000, help="good jobs, and as many hostile ones")
    parser.add_argument("--actions", type=int, help="kills and stops; a tenth of the jobs where not given")
    parser.add_argument("--service-deaths", type=int, help="the most that hit a service itself")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--at-once", type=int, default=6, help="jobs under way")
    parser.add_argument("--checkpoints", type=int, default=10)
    parser.add_argument("--patience", type=float, default=120.0, help="seconds to come to rest")
    parser.add_argument("--services", default=SERVICES, help="names of renderers, with commas")
    return parser.parse_args()


async def _course(wanted: Wanted, addresses: dict[str, str], observer: Observer) -> Outcome:
    kinds = [kind for name in addresses for kind in kinds_of(name)]
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {text}", file=sys.stderr, flush=True)

    async with AsyncExitStack() as stack:
        retry = RetryPolicy(total_seconds=DEADLINE_SECONDS)
        clients = {}
        for name, address in addresses.items():
            client = AsyncRenderClient(address, deadline=DEADLINE_SECONDS, retry=retry)
            clients[name] = await stack.enter_async_context(client)
        return await Course(wanted, kinds, clients, observer, say).run()


def main() -> int:
    """Run a soak; the exit code says whether it found nothing."""
    asked = _arguments()
    actions = asked.actions if asked.actions is not None else max(1, asked.jobs // 10)
    deaths = asked.service_deaths if asked.service_deaths is not None else max(1, actions // 10)
    wanted = Wanted(asked.jobs, actions, deaths, asked.seed, asked.at_once, asked.checkpoints, asked.patience)
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="i2s-soak-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        logs, temporary = folder / "logs", folder / "tmp"
        logs.mkdir()
        temporary.mkdir()
        temporary.chmod(0o1777)  # services run as users of their own
        environment = {one: value for one, value in os.environ.items() if one != "I2S_RENDER_CACHE"}
        environment |= {"TMPDIR": str(temporary), "XDG_STATE_HOME": str(folder / "state")}
        names = asked.services.split(",")
        began = time.monotonic()
        try:
            with kept_addresses(logs, environment, names) as (keeper, addresses):
                print(f"{len(addresses)} services serve", file=sys.stderr, flush=True)
                outcome = asyncio.run(_course(wanted, addresses, Observer(keeper, logs, temporary, names)))
        finally:
            left = left_behind(temporary)
        outcome.held += left
        if outcome.faults:
            for log in logs.glob("*.log"):
                kept = Path(tempfile.mkdtemp(prefix="soak-logs-")) / log.name
                kept.write_bytes(log.read_bytes())
                print(f"log of {log.stem}: {kept}", file=sys.stderr)
    found = summary(wanted, outcome, time.monotonic() - began)
    print(table(found), file=sys.stderr)
    print(json.dumps(found, indent=2))
    return 0 if found["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
