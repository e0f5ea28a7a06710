"""Real jobs that the kernel kills for memory: for their own limit, or for that of the group above them.

The group above stands for the container or pod of a service.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.jail import Cause, Ended, Jail, JailSettings, KilledError, cgroup
from i2s_chassis.job_limits import Limits
from i2s_chassis.limits import DEFAULT_LIMITS

pytestmark = pytest.mark.integration

_MIB = 1 << 20
#: A group that holds 96 MiB, and jobs in it that may have 512 MiB.
ABOVE_BYTES = 96 * _MIB
ROOMY = replace(DEFAULT_LIMITS, memory_bytes=512 * _MIB, disk_bytes=8 * _MIB)
#: Jobs that may have less than that, in a group of their own that may have more because of its files.
LARGE_FOLDER = replace(DEFAULT_LIMITS, memory_bytes=64 * _MIB, disk_bytes=512 * _MIB)
#: Jobs whose own group, too, may have less than the group above them.
NARROW = replace(DEFAULT_LIMITS, memory_bytes=32 * _MIB, disk_bytes=8 * _MIB)

ONE_PROCESS = "$a = 'x' x 200_000_000; print 'alive'"
#: A child takes the memory; its parent outlives it and ends well.
A_CHILD = f"if (fork) {{ wait; print 'alive' }} else {{ {ONE_PROCESS} }}"
#: None of three processes has more than NARROW permits; together they have more than their own group holds.
TOGETHER = "fork for 1..2; $a = 'x' x 22_000_000; sleep 20"


def _group_above(hierarchy: cgroup.Hierarchy) -> cgroup.Hierarchy:
    """Return where jobs can be made below a group that holds ABOVE_BYTES."""
    above = hierarchy.memory / f"i2s-test-above-{os.getpid()}"
    above.mkdir()
    if hierarchy.version == 1:
        (above / "memory.swappiness").write_text("0")
        (above / "memory.limit_in_bytes").write_text(str(ABOVE_BYTES))
        return replace(hierarchy, memory=above)
    (above / "memory.max").write_text(str(ABOVE_BYTES))
    with contextlib.suppress(OSError):  # absent where the kernel counts no swap
        (above / "memory.swap.max").write_text("0")
    (above / "cgroup.subtree_control").write_text("+memory +pids")
    return cgroup.Hierarchy(2, above, above, above)


@pytest.fixture
def groups() -> Iterator[cgroup.Hierarchy]:
    hierarchy = cgroup.find()
    if hierarchy is None:
        pytest.skip("NOT TESTED: whose limit ends a job; no control groups can be made here")
    below = _group_above(hierarchy)
    yield below
    below.memory.rmdir()


@pytest.fixture
async def jail(groups: cgroup.Hierarchy, tmp_path: Path) -> AsyncIterator[Jail]:
    jail = await Jail.start(JailSettings())
    jail._survey = replace(jail._survey, groups=groups.to_json())
    yield jail
    await jail.close()


async def _ended(jail: Jail, program: str, limits: Limits) -> Ended:
    async with jail.cell(limits) as cell:
        return await cell.run(["perl", "-e", program])


@pytest.mark.parametrize("program", [ONE_PROCESS, A_CHILD], ids=["one process", "a child"])
async def test_a_limit_above_the_job_is_not_its_own(jail: Jail, program: str) -> None:
    with pytest.raises(KilledError):
        await _ended(jail, program, ROOMY)


@pytest.mark.parametrize("program", [ONE_PROCESS, A_CHILD, TOGETHER], ids=["one process", "a child", "three"])
async def test_the_limit_of_the_job_is_its_own(jail: Jail, program: str) -> None:
    ended = await _ended(jail, program, NARROW)
    assert (ended.cause, ended.signal, ended.exit_code) == (Cause.MEMORY_LIMIT, 0, -1), ended


async def test_a_program_beyond_its_limit_met_it_whoever_killed_it(jail: Jail) -> None:
    ended = await _ended(jail, ONE_PROCESS, LARGE_FOLDER)
    assert (ended.cause, ended.signal) == (Cause.MEMORY_LIMIT, 0), ended
