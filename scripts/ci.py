#!/usr/bin/env python3
"""Runs `make test`, the suites of what was changed, and one more part of the long list in turn.

    scripts/ci.py [--dry-run]

.ci/suites.toml says which suites belong to which paths, which parts there are, and how long all may take.
No state is kept between runs, so git and the clock of the last commit decide: what was changed is what the
commits of a day before the last one have changed, or those since I2S_CI_BASE. A part that does not fit into
the time is not run, which is said; the part in turn is ended when the time is over.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from check import TOGETHER

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / ".ci" / "suites.toml"
DURATIONS = ROOT / "tests" / "durations.json"
SETUP_SECONDS = 480  # of scripts/bootstrap on a bare machine
END_SECONDS = 60  # until a part that was ended has undone what it did
DAY = 24 * 3600


@dataclass(frozen=True)
class Part:
    """Some of the long list of tests.

    Attributes:
        name: Its name, for people.
        suites: Suites of scripts/check.py.
        seconds: Duration on two quiet processors, beside that of `make test`.
        paths: Patterns of paths that it tests; it is run if one of them has changed.
        variables: Variables of the environment that choose among the tests of its suites.
    """

    name: str
    suites: tuple[str, ...]
    seconds: float
    paths: tuple[str, ...]
    variables: Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """The content of .ci/suites.toml.

    Attributes:
        seconds: Duration of everything at most, set-up included.
        slot: Seconds for which a part is in turn.
        enough: Patterns of paths for which `make test` is enough.
        parts: The parts, in their order.
    """

    seconds: float
    slot: int
    enough: tuple[str, ...]
    parts: tuple[Part, ...]


def default_seconds() -> float:
    """Return the seconds of `make test`, in which some suites run at the same time."""
    durations = dict(read_durations()["default"])
    together = [max(durations.pop(name, 0.0) for name in names) for names in TOGETHER]
    return sum(together) + sum(durations.values())


def read_durations() -> dict[str, dict[str, float]]:
    """Return the seconds of each suite, as a part of the default and complete."""
    sections: dict[str, dict[str, Any]] = json.loads(DURATIONS.read_text(encoding="utf-8"))
    return {name: {suite: one["seconds"] for suite, one in of.items()} for name, of in sections.items()}


def read_table() -> Table:
    """Return the table; a part without ``minutes`` takes as much more time as its suites do when complete."""
    known = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    short, complete = (read_durations()[section] for section in ("default", "complete"))
    more = {name: seconds - short.get(name, 0) for name, seconds in complete.items()}
    parts = tuple(
        Part(
            one["name"],
            tuple(one["suites"]),
            60 * one["minutes"] if "minutes" in one else sum(more[name] for name in one["suites"]),
            tuple(one.get("paths", ())),
            one.get("variables", {}),
        )
        for one in known["part"]
    )
    return Table(60 * known["minutes"], 3600 * known["hours"], tuple(known["enough"]), parts)


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return whether a path is described by one of some patterns."""
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def without_rule(paths: Iterable[str], table: Table) -> list[str]:
    """Return the paths for which no part and no line of ``enough`` is given."""
    patterns = [*table.enough, *(pattern for part in table.parts for pattern in part.paths)]
    return [path for path in paths if not matches(path, patterns)]


def touched(paths: Sequence[str], parts: Sequence[Part]) -> list[Part]:
    """Return those of some parts that test one of the paths."""
    return [part for part in parts if any(matches(path, part.paths) for path in paths)]


def by_turn(table: Table, moment: int) -> list[Part]:
    """Return the parts, first the one whose turn it is at the time of the last commit in seconds."""
    first = moment // table.slot % len(table.parts)
    return [*table.parts[first:], *table.parts[:first]]


def choose(table: Table, moment: int, paths: Sequence[str], seconds: float) -> tuple[list[Part], Part | None]:
    """Return the parts that test a path and fit into a time together, and one more.

    Parts that test a path go first, in the order of the table. The further part is the next one by turn that
    fits into the rest; it may be one that tests a path and did not fit before.
    """
    fit = fitting(touched(paths, table.parts), seconds)
    left = seconds - sum(part.seconds for part in fit)
    others = (part for part in by_turn(table, moment) if part not in fit)
    return fit, next((part for part in others if part.seconds <= left), None)


def fitting(parts: Iterable[Part], seconds: float) -> list[Part]:
    """Return those of some parts, in their order, that fit into a time together."""
    fit: list[Part] = []
    for part in parts:
        if part.seconds + sum(one.seconds for one in fit) <= seconds:
            fit.append(part)
    return fit


def git(*words: str) -> str:
    """Return what git prints."""
    command = ["git", "-c", f"safe.directory={ROOT}", *words]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def changed_paths(moment: int) -> list[str]:
    """Return the paths that the last commits have changed; all paths where git does not know their base."""
    base = (
        os.environ.get("I2S_CI_BASE")
        or git("rev-list", "--first-parent", "-1", f"--before={moment - DAY}", "HEAD").strip()
    )
    if not base:
        return git("ls-files").splitlines()
    return git("diff", "--name-only", "--no-renames", base, "HEAD").splitlines()


def check(words: Sequence[str], variables: Mapping[str, str], seconds: float | None = None) -> int | None:
    """Run suites; returns the exit code, None if the time was over before."""
    command = [f"{ROOT}/.venv/bin/python", f"{ROOT}/scripts/check.py", *words]
    with subprocess.Popen(command, env={**os.environ, **variables}) as process:
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait(END_SECONDS)
            return None


def main(dry: bool) -> int:
    """Choose and run; returns the exit code."""
    began, table = time.monotonic() - SETUP_SECONDS, read_table()
    moment = int(git("show", "-s", "--format=%ct", "HEAD"))
    paths = changed_paths(moment)
    if unknown := without_rule(paths, table):
        print(f"{TABLE.relative_to(ROOT)} has no rule for: {', '.join(unknown)}")
        return 1
    left = table.seconds - SETUP_SECONDS - default_seconds()
    parts, further = choose(table, moment, paths, left)
    for part in touched(paths, table.parts):
        print(f"changed: {part.name}" + ("" if part in parts else " (NOT RUN: does not fit into the time)"))
    print(f"in turn: {further.name if further else 'nothing fits into the time'}", flush=True)
    if dry:
        return 0
    if further is not None and set(further.suites) & read_durations()["default"].keys():
        parts, further = [*parts, further], None  # it takes the place of a suite that leaves tests out
    suites = [suite for part in parts for suite in part.suites]
    code = check(
        ["default", *suites], {name: value for part in parts for name, value in part.variables.items()}
    )
    if further is None:
        return code or 0
    ended = check(further.suites, further.variables, max(table.seconds - (time.monotonic() - began), 0))
    if ended is None:
        print(f"NOT FINISHED within {table.seconds / 60:.0f} minutes: {further.name}")
    return code or ended or 0


if __name__ == "__main__":
    sys.exit(main("--dry-run" in sys.argv[1:]))
