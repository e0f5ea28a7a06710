"""The guests, which boot while the first tests wait, two at a time; each part runs once for all its tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

import guest_machine
from chosen import why_not
from guest_disk import ROOT
from guest_machine import (
    HARDWARE,
    Disks,
    GuestError,
    Step,
    architecture_of,
    kernel_folder,
    parts,
    run_guest,
)
from guest_results import EXPECTED, Guest

HERE = Path(__file__).parent
AT_ONCE = 2
TEST_SECONDS = 60


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # A choice of kernels and parts may leave nothing for a test to look at.
    left_out = [one for one in items if HERE in one.path.parents and "NOTSET" in one.name]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [one for one in items if one not in left_out]
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.kernels)
            # A guest has a limit of its own, and may wait for many others before it starts.
            item.add_marker(pytest.mark.timeout(TEST_SECONDS, func_only=True))


def lacks(what: object) -> NoReturn:
    """End a test that this machine lacks something for: in I2S_REQUIRE_KERNELS's presence as a failure."""
    if os.environ.get("I2S_REQUIRE_KERNELS"):
        pytest.fail(f"I2S_REQUIRE_KERNELS is set, but: {what}", pytrace=False)
    pytest.skip(f"NOT TESTED ON OTHER KERNELS: {what}")


@pytest.fixture(scope="session")
def running(request: pytest.FixtureRequest) -> Iterator[dict[tuple[str, str], Future[dict[str, Step]]]]:
    """All parts of guests that the chosen tests ask for, by name and part."""
    chosen = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    wanted = {parameters.get("guest") for parameters in chosen}
    not_wanted = why_not("I2S_REQUIRE_KERNELS", "kernels")
    if not_wanted is not None:
        pytest.skip(f"NOT TESTED ON OTHER KERNELS: {not_wanted}")
    architectures = {
        architecture_of(about)
        for name, about in EXPECTED.items()
        if any(name == one[0] for one in wanted if one)
    }
    reason = guest_machine.lacking(architectures)
    if reason is not None:
        lacks(reason)
    disks = {one: Disks.make(one) for one in architectures}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        futures = {}
        for name, about in EXPECTED.items():
            kernel, architecture = kernel_folder(about) / "vmlinuz", architecture_of(about)
            for part, words in parts(about).items():
                if (name, part) in wanted and kernel.exists():
                    futures[name, part] = pool.submit(
                        run_guest,
                        HARDWARE[architecture],
                        kernel,
                        disks[architecture],
                        words,
                        about.get("options", ""),
                    )
        try:
            yield futures
        finally:
            for future in futures.values():
                future.cancel()


@pytest.fixture(scope="session")
def guest(request: pytest.FixtureRequest, running: dict[tuple[str, str], Future[dict[str, Step]]]) -> Guest:
    name, part = request.param
    if (name, part) not in running:
        missing = kernel_folder(EXPECTED[name]) / "missing"
        if missing.exists():  # nobody here can bring it back
            pytest.skip(f"NOT TESTED ON OTHER KERNELS: {missing.read_text().strip()}")
        lacks(f"the kernel of {name} was not fetched; run `scripts/bootstrap kernels`")
    try:
        return Guest(name, running[name, part].result())
    except GuestError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def rendered_here() -> dict[str, dict[str, Any]]:
    """The same examples, rendered on the kernel of this machine."""
    program = HERE / "guest/renders.py"
    engines = ("render-latex", "render-html", "render-lilypond")
    command = [sys.executable, str(program), str(ROOT / "examples"), *engines]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rendered: dict[str, dict[str, Any]] = json.loads(done.stdout)["rendered"]
    return rendered
