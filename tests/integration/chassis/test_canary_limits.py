"""CPU seconds decide whether a renderer becomes ready; the wall time of a job does not."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from documents_service import Documents
from i2s_chassis.contract import Renderer
from i2s_chassis.contract.process import started
from renderers import ENVIRONMENT, HTML, LATEX, LILYPOND, PILLOW, PYTHON
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]
SERVICES: dict[str, Renderer | Documents] = {
    **{one.service: one for one in (PILLOW, LATEX, LILYPOND, PYTHON, HTML)},
    "documents": Documents(),
}


@contextmanager
def options_of(service: Renderer | Documents, *options: str) -> Iterator[tuple[Path, list[str]]]:
    """Make a folder that the users of jobs can reach, and return it with the options of a service."""
    with tempfile.TemporaryDirectory(prefix="i2s-canary-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder, [*service.arguments(folder), "--slots", "1", *options]


@pytest.mark.parametrize(
    "name", some(SERVICES, one_in=2, instead="other services, which start by the same code of the chassis")
)
def test_a_service_whose_jobs_have_no_wall_time_becomes_ready(name: str) -> None:
    few = ("--limit-wall-seconds", "0.001", "--max-wall-seconds", "3600")
    with (
        options_of(SERVICES[name], *few) as (folder, options),
        started(SERVICES[name].module, folder, options, ENVIRONMENT),
    ):
        pass  # it serves


@pytest.mark.parametrize(
    "name", some(["render-lilypond", "render-python"], one_in=2, instead="the other, by the same code")
)
def test_a_canary_that_needs_more_cpu_time_than_a_job_has_ends_the_start_in_one_line(name: str) -> None:
    with options_of(SERVICES[name], "--limit-cpu-seconds", "0.001") as (_, options):
        command = [sys.executable, "-m", SERVICES[name].module, "serve", "--listen", "127.0.0.1:0", *options]
        ended = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, **ENVIRONMENT}
        )
    last = ended.stderr.splitlines()[-1]
    assert ended.returncode == 1
    assert "the canary was not rendered: TIME_LIMIT" in last
    assert "0.001 CPU seconds" in last
    assert "Traceback" not in ended.stderr
