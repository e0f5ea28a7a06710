"""The jail with real programs: what its callers rely on."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.jail import Cause, CellError, Isolation, Jail, JailSettings, NoTierError, Tier, escape
from i2s_chassis.limits import DEFAULT_LIMITS
from root_of_namespace import run_as_root_of_namespace

pytestmark = pytest.mark.integration


@pytest.fixture(params=["everything", "no control group", "measured folder"])
async def jail(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Jail]:
    settings = JailSettings(
        control_groups=request.param == "everything", private_mounts=request.param != "measured folder"
    )
    jail = await Jail.start(settings)
    yield jail
    await jail.close()


async def test_files_go_in_and_results_come_out(jail: Jail) -> None:
    async with jail.cell(DEFAULT_LIMITS, {"in/a.txt": b"hello"}) as cell:
        ended = await cell.run(["sh", "-c", "tr a-z A-Z < in/a.txt | tee out.txt"])
        assert (ended.cause, ended.exit_code, ended.output.whole) == (Cause.EXITED, 0, b"HELLO")
        assert await cell.fetch("out.txt") == b"HELLO"


async def test_open_cells_are_counted_whatever_ends_them(jail: Jail) -> None:
    async with jail.cell(DEFAULT_LIMITS), jail.cell(DEFAULT_LIMITS) as second:
        assert jail.open_cells == 2
        running = asyncio.create_task(second.run(["sleep", "600"]))
        await asyncio.sleep(0)
        running.cancel()
    assert jail.open_cells == 0
    with pytest.raises(CellError):
        async with jail.cell(DEFAULT_LIMITS, {"../out": b""}):
            raise AssertionError
    assert jail.open_cells == 0


async def test_a_second_program_finds_what_the_first_has_left(jail: Jail) -> None:
    async with jail.cell(DEFAULT_LIMITS) as cell:
        await cell.run(["sh", "-c", "echo one > a"])
        await cell.write("b", b"two\n")
        assert (await cell.run(["cat", "a", "b"])).output.whole == b"one\ntwo\n"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users reach; those of pytest are closed to them."""
    with tempfile.TemporaryDirectory(prefix="i2s-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


async def test_a_readable_path_can_be_read_and_not_written(jail: Jail, open_folder: Path) -> None:
    shared = open_folder / "shared.txt"
    shared.write_text("shared")
    shared.chmod(0o666)
    async with jail.cell(DEFAULT_LIMITS, readable=[shared]) as cell:
        ended = await cell.run(["sh", "-c", f"cat {shared}; echo no > {shared}"])
    assert ended.output.head.startswith(b"shared")
    assert shared.read_text() == "shared"


async def test_a_missing_program_is_a_fault_of_ours(jail: Jail) -> None:
    async with jail.cell(DEFAULT_LIMITS) as cell:
        with pytest.raises(CellError, match="no-such-engine"):
            await cell.run(["no-such-engine"])
        assert (await cell.run(["true"])).exit_code == 0


async def test_memory_and_disk_are_bounded_by_whatever_there_is(jail: Jail) -> None:
    small = replace(DEFAULT_LIMITS, memory_bytes=64 << 20, disk_bytes=8 << 20, inodes=100)
    async with jail.cell(small) as cell:
        ended = await cell.run(["perl", "-e", "push @a, 'x' x 1000000 while 1"])
        assert ended.cause is Cause.MEMORY_LIMIT
        ended = await cell.run(
            ["perl", "-e", "for (1..10000) { open(F, '>', \"f$_\") or exit 1; print F 'x' x 65536 }"]
        )
        assert ended.cause is Cause.DISK_LIMIT


async def test_many_cells_at_once_do_not_meet(jail: Jail) -> None:
    async def one(number: int) -> bytes:
        async with jail.cell(DEFAULT_LIMITS, {"n": str(number).encode()}) as cell:
            return (await cell.run(["cat", "n"])).output.whole

    assert await asyncio.gather(*map(one, range(40))) == [str(number).encode() for number in range(40)]


async def test_the_escape_tests_fail_where_there_is_no_isolation(tmp_path: Path) -> None:
    jail = await Jail.start(JailSettings(tier=Tier.NONE, allow_unsandboxed=True))
    try:
        assert jail.isolation.tier is Tier.NONE
        assert "read_files" in (await escape.attempt(jail, Tier.NONE, tmp_path) or "")
    finally:
        await jail.close()


async def test_without_a_tier_there_is_no_service() -> None:
    with pytest.raises(NoTierError, match="bubblewrap is not installed"):
        await Jail.start(JailSettings(tier=Tier.NAMESPACE, bwrap="no-such-bwrap"))


async def test_a_broken_bubblewrap_is_refused_in_its_own_words(open_folder: Path) -> None:
    broken = open_folder / "bwrap"
    broken.write_text("#!/bin/sh\necho namespaces are not permitted >&2; exit 1\n")
    broken.chmod(0o755)
    with pytest.raises(NoTierError, match="namespaces are not permitted"):
        await Jail.start(JailSettings(tier=Tier.NAMESPACE, bwrap=str(broken)))


async def test_the_next_tier_is_taken_where_the_strongest_fails() -> None:
    jail = await Jail.start(JailSettings(bwrap="no-such-bwrap"))
    try:
        assert jail.isolation.tier is Tier.LANDLOCK
        assert isinstance(jail.isolation, Isolation)
    finally:
        await jail.close()


SHOWS = """
import asyncio
from i2s_chassis.jail import Jail, JailSettings, Tier

async def main():
    jail = await Jail.start(JailSettings(tier=Tier.LANDLOCK))
    print(jail.shows_processes)
    await jail.close()

asyncio.run(main())
"""


@pytest.mark.skipif("os.geteuid() != 0", reason="only root maps all users into a user namespace")
@pytest.mark.parametrize("own_processes", [True, False])
def test_a_root_that_may_not_mount_proc_gives_programs_none(own_processes: bool) -> None:
    """Root of a user namespace may mount a /proc only where it has a process namespace of its own."""
    ended = run_as_root_of_namespace(SHOWS, own_processes=own_processes)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == [str(own_processes)]
