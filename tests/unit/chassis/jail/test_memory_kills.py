"""Whether a process was killed for the memory of its own job or for that of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_chassis.jail.cgroup import Group, Hierarchy
from i2s_chassis.jail.memory_kills import MemoryKills
from i2s_chassis.jail.model import Cause

LIMIT = 134217728
#: memory.events of Linux 6.1: a group before anything happened.
QUIET = {"low": 0, "high": 0, "max": 0, "oom": 0, "oom_kill": 0, "oom_group_kill": 0}
#: What its own limit does to it.
OWN_LIMIT = {**QUIET, "max": 68, "oom": 1, "oom_kill": 1}
#: What the limit of the group above, or a machine without free memory, does to it.
OUTSIDE = {**QUIET, "oom_kill": 1}
#: The group reached its limit and got memory back from the cache of files; then it was killed from outside.
FULL_OF_CACHE = {**QUIET, "max": 900, "oom_kill": 1}


class Version2:
    """A group of version 2, whose files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.group = Group(Hierarchy(2, folder, folder, None), "job", memory_bytes=LIMIT, processes=9)
        self._folder = folder / "job"

    def has(self, events: dict[str, int], local: dict[str, int] | None = None) -> None:
        self._write("memory.events", events)
        if local is not None:
            self._write("memory.events.local", local)

    def _write(self, file: str, events: dict[str, int]) -> None:
        (self._folder / file).write_text("".join(f"{name} {count}\n" for name, count in events.items()))


class Version1:
    """A group of version 1, whose files a test writes."""

    def __init__(self, folder: Path) -> None:
        self.group = Group(Hierarchy(1, folder, folder, None), "job", memory_bytes=LIMIT, processes=9)
        self._folder = folder / "job"

    def has(self, *, kills: int, failures: int, peak_bytes: int) -> None:
        control = f"oom_kill_disable 0\nunder_oom 0\noom_kill {kills}\n"
        (self._folder / "memory.oom_control").write_text(control)
        (self._folder / "memory.failcnt").write_text(f"{failures}\n")
        (self._folder / "memory.max_usage_in_bytes").write_text(f"{peak_bytes}\n")


@pytest.fixture
def version_2(tmp_path: Path) -> Version2:
    return Version2(tmp_path)


@pytest.fixture
def version_1(tmp_path: Path) -> Version1:
    return Version1(tmp_path)


def test_without_a_group_nothing_is_known() -> None:
    kills = MemoryKills(None)
    kills.begin_anew()
    assert kills.cause() is None


@pytest.mark.parametrize("local", [True, False], ids=["with memory.events.local", "without it"])
@pytest.mark.parametrize(
    ("then", "cause"),
    [
        (QUIET, None),
        ({**QUIET, "max": 900}, None),
        (OWN_LIMIT, Cause.MEMORY_LIMIT),
        (OUTSIDE, Cause.SIGNALED),
        (FULL_OF_CACHE, Cause.SIGNALED),
    ],
)
def test_version_2_counts_where_the_limit_was_reached(
    version_2: Version2, then: dict[str, int], cause: Cause | None, local: bool
) -> None:
    version_2.has(QUIET, QUIET if local else None)
    kills = MemoryKills(version_2.group)
    version_2.has(then, then if local else None)
    assert kills.cause() is cause


def test_a_limit_below_the_group_of_version_2_is_not_that_of_the_job(version_2: Version2) -> None:
    version_2.has(QUIET, QUIET)
    kills = MemoryKills(version_2.group)
    version_2.has(OWN_LIMIT, QUIET)
    assert kills.cause() is Cause.SIGNALED


@pytest.mark.parametrize(
    ("kills", "failures", "peak_bytes", "cause"),
    [
        (0, 0, 1 << 20, None),
        (0, 900, LIMIT, None),  # the cache of files was given back
        (1, 68, LIMIT, Cause.MEMORY_LIMIT),
        (1, 17, LIMIT - 3 * 4096, Cause.MEMORY_LIMIT),
        (1, 0, 67_108_864, Cause.SIGNALED),
        (1, 1, 67_108_864, Cause.SIGNALED),  # a huge page was refused, far from the limit
        (1, 0, LIMIT, Cause.SIGNALED),  # as much as it may have, of which nothing was refused
    ],
)
def test_version_1_counts_refusals_and_has_the_peak(
    version_1: Version1, kills: int, failures: int, peak_bytes: int, cause: Cause | None
) -> None:
    version_1.has(kills=0, failures=0, peak_bytes=0)
    memory_kills = MemoryKills(version_1.group)
    version_1.has(kills=kills, failures=failures, peak_bytes=peak_bytes)
    assert memory_kills.cause() is cause


def test_what_an_earlier_run_met_does_not_count(version_1: Version1) -> None:
    version_1.has(kills=1, failures=68, peak_bytes=LIMIT)
    kills = MemoryKills(version_1.group)
    assert kills.cause() is None
    version_1.has(kills=2, failures=68, peak_bytes=LIMIT)
    assert kills.cause() is Cause.SIGNALED
    version_1.has(kills=2, failures=90, peak_bytes=LIMIT)
    assert kills.cause() is Cause.MEMORY_LIMIT


def test_a_job_of_a_program_that_stays_does_not_answer_for_an_earlier_one(version_1: Version1) -> None:
    version_1.has(kills=0, failures=0, peak_bytes=0)
    kills = MemoryKills(version_1.group)
    version_1.has(kills=0, failures=900, peak_bytes=LIMIT)
    kills.begin_anew()
    version_1.has(kills=1, failures=900, peak_bytes=LIMIT)
    assert kills.cause() is Cause.SIGNALED


def test_a_kill_before_the_next_job_is_not_forgotten(version_1: Version1) -> None:
    version_1.has(kills=0, failures=0, peak_bytes=0)
    kills = MemoryKills(version_1.group)
    version_1.has(kills=1, failures=68, peak_bytes=LIMIT)
    kills.begin_anew()
    assert kills.cause() is Cause.MEMORY_LIMIT
