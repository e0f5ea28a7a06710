"""Attacks by programs that stay, and talk with the service over channels of their own."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

from ground import LIMITS, Ground, attack, left_of_jobs, said, until

from i2s_chassis.jail import Cause, Cell, CellError, Ended, OutputError, Tier

_FORKS_AND_WAITS = "unless (fork) { 1 for 1..200000; exit } wait"
_FORKS_ORPHANS = "unless (fork) { unless (fork) { 1 for 1..200000 } exit } wait"
_FORKS_AND_IGNORES = "$SIG{CHLD} = 'IGNORE'; unless (fork) { 1 for 1..200000; exit } wait"


@contextlib.contextmanager
def _pipes() -> Iterator[tuple[int, int, int, int]]:
    """Make two pipes; what the caller has closed is closed once."""
    ends = (*os.pipe(), *os.pipe())
    try:
        yield ends
    finally:
        for fd in ends:
            os.close(fd)


@contextlib.asynccontextmanager
async def resident(
    ground: Ground, program: str, **limits: float
) -> AsyncIterator[tuple[Cell, asyncio.Task[Ended], int, int]]:
    """Start a Perl program that reads lines from IN and writes to OUT."""
    begin = 'open(IN, "<&=3") && open(OUT, ">&=4") or die; select(OUT); $| = 1;'
    with _pipes() as (their_in, our_out, our_in, their_out):
        # A loss of the program must not leave a test waiting.
        os.set_blocking(our_in, False)
        bounds = replace(LIMITS, **limits)  # type: ignore[arg-type]
        async with ground.jail.cell(bounds, channels={3: their_in, 4: their_out}) as cell:
            run = asyncio.create_task(cell.run(["perl", "-e", begin + program]))
            try:
                yield cell, run, our_out, our_in
            finally:
                run.cancel()
                await asyncio.gather(run, return_exceptions=True)


async def line(fd: int, run: asyncio.Task[Ended]) -> bytes:
    """Return what a resident says next."""
    while True:
        with contextlib.suppress(BlockingIOError):
            return os.read(fd, 65536)
        assert not run.done(), run.result()
        await asyncio.sleep(0.01)


@attack
async def inherits_only_the_channels_that_are_given(ground: Ground) -> None:
    """They have their numbers, whatever numbers they have with us; everything else is closed."""
    program = 'for (3..1023) { if (open(my $f, "<&=", $_)) { print "$_:", scalar(<$f>) } }'
    files = [os.memfd_create(name) for name in ("five", "three", "nine")]
    try:
        for name, fd in zip(("five", "three", "nine"), files, strict=True):
            os.pwrite(fd, f"{name}\n".encode(), 0)
        numbers = dict(zip((5, 3, 9), files, strict=True))
        async with ground.jail.cell(LIMITS, channels=numbers) as cell:
            ended = await cell.run(["perl", "-e", program])
        assert said(ended) == "3:three\n5:five\n9:nine\n", said(ended)
    finally:
        for fd in files:
            os.close(fd)


@attack
async def two_channels_that_swap_their_numbers_arrive(ground: Ground) -> None:
    """The one must not be overwritten by the other on the way."""
    ends = [os.memfd_create(name) for name in "ab"]
    try:
        for fd in ends:
            os.pwrite(fd, f"{fd}\n".encode(), 0)
        async with ground.jail.cell(LIMITS, channels={0: ends[0], 1: ends[1], 2: ends[0]}) as cell:
            await cell.run(["sh", "-c", "echo written; cat >&2"])
        assert os.pread(ends[1], 100, 0).endswith(b"written\n")
    finally:
        for fd in ends:
            os.close(fd)


@attack
async def busy_children_count(ground: Ground) -> None:
    """A program that lets short-lived children work has no more CPU time than one that works itself."""
    for program in (_FORKS_AND_WAITS, _FORKS_ORPHANS, _FORKS_AND_IGNORES):
        # The time of children that nobody waits for is not known without a control group; the clock is.
        known = ground.jail._groups is not None or program is not _FORKS_AND_IGNORES
        wall = 60 if known else 3
        # Where the machine is busy many of them are at work at the same time.
        async with resident(
            ground, f"while (1) {{ {program} }}", cpu_seconds=1, wall_seconds=wall, processes=48
        ) as (
            _,
            run,
            _,
            _,
        ):
            ended = await run
        assert ended.cause is Cause.CPU_LIMIT or (not known and ended.cause is Cause.WALL_LIMIT), ended
        if ended.cause is Cause.CPU_LIMIT:
            assert 0.9 <= ended.usage.cpu_seconds < 2.5, ended.usage


@attack
async def children_that_nobody_reaps_count(ground: Ground) -> None:
    """The time of a zombie is not forgotten."""
    program = "for (1..8) { unless (fork) { 1 for 1..40000000; exit } } sleep 60"
    async with resident(ground, program, cpu_seconds=1) as (_, run, _, _):
        assert (await run).cause is Cause.CPU_LIMIT, run.result()


@attack
async def a_renewed_budget_still_ends(ground: Ground) -> None:
    """Jobs one after the other may use more together than the first budget; none more than its own."""
    program = (
        "sub used { my @t = times; $t[0] + $t[1] }"
        "print 'up'; while (<IN>) { my $end = used() + $_; 1 while used() < $end; print 'done' }"
    )
    async with resident(ground, program, cpu_seconds=1, wall_seconds=15) as (cell, run, to, back):
        assert await line(back, run) == b"up"
        for _ in range(3):
            before = await cell.allow(cpu_seconds=1, wall_seconds=10)
            os.write(to, b"0.6\n")
            assert await line(back, run) == b"done"
            used = await cell.usage()
            assert 0.5 < used.cpu_seconds - before.cpu_seconds < 1, (before, used)
        await cell.allow(cpu_seconds=0.5)
        os.write(to, b"60\n")
        ended = await run
        assert ended.cause is Cause.CPU_LIMIT, ended
        assert ended.usage.cpu_seconds < 3.5, ended.usage


@attack
async def a_renewed_clock_still_ends(ground: Ground) -> None:
    """Also when nothing is done at all."""
    async with resident(ground, "print 'up'; sleep 60", wall_seconds=10) as (cell, run, _, back):
        assert await line(back, run) == b"up"
        await cell.allow(wall_seconds=0.5)
        ended = await run
        assert ended.cause is Cause.WALL_LIMIT, ended
        assert ended.usage.clock_seconds < 8, ended.usage


@attack
async def a_stopped_program_leaves_nothing(ground: Ground) -> None:
    """What it has started ends with it, however far it has gone away; the cell goes on."""
    program = "use POSIX; for (1..3) { unless (fork) { setsid(); fork; sleep 60 } } print 'up'; sleep 60"
    async with resident(ground, program) as (cell, run, _, back):
        assert await line(back, run) == b"up"
        scaffolding = 3 if ground.jail.isolation.tier is Tier.NAMESPACE else 0
        await until(lambda: len(left_of_jobs(ground)) >= 7 + scaffolding)
        before = set(left_of_jobs(ground))
        await cell.stop()
        ended = await run
        assert ended.cause is Cause.STOPPED, ended
        after = set(left_of_jobs(ground))
        assert len(before - after) >= 7, (before, after)
        assert (await cell.run(["true"])).cause is Cause.EXITED
        await cell.stop()  # nothing runs: nothing to do


@attack
async def a_flood_on_a_channel_hurts_nobody(ground: Ground) -> None:
    """The supervisor reads none of it, and answers as ever."""
    async with resident(ground, "print 'x' x 65536 while 1") as (cell, run, _, back):
        await line(back, run)
        for _ in range(20):
            await cell.usage()
        assert await cell.list() == {}
        await cell.stop()
        assert (await run).cause is Cause.STOPPED


@attack
async def questions_do_not_keep_the_supervisor_from_watching(ground: Ground) -> None:
    """However many there are, limits hold."""
    async with resident(ground, "1 while 1", cpu_seconds=1) as (cell, run, _, _):
        while not run.done():
            await cell.usage()
            await cell.write("a", b"x" * 1000)
        assert run.result().cause is Cause.CPU_LIMIT, run.result()
        assert run.result().usage.cpu_seconds < 2.5, run.result()


@attack
async def a_file_that_changes_meanwhile_leads_nowhere(ground: Ground) -> None:
    """What is written and fetched during a run follows no link that is laid in its way."""
    secret = ground.outside / "secret"
    program = (
        f"print 'up'; while (1) {{ symlink('{secret}', 'l'); rename('l', 'f'); mkdir('d');"
        "rename('d', 'g/f'); open(F, '>', 'x'); print F 'mine'; close F; rename('x', 'f');"
        "truncate('f', 100); truncate('f', 0) }"
    )
    async with resident(ground, program) as (cell, run, _, back):
        await line(back, run)
        for _ in range(100):
            with contextlib.suppress(CellError):
                await cell.write("f", b"ours")
            with contextlib.suppress(OutputError):
                content = await cell.fetch("f")
                assert set(content) <= set(b"oursmine\0"), content
        await cell.stop()
        await run
    assert secret.read_text() == "secret of the host"


@attack
async def a_second_program_is_refused_while_one_runs(ground: Ground) -> None:
    """It waits for its turn; the supervisor never runs two."""
    async with resident(ground, "print 'up'; sleep 60") as (cell, run, _, back):
        await line(back, run)
        second = asyncio.create_task(cell.run(["true"]))
        await cell.usage()
        assert not second.done()
        await cell.stop()
        assert (await run).cause is Cause.STOPPED
        assert (await second).cause is Cause.EXITED
