"""The renderer of Pillow programs, made to keep something of each job: python -m leaking_renderer serve."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Literal

from pydantic import Field

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.renderer.model import RawRendering
from i2s_chassis.server.service import Service
from pillow_renderer.engine import Job
from pillow_renderer.settings import PillowSettings


class LeakingSettings(PillowSettings):
    """How the renderer serves, and what it keeps."""

    leak: Literal["nothing", "process", "picture", "megabyte", "descriptor"] = Field(
        "nothing", description="What is kept of each job, for ever."
    )


def _build(settings: LeakingSettings) -> Service:
    from pillow_renderer.service import PillowService
    from pillow_renderer.servicer import PillowServicer

    kept: list[Any] = []

    class LeakingServicer(PillowServicer):
        """Keeps something of each job."""

        async def render(self, job: Job) -> RawRendering:
            rendering = await super().render(job)
            match settings.leak:
                case "process":
                    kept.append(_sleeping())
                case "picture":
                    kept.append(tempfile.mkstemp(suffix=".png"))
                    os.close(kept[-1][0])
                case "megabyte":
                    kept.append(b"x" * (1 << 20))
                case "descriptor":
                    kept.append(os.open("/dev/null", os.O_RDONLY))
            return rendering

    class LeakingService(PillowService):
        """Hands out that servicer."""

        servicer = LeakingServicer

    return LeakingService(settings)


def _sleeping() -> int:
    """Start a process that sleeps until it is killed; returns its number."""
    pid = os.fork()
    if pid == 0:
        while True:
            os.read(_PIPE[0], 1)
    return pid


_PIPE = os.pipe()  # of which nothing ever comes

if __name__ == "__main__":
    run_renderer(LeakingSettings, _build)
