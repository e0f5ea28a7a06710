"""Attacks of the security suite where services run: by a service of an ordinary user, and in containers.

The suite itself makes them as the user of the tests, most of the time root. Here whole files of it are run
once more: by nobody, and inside of the image of each service, started with the options of deploy/compose.
I2S_REQUIRE_ATTACKS chooses some by their names, such as "container pdflatex".
"""

from __future__ import annotations

import os
import secrets
import sysconfig
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import docker_engine
from chosen import chosen
from copied_packages import copy_packages
from docker_engine import ROOT, Engine
from ordinary_user import run_as_ordinary_user
from recorded_verdicts import USER, VARIABLE

VARIABLE_OF_SUITE = "I2S_REQUIRE_ATTACKS"
SECURITY = "tests/security"
PLACES = ("ordinary", "container")
COMPOSE = ROOT / "deploy" / "compose"
#: Time limit of a part in seconds, quiet; the longest takes a third of it.
PART_SECONDS = 3600
#: What the tests need and not every image has.
TEST_PACKAGES = ("pytest", "pytest-asyncio", "pytest-timeout", "hypothesis", "pillow", "pypdf")
_OPTIONS = ("-q", "-p", "no:cacheprovider")
_INSIDE = "/i2s"
_BASE = "debian:bookworm-slim"  # as deploy/images/build has it
_MULTIARCH = sysconfig.get_config_var("MULTIARCH")
#: Runs pytest in a container, where the packages of the image come before those of the tests.
_PYTEST = f"import sys; sys.path.append('{_INSIDE}/packages'); import pytest; sys.exit(pytest.main())"


@dataclass(frozen=True)
class Part:
    """Attacks on one service in one place, by tests that call its engine in their own process.

    Attributes:
        place: "ordinary" or "container".
        service: Name of the service.
        modules: What an interpreter must be able to import.
        files: Files of tests, from the root of the repository.
        keyword: Chooses those of the tiers that there are in the place.
        variables: Variables of the environment.
        base: Files of the base image that the image of the service lacks.
    """

    place: str
    service: str
    modules: tuple[str, ...]
    files: tuple[str, ...]
    keyword: str
    variables: Mapping[str, str]
    base: tuple[str, ...]


def parts() -> dict[str, Part]:
    """Return all parts by their names, as tests/security/places.toml has them."""
    factor = {name: os.environ[name] for name in ("I2S_TIMEOUT_FACTOR",) if name in os.environ}
    attacks = tomllib.loads((ROOT / SECURITY / "places.toml").read_text())["attacks"]
    return {
        f"{place} {name}": Part(
            place,
            attack["service"],
            tuple(attack["modules"]),
            tuple(f"{SECURITY}/{file}" for file in attack["files"]),
            attack[place],
            factor | attack.get("environment", {}).get(place, {}),
            tuple(file.replace("MULTIARCH", _MULTIARCH) for file in attack.get("base", ())),
        )
        for place in PLACES
        for name, attack in attacks.items()
        if place in attack
    }


def chosen_parts() -> dict[str, Part]:
    """Return the parts that I2S_REQUIRE_ATTACKS names; all where it names none."""
    known = parts()
    return {name: known[name] for name in chosen(VARIABLE_OF_SUITE, known)}


def run_as_nobody(part: Part, file: Path) -> None:
    """Run a part as an ordinary user, and record its verdicts in a file.

    Raises:
        AssertionError: A test failed; has what pytest printed.
    """
    sources = ["protos", "services/chassis", f"services/{part.service}", "sdk/client", "sdk/core"]
    modules = ["pytest", "grpc", "pydantic_core", *part.modules]
    command = ["-m", "pytest", *_OPTIONS, *part.files, "-k", part.keyword]
    done = run_as_ordinary_user(
        *command, sources=sources, modules=modules, variables=part.variables, record=file
    )
    _passed(done.returncode == 0, done.stdout + done.stderr)


def run_in_container(engine: Engine, part: Part, file: Path) -> None:
    """Run a part in a container that has the options of deploy/compose, and record its verdicts in a file.

    Raises:
        AssertionError: A test failed; has what pytest printed.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-attacks-") as name:
        folder = Path(name)
        packages, recorded = folder / "packages", folder / "recorded"
        copy_packages(packages, TEST_PACKAGES)
        recorded.mkdir()
        for path, mode in ((folder, 0o755), (recorded, 0o777)):
            path.chmod(mode)
        volumes = {packages: f"{_INSIDE}/packages:ro", recorded: f"{_INSIDE}/recorded"}
        volumes |= {ROOT / one: f"{_INSIDE}/{one}:ro" for one in ("tests", "pyproject.toml")}
        volumes |= {_from_base(engine, folder, one): f"{one}:ro" for one in part.base}
        variables = {
            **part.variables,
            VARIABLE: f"{_INSIDE}/recorded/verdicts.jsonl",
            USER: "container",
        }
        project = f"{docker_engine.PREFIX}{secrets.token_hex(3)}"
        compose = [*engine.compose_command(), "--project-name", project]
        down = [*compose, "down", "--volumes", "--timeout", "1"]
        engine.undo(*down, folder=COMPOSE)
        command = [*compose, "run", "--rm", "-T", "--no-deps", "--entrypoint", "python", "--workdir", _INSIDE]
        command += [f"--volume={path}:{target}" for path, target in volumes.items()]
        command += [word for item in variables.items() for word in ("-e", "=".join(item))]
        command += [part.service, "-c", _PYTEST, *_OPTIONS, *part.files, "-k", part.keyword]
        try:
            docker_engine.run(command, engine.environment, seconds=PART_SECONDS, folder=COMPOSE)
        finally:
            docker_engine.run(down, engine.environment, check=False, folder=COMPOSE)
            if (found := recorded / "verdicts.jsonl").exists():
                file.write_bytes(found.read_bytes())


def _from_base(engine: Engine, folder: Path, path: str) -> Path:
    """Copy a file or folder of the base image into a folder; returns the copy."""
    container = engine.docker("create", _BASE).strip()
    engine.undo("docker", "rm", container)
    copy = folder / "base" / path.lstrip("/")
    copy.parent.mkdir(parents=True, exist_ok=True)
    engine.docker("cp", f"{container}:{path}", str(copy))
    engine.docker("rm", container)
    return copy


def _passed(passed: bool, printed: str) -> None:
    assert passed, printed[-20_000:]
