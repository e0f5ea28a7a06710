"""A service that is killed in the middle of a job costs time and nothing else."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services
from i2s_wire.render.rendering import Verdict
from i2s_wire.renderers import RENDER_LATEX

pytestmark = [
    pytest.mark.integration,
    pytest.mark.nightly(instead="soak/test_short_soak and test_replicas, which kill a service with jobs too"),
]

# About a second of work for TeX, so that there is a middle.
_SLOW = r"""\documentclass{article}
\newcount\n
\begin{document}
\loop\ifnum\n<12000000 \advance\n by 1 \repeat
\(e^{i\pi} + 1 = 0\)
\end{document}
"""


def _descendants_run(ancestor: int, program: str) -> bool:
    """Return whether a process below ``ancestor`` runs ``program`` now."""
    parents: dict[int, int] = {}
    running: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                name, rest = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue
            parents[int(entry.name)] = int(rest.split()[1])
            if name == program:
                running.append(int(entry.name))
    return any(ancestor in _ancestors(process, parents) for process in running)


def _ancestors(process: int, parents: dict[int, int]) -> set[int]:
    found: set[int] = set()
    while (process := parents.get(process, 0)) and process not in found:
        found.add(process)
    return found


async def test_killed_in_mid_job_gives_the_same_picture(tmp_path: Path) -> None:
    async with open_services(Settings(), tmp_path, (RENDER_LATEX.name,)) as services:
        child = services.children[RENDER_LATEX.name]
        before = await services.renderers["render-latex"].render_latex(_SLOW)
        assert before.verdict is Verdict.RENDERED

        first, address = child.pid, child.address
        job = asyncio.create_task(services.renderers["render-latex"].render_latex(_SLOW))
        while not _descendants_run(first, "pdflatex") and not job.done():
            await asyncio.sleep(0.01)
        assert not job.done()
        os.kill(first, signal.SIGKILL)
        after = await job

        assert child.pid != first
        assert child.address == address
        assert after.verdict is Verdict.RENDERED
        assert after.pictures[0].png == before.pictures[0].png
