"""A bare root of each Debian release, in which the README's first command was run from nothing."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pytest

import debian_root
from chosen import chosen, why_not
from debian_root import DebianRoot, NoRootError

SUITES = ("bookworm", "trixie")
EVALUATE_SECONDS = 3600
COMMAND_SECONDS = 900
OUT = "runs/platforms"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.platforms)
            # What fixtures start has limits of its own.
            item.add_marker(pytest.mark.timeout(COMMAND_SECONDS, func_only=True))


@dataclass(frozen=True)
class Evaluated:
    """A root after ``make evaluate``, and after the same with the ground truth as the model.

    Attributes:
        root: The root.
        code: The exit code of the command.
        said: What it wrote.
    """

    root: DebianRoot
    code: int
    said: str

    def run_of(self, model: str) -> Path:
        """The folder of the run of a model."""
        return self.root.checkout / OUT / model

    def json(self, *arguments: str) -> dict:
        """Run i2s-sdk inside with ``--json``; returns its document."""
        ended = subprocess.run(
            self.root.command(".venv/bin/i2s-sdk", *arguments, "--json"),
            env=debian_root.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=COMMAND_SECONDS,
        )
        assert ended.stdout, ended.stderr[-4000:]
        return json.loads(ended.stdout)


def lacks(what: object) -> NoReturn:
    """End a test that this machine lacks something for: in I2S_REQUIRE_PLATFORMS's presence as a failure."""
    if os.environ.get("I2S_REQUIRE_PLATFORMS"):
        pytest.fail(f"I2S_REQUIRE_PLATFORMS is set, but: {what}", pytrace=False)
    pytest.skip(f"NOT TESTED ON OTHER PLATFORMS: {what}")


@pytest.fixture(scope="session", params=chosen("I2S_REQUIRE_PLATFORMS", SUITES))
def evaluated(request: pytest.FixtureRequest) -> Iterator[Evaluated]:
    """A new root in which the command was run. It is removed afterwards; what was downloaded for it stays.

    With I2S_KEEP_ROOTS set the root stays too.
    """
    not_wanted = why_not("I2S_REQUIRE_PLATFORMS", "platforms")
    if not_wanted is not None:
        pytest.skip(f"NOT TESTED ON OTHER PLATFORMS: {not_wanted}")
    try:
        root = debian_root.make(request.param)
    except NoRootError as reason:
        lacks(reason)
    log = root.folder.with_name("evaluate.log")
    log.unlink(missing_ok=True)
    code = root.run("make", "evaluate", f"OUT={OUT}", log=log, seconds=EVALUATE_SECONDS)
    code = code or root.run(
        "make", "evaluate", "MODEL=oracle", f"OUT={OUT}/oracle", log=log, seconds=COMMAND_SECONDS
    )
    yield Evaluated(root, code, log.read_text(errors="replace"))
    if not os.environ.get("I2S_KEEP_ROOTS"):
        debian_root.remove(root)


@pytest.fixture(scope="session")
def drawn_here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the ground truth of the bundled web pages on this machine itself."""
    run = tmp_path_factory.mktemp("here") / "run"
    command = [
        debian_root.CHECKOUT / ".venv/bin/i2s-sdk",
        "evaluate",
        "--model",
        "oracle",
        "--task",
        "webpage",
    ]
    ended = subprocess.run(
        [*command, "--data", debian_root.CHECKOUT / "examples", "--out", run],
        capture_output=True,
        text=True,
        check=False,
        timeout=COMMAND_SECONDS,
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-4000:]
    return run
