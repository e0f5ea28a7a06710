"""A Docker Engine for tests: the one that runs here, or one that is started for them and ended after them."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

from afterwards import Afterwards

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60
BUILD_SECONDS = 3600
END_SECONDS = 20
PREFIX = "i2s-test-"  # of the Compose projects of tests
PROJECT_LABEL = "com.docker.compose.project"
RECORDING = "org.image2struct.record"  # label of the containers of deploy/images/record


class NoEngineError(Exception):
    """There is no engine here, and none can be started; says what is missing."""


@dataclass(frozen=True)
class Engine:
    """A running engine and its clients.

    Attributes:
        host: Its address.
        afterwards: What is undone at the end of the tests, however they end.
    """

    host: str
    afterwards: Afterwards

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "DOCKER_HOST": self.host}

    def docker(
        self, *arguments: str, check: bool = True, stdin: str | None = None, seconds: float = 120
    ) -> str:
        """Run the client; returns what it printed."""
        return run(["docker", *arguments], self.environment, check=check, stdin=stdin, seconds=seconds)

    def undo(self, *command: str, folder: Path | None = None, **environment: str) -> None:
        """Have a command run once the tests end, however they end."""
        self.afterwards.undo(*command, folder=folder, **{"DOCKER_HOST": self.host, **environment})

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
    started = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if apart else subprocess.STDOUT,
        text=True,
        cwd=folder,
        start_new_session=True,
    )
    try:
        out, errors = started.communicate(stdin if stdin is not None else "", timeout=seconds)
    except BaseException:
        _end(started)
        raise
    if check and started.returncode:
        told = out + (errors or "")
        raise AssertionError(f"{' '.join(command)} ended with {started.returncode}:\n{told[-6000:]}")
    return out


def _end(started: subprocess.Popen[str]) -> None:
    """End a program and what it has started itself, which may want to tidy up."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(started.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.communicate(timeout=END_SECONDS)
            return


def lacks(what: object) -> NoReturn:
    """End a test that this machine lacks something for: in I2S_REQUIRE_DOCKER's presence as a failure."""
    if os.environ.get("I2S_REQUIRE_DOCKER"):
        pytest.fail(f"I2S_REQUIRE_DOCKER is set, but: {what}", pytrace=False)
    pytest.skip(f"NOT TESTED IN CONTAINERS: {what}")


@contextlib.contextmanager
def engine() -> Iterator[Engine]:
    """Have an engine as long as the block lasts.

    Raises:
        NoEngineError: There is none.
    """
    if shutil.which("docker") is None:
        raise NoEngineError("no docker client is installed (Debian: docker.io)")
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if _answers(host):
        with _until_the_end(Afterwards()) as afterwards:
            yield Engine(host, afterwards)
        return
    if os.environ.get("DOCKER_HOST"):
        raise NoEngineError(f"no engine answers at DOCKER_HOST={host}")
    if shutil.which("dockerd") is None:
        raise NoEngineError("no engine runs, and dockerd is not installed (Debian: docker.io)")
    if os.geteuid() != 0:
        raise NoEngineError("no engine runs, and only root can start one")
    with _until_the_end(Afterwards(_dockerd)) as afterwards:
        one = Engine(_socket(afterwards.folder), afterwards)
        _wait_for(one)
        # A run that was killed together with its engine removed nothing, and a new engine starts the
        # containers whose restart policy asks for it.
        remove_projects(one, PREFIX)
        yield one


def build_images(engine: Engine) -> None:
    """Build all images where anything has changed.

    With I2S_IMAGES_AS_THEY_ARE set, those that are there are taken. With NETWORKS=cpu the image metrics
    is built with PyTorch.
    """
    if os.environ.get("I2S_IMAGES_AS_THEY_ARE"):
        return
    # A build that is killed leaves the container that was to say what the image is.
    engine.undo(
        "sh", "-c", f"docker ps --all --quiet --filter label={RECORDING} | xargs -r docker rm --force"
    )
    print(run([str(ROOT / "deploy/images/build")], engine.environment, seconds=BUILD_SECONDS))


def remove_projects(engine: Engine, prefix: str) -> None:
    """Remove containers, networks and volumes of the Compose projects whose names begin with a prefix."""
    for listing, attribute, removal in (
        (("ps", "--all"), "ID", ("rm", "--force")),
        (("network", "ls"), "ID", ("network", "rm")),
        (("volume", "ls"), "Name", ("volume", "rm")),
    ):
        row = f'{{{{.{attribute}}}}} {{{{.Label "{PROJECT_LABEL}"}}}}'
        listed = engine.docker(*listing, f"--filter=label={PROJECT_LABEL}", f"--format={row}")
        named = [one for one, project in map(str.split, listed.splitlines()) if project.startswith(prefix)]
        if named:
            engine.docker(*removal, *named)


def _answers(host: str) -> bool:
    asked = subprocess.run(
        ["docker", "version", "--format", "{{.Server.Version}}"],
        capture_output=True,
        check=False,
        env={**os.environ, "DOCKER_HOST": host},
    )
    return asked.returncode == 0


def _socket(folder: Path) -> str:
    return f"unix://{folder}/docker.sock"


def _dockerd(folder: Path) -> list[str]:
    """Return its command line; its data folder, with earlier builds, is the usual one or I2S_DOCKER_DATA."""
    data = os.environ.get("I2S_DOCKER_DATA")
    command = [
        "dockerd",
        "--host",
        _socket(folder),
        "--pidfile",
        f"{folder}/pid",
        "--exec-root",
        f"{folder}/run",
    ]
    if shutil.which("runsc"):
        command += ["--add-runtime", f"i2s-runsc={ROOT}/tests/support/runsc"]
    return [*command, "--data-root", data] if data else command


@contextlib.contextmanager
def _until_the_end(afterwards: Afterwards) -> Iterator[Afterwards]:
    try:
        yield afterwards
    finally:
        afterwards.now()


def _wait_for(one: Engine) -> None:
    end = time.monotonic() + START_SECONDS
    while not _answers(one.host):
        if one.afterwards.process.poll() is not None or time.monotonic() > end:
            raise NoEngineError(f"dockerd cannot be started here:\n{one.afterwards.log()}")
        time.sleep(0.2)
