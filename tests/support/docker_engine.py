"""A Docker Engine for tests: the one that runs here, or one that is started for them and ended after them."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60


class NoEngineError(Exception):
    """There is no engine here, and none can be started; says what is missing."""


@dataclass(frozen=True)
class Engine:
    """A running engine and its clients."""

    host: str

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "DOCKER_HOST": self.host}

    def docker(
        self, *arguments: str, check: bool = True, stdin: str | None = None, seconds: float = 120
    ) -> str:
        """Run the client; returns what it printed."""
        return run(["docker", *arguments], self.environment, check=check, stdin=stdin, seconds=seconds)

    def compose_command(self) -> list[str]:
        """Compose v2 where the client has it, else docker-compose."""
        asked = subprocess.run(
            ["docker", "compose", "version"], capture_output=True, check=False, env=self.environment
        )
        if asked.returncode == 0:
            return ["docker", "compose"]
        if shutil.which("docker-compose"):
            return ["docker-compose"]
        raise NoEngineError(
            "neither `docker compose` nor docker-compose is installed (Debian: docker-compose)"
        )


def run(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    *,
    check: bool = True,
    stdin: str | None = None,
    seconds: float = 120,
    folder: Path | None = None,
    apart: bool = False,
) -> str:
    """Run a program; returns what it printed, both streams or with ``apart`` the first alone.

    With ``check`` a failure is an AssertionError that shows it.
    """
    ended = subprocess.run(
        command,
        check=False,
        env=environment,
        input=stdin if stdin is not None else "",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if apart else subprocess.STDOUT,
        text=True,
        timeout=seconds,
        cwd=folder,
    )
    told = ended.stdout + (ended.stderr or "")
    if check and ended.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {ended.returncode}:\n{told[-6000:]}")
    return ended.stdout


@contextlib.contextmanager
def engine() -> Iterator[Engine]:
    """Have an engine as long as the block lasts.

    Raises:
        NoEngineError: There is none.
    """
    if shutil.which("docker") is None:
        raise NoEngineError("no docker client is installed (Debian: docker.io)")
    given = Engine(os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock")
    if _answers(given):
        yield given
        return
    if os.environ.get("DOCKER_HOST"):
        raise NoEngineError(f"no engine answers at DOCKER_HOST={given.host}")
    if shutil.which("dockerd") is None:
        raise NoEngineError("no engine runs, and dockerd is not installed (Debian: docker.io)")
    if os.geteuid() != 0:
        raise NoEngineError("no engine runs, and only root can start one")
    with _started() as started:
        yield started


def _answers(one: Engine) -> bool:
    asked = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"],
        capture_output=True,
        check=False,
        env=one.environment,
    )
    return asked.returncode == 0


@contextlib.contextmanager
def _started() -> Iterator[Engine]:
    """Start dockerd with its usual data folder, so that what was built before is there."""
    with tempfile.TemporaryDirectory(prefix="i2s-dockerd-") as name:
        folder = Path(name)
        one = Engine(f"unix://{folder}/docker.sock")
        command = [
            "dockerd",
            "--host",
            one.host,
            "--pidfile",
            f"{folder}/pid",
            "--exec-root",
            f"{folder}/run",
        ]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        try:
            end = time.monotonic() + START_SECONDS
            while not _answers(one):
                if process.poll() is not None or time.monotonic() > end:
                    told = (folder / "log").read_text(errors="replace")[-2000:]
                    raise NoEngineError(f"dockerd cannot be started here:\n{told}")
                time.sleep(0.2)
            yield one
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
