"""Renders one example with each engine, by services that are started for it.

    python renders.py EXAMPLES SERVICE…
    python renders.py EXAMPLES SERVICE… --doctor     with those services running, `i2s-sdk doctor --json` too

Prints {"rendered": {service: {"tier", "mechanisms", "verdict", "message", "png" (base64, or null)}}, "doctor"
(what the command prints), "doctor_code"}; for a service that does not start, {"error"}.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from examine import doctor

from i2s_client.render import AsyncRenderClient
from i2s_sdk.settings import Settings
from i2s_sdk.stack.services import open_services
from i2s_sdk.tasks import Origin, Structure
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.webpage.site import site_structure
from i2s_wire.renderers import RENDER_LATEX, RENDER_LILYPOND

_START_SECONDS = 1200.0


def example(examples: Path, service: str) -> tuple[str, Structure]:
    """Return the task of a service, and what it renders."""
    structures = examples / "structures"
    if service == RENDER_LATEX.name:
        return "latex", Structure((structures / "table-sampling-steps.tex").read_text())
    if service == RENDER_LILYPOND.name:
        return "music", Structure((structures / "music-melody.ly").read_text())
    page = (examples / "sites/webpage-css-reading-list/index.html").read_text()
    return "webpage", site_structure({"index.html": page}, Origin.BARE)


async def render(
    client: AsyncRenderClient, examples: Path, service: str, settings: Settings
) -> dict[str, object]:
    """Render the example of a service."""
    about = await client.describe()
    name, structure = example(examples, service)
    task = open_task(name, settings.profile).rendering
    assert task is not None, "its examples are rendered"
    rendering = await client.render(task.request(task.document(structure)))
    pictures = rendering.pictures if rendering.verdict.has_picture else ()
    return {
        "tier": about.isolation.tier.name,
        "mechanisms": list(about.isolation.mechanisms),
        "verdict": rendering.verdict.name,
        "message": rendering.message,
        "png": base64.b64encode(pictures[0].png).decode() if pictures else None,
    }


@contextlib.contextmanager
def shown(logs: str, services: list[str]) -> Iterator[None]:
    """Copy the logs of services to standard error as they are written: a start that never ends is seen."""
    files = [f"{logs}/{service}.log" for service in services]
    command = ["tail", "--quiet", "--follow=name", "--retry", "--lines=+1", *files]
    with subprocess.Popen(command, stdout=sys.stderr, stderr=subprocess.DEVNULL) as tail:
        try:
            yield
        finally:
            tail.kill()


async def main(examples: Path, services: list[str], with_doctor: bool) -> dict[str, object]:
    """Render with every service that starts."""
    rendered: dict[str, dict[str, object]] = {}
    found: dict[str, object] = {"rendered": rendered}
    settings = Settings(start_seconds=_START_SECONDS)
    with tempfile.TemporaryDirectory() as logs, shown(logs, services):
        async with open_services(settings, Path(logs), services, optional=services) as opened:
            rendered.update({name: {"error": error.message} for name, error in opened.missing.items()})
            for service, client in opened.renderers.items():
                rendered[service] = await render(client, examples, service, settings)
            if with_doctor:
                addresses = {name: child.address for name, child in opened.children.items()}
                found["doctor_code"], found["doctor"] = await asyncio.to_thread(doctor, addresses)
    return found


if __name__ == "__main__":
    chosen = [one for one in sys.argv[2:] if one != "--doctor"]
    print(json.dumps(asyncio.run(main(Path(sys.argv[1]), chosen, "--doctor" in sys.argv))))
