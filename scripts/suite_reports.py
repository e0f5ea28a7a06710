"""The JUnit reports of suites: tests that failed, were skipped or left out, and durations."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

SLOWEST = 20  # tests of a suite whose durations are recorded
SAME = 0.25  # by which a duration may differ from the recorded one, which then stays
MOST_FAILURES, MOST_LINES, MOST_REASONS, MOST_CHARACTERS = 20, 12, 3, 160  # shown


@dataclass(frozen=True)
class Case:
    """A test of a report.

    Attributes:
        name: Module, class and function, with dots; the module alone if it was skipped as a whole.
        seconds: Its duration, with that of its fixtures.
        skipped: The reason in one line; None if it was run.
        failed: Lines of the failure or error; empty if it passed.
    """

    name: str
    seconds: float
    skipped: str | None
    failed: tuple[str, ...]

    @property
    def module(self) -> str:
        """Its module, with dots."""
        parts = self.name.split("[")[0].split(".")
        ends = [number for number, part in enumerate(parts, start=1) if part.startswith("test_")]
        return ".".join(parts[: ends[0]]) if ends else self.name


def read_cases(report: Path) -> list[Case]:
    """Return the tests of a report; none if the suite ended before it wrote one."""
    if not report.exists():
        return []
    return [_case(element) for element in ElementTree.parse(report).iter("testcase")]  # noqa: S314 - pytest's


def _case(element: ElementTree.Element) -> Case:
    name = ".".join(part for part in (element.get("classname"), element.get("name")) if part)
    skips = [one for one in element.iter("skipped") if one.get("type") != "pytest.xfail"]
    faults = [one for one in element if one.tag in ("failure", "error")]
    return Case(
        name,
        float(element.get("time", "0")),
        _reason(skips[0]) if skips else None,
        tuple(line for fault in faults for line in _fault(fault)),
    )


def _reason(skipped: ElementTree.Element) -> str:
    """Return the reason of a skip; that of a whole module stands in a tuple behind file and line."""
    message = skipped.get("message", "")
    if message == "collection skipped":
        message = (skipped.text or "").rpartition("Skipped: ")[2].rstrip("')\"")
    return " ".join(message.split())


def _fault(fault: ElementTree.Element) -> list[str]:
    lines = [line for line in (fault.text or fault.get("message") or "").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E  ")] or lines
    return [line[:200] for line in [*errors[-MOST_LINES:], lines[-1] if lines else fault.tag]]


def failures(cases: Iterable[Case]) -> Iterator[str]:
    """Yield lines on the tests that failed, each with the end of its error."""
    failed = [case for case in cases if case.failed]
    for case in failed[:MOST_FAILURES]:
        yield f"  {case.name}"
        yield from (f"      {line}" for line in case.failed)
    if len(failed) > MOST_FAILURES:
        yield f"  and {len(failed) - MOST_FAILURES} more"


def unpermitted(cases: Iterable[Case], permitted: Path) -> list[Case]:
    """Return the skipped tests that a file does not permit.

    Args:
        cases: The tests that were run or skipped.
        permitted: File of permissions: shell patterns of ``test`` and ``reason``, and ``why`` for people.
    """
    entries = tomllib.loads(permitted.read_text(encoding="utf-8"))["skip"]
    patterns = [(entry["test"], entry["reason"]) for entry in entries if entry["why"]]
    return [
        case
        for case in cases
        if case.skipped is not None
        and not any(fnmatchcase(case.name, test) and fnmatchcase(case.skipped, why) for test, why in patterns)
    ]


def skips(cases: Iterable[Case]) -> Iterator[str]:
    """Yield lines on skipped tests, those of one module and reason together."""
    counts = Counter((case.module, case.skipped) for case in cases if case.skipped is not None)
    for (module, reason), count in sorted(counts.items()):
        yield f"    {count:3} {module}: {reason[:MOST_CHARACTERS]}"


def left_out(listed: Path) -> Iterator[str]:
    """Yield lines on the tests that a suite left out; tests/conftest.py lists them, with level and reason."""
    if not listed.exists():
        return
    tests = [line.split("\t") for line in listed.read_text(encoding="utf-8").splitlines()]
    for level, count in Counter(level for _, level, _ in tests).items():
        yield f"  {listed.stem}: {count} left to {level} ({listed})"
        reasons = Counter(reason for _, other, reason in tests if other == level).most_common()
        yield from (f"    {number:4} {reason[:MOST_CHARACTERS]}" for reason, number in reasons[:MOST_REASONS])
        if len(reasons) > MOST_REASONS:
            yield f"         and {len(reasons) - MOST_REASONS} more reasons"


def record_durations(file: Path, section: str, seconds: Mapping[str, float], reports: Path) -> None:
    """Write the durations of suites, and of their slowest tests, into the file that has those of before.

    Args:
        file: File of all durations.
        section: Part of the file: "default" or "complete".
        seconds: Duration of each suite.
        reports: Folder of the reports.
    """
    known: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    entries = known.setdefault(section, {})
    for suite, measured in seconds.items():
        before = entries.get(suite, {})
        entry: dict[str, Any] = {"seconds": stable(before.get("seconds"), measured, step=10)}
        if cases := [case for case in read_cases(reports / f"{suite}.xml") if case.skipped is None]:
            slow = before.get("slowest", {})
            durations = {case.name: stable(slow.get(case.name), case.seconds, step=1) for case in cases}
            slowest = sorted(durations, key=lambda name: (-durations[name], name not in slow, name))[:SLOWEST]
            entry |= {"tests": len(cases), "slowest": {name: durations[name] for name in slowest}}
        entries[suite] = entry
    file.write_text(json.dumps(known, indent=1, sort_keys=False) + "\n", encoding="utf-8")


def stable(before: int | None, seconds: float, step: int) -> int:
    """Return the seconds to record: those of before if the new ones hardly differ, else rounded up."""
    if before is not None and abs(seconds - before) <= max(SAME * before, step):
        return before
    return -int(-seconds // step) * step
