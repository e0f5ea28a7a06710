"""Attacks on the limits: more of everything than a job may have."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

from ground import GOOD, LIMITS, Ground, attack, left_of_jobs, perl, said, until

from i2s_chassis.jail import Cause, PolicyKind


@attack
async def a_loop_ends_at_the_cpu_limit(ground: Ground) -> None:
    """Even one that ignores the signal which announces it."""
    ended = await perl(ground, "$SIG{XCPU} = 'IGNORE'; 1 while 1", cpu_seconds=1)
    assert ended.cause is Cause.CPU_LIMIT, ended
    assert 0.9 <= ended.usage.cpu_seconds < 2.5, ended.usage


@attack
async def processes_share_one_cpu_budget(ground: Ground) -> None:
    """Four loops at once have no more than one."""
    ended = await perl(ground, "fork for 1..2; 1 while 1", cpu_seconds=1)
    assert ended.cause is Cause.CPU_LIMIT, ended
    assert ended.usage.cpu_seconds < 3, ended.usage


@attack
async def a_sleeping_process_ends_at_the_wall_limit(ground: Ground) -> None:
    """Also one that has stopped itself."""
    for program in ("sleep 60", "kill 'STOP', $$; sleep 60"):
        ended = await perl(ground, program, wall_seconds=1)
        assert ended.cause is Cause.WALL_LIMIT, ended
        assert ended.usage.clock_seconds < 3, ended.usage


@attack
async def memory_without_end_stops_at_the_limit(ground: Ground) -> None:
    """It is taken in one process, and spread over several."""
    for program in (
        "push @a, 'x' x 1000000 while 1",
        "fork for 1..2; push @a, 'x' x 100000 while 1",
    ):
        ended = await perl(ground, program)
        assert ended.cause is Cause.MEMORY_LIMIT, ended
        assert ended.usage.peak_memory_bytes < 4 * LIMITS.memory_bytes, ended.usage


@attack
async def memory_in_one_piece_is_the_memory_limit(ground: Ground) -> None:
    """However it is asked for: much at once, by doubling, and for a moment between two looks."""
    for program in (
        "$a = 'x' x $_ for 1.4e9",
        "$a = 'x' x 1e6; $a .= $a while 1",
        "$a = 'x' x $_ for 2.5e8; undef $a",
    ):
        ended = await perl(ground, program)
        assert ended.cause is Cause.MEMORY_LIMIT, (program, ended)


@attack
async def out_of_memory_the_kernel_takes_a_job_before_the_service(ground: Ground) -> None:
    """What the kernel reckons with is 1000 for each process of a job."""
    async with ground.jail.cell(LIMITS) as cell:
        running = asyncio.create_task(cell.run(["sleep", "60"]))

        def scores() -> set[str]:
            programs = [
                pid for pid in left_of_jobs(ground) if Path(f"/proc/{pid}/comm").read_text() == "sleep\n"
            ]
            return {Path(f"/proc/{pid}/oom_score_adj").read_text().strip() for pid in programs}

        await until(lambda: bool(scores()))
        assert scores() == {"1000"}
        await cell.stop()
        await running


@attack
async def a_fork_bomb_ends(ground: Ground) -> None:
    """It ends at the limit of processes, and nothing of it is left."""
    for program in ("while (1) { fork }", "while (1) { fork; setpgrp; $SIG{$_} = 'IGNORE' for keys %SIG }"):
        ended = await perl(ground, program)
        assert ended.cause is Cause.PROCESS_LIMIT, ended
        assert ended.usage.peak_processes <= LIMITS.processes + 1, ended.usage


@attack
async def a_full_disk_is_a_limit(ground: Ground) -> None:
    """Bytes in many files, one file without end, a sparse giant, and files without content."""
    programs = {
        "bytes": "for my $n (1..64) { open(F, '>', \"f$n\"); syswrite(F, 'x' x 4194304) or exit 1; close F }",
        "file": "open(F, '>', 'f'); while (1) { syswrite(F, 'x' x 65536) }",
        "sparse": "open(F, '>', 'f'); seek F, 1 << 40, 0; syswrite F, 'x' or exit 1",
        "inodes": "for (1..100000) { open(F, '>', \"f$_\") or exit 1 }",
        "folders": 'for (1..100000) { mkdir "f$_" or exit 1 }',
        "deep": "for (1..100000) { (mkdir('d') && chdir('d')) or exit 1 }",
    }
    for name, program in programs.items():
        ended = await perl(ground, program)
        assert ended.cause is Cause.DISK_LIMIT, (name, ended)


@attack
async def a_folder_without_bottom_is_a_limit(ground: Ground) -> None:
    """Also where more folders are allowed than a path can name, and the job ends by itself."""
    limits = replace(LIMITS, inodes=4000, disk_bytes=64 << 20)
    async with ground.jail.cell(limits) as cell:
        program = "for (1..100000) { (mkdir('d') && chdir('d')) or exit 1 }"
        ended = await cell.run(["perl", "-e", program])
        assert ended.cause is Cause.DISK_LIMIT, ended
        fill = await cell.fill()
        assert fill.used_inodes >= limits.inodes, fill


@attack
async def a_flood_of_output_is_bounded(ground: Ground) -> None:
    """What is said is read to the end, and kept in part."""
    ended = await perl(ground, "print 'x' x 65536 for 1..2000")
    assert ended.cause is Cause.EXITED, ended
    assert ended.output.total_bytes == 2000 * 65536
    assert len(ended.output.head) + len(ended.output.tail) <= LIMITS.log_bytes


@attack
async def nothing_outlives_its_job(ground: Ground) -> None:
    """A daemon that has left its session and its parents is killed, and told."""
    program = (
        "unless (fork) { use POSIX; POSIX::setsid(); exit if fork; close STDOUT; close STDERR; sleep 60 }"
        "print 'done'"
    )
    async with ground.jail.cell(LIMITS) as cell:
        ended = await cell.run(["perl", "-e", program])
        assert ended.cause is Cause.EXITED
        assert said(ended) == "done"
        assert any(event.kind is PolicyKind.LEFT_BEHIND for event in ended.events), ended
        again = await cell.run(GOOD)
        assert again.cause is Cause.EXITED


@attack
async def a_run_leaves_not_even_the_dead(ground: Ground) -> None:
    """However it ends: what is left would be counted for the next run in its cell."""
    loop = ["perl", "-e", "fork; 1 while 1"]
    async with ground.jail.cell(LIMITS) as cell:
        assert (await cell.run(GOOD)).cause is Cause.EXITED
        of_the_cell = left_of_jobs(ground)
        assert (await cell.run(loop, cpu_seconds=0.2)).cause is Cause.CPU_LIMIT
        assert left_of_jobs(ground) == of_the_cell
        assert (await cell.run(["sleep", "60"], wall_seconds=0.2)).cause is Cause.WALL_LIMIT
        assert left_of_jobs(ground) == of_the_cell
        assert (await cell.run(["sh", "-c", "kill -11 $$"])).cause is Cause.SIGNALED
        assert left_of_jobs(ground) == of_the_cell


@attack
async def the_budget_is_that_of_the_cell(ground: Ground) -> None:
    """A second run has only what the first has left."""
    async with ground.jail.cell(replace(LIMITS, cpu_seconds=1)) as cell:
        loop = ["perl", "-e", "1 while 1"]
        assert (await cell.run(loop, cpu_seconds=0.5)).cause is Cause.CPU_LIMIT
        ended = await cell.run(loop)
        assert ended.cause is Cause.CPU_LIMIT
        assert ended.usage.cpu_seconds < 1.2, ended.usage


@attack
async def a_process_whose_first_thread_has_ended_is_still_seen(ground: Ground) -> None:
    """It looks like a zombie, and goes on; limits and the end of the job hold for it all the same."""
    number = {"x86_64": "60", "aarch64": "93"}[os.uname().machine]
    program = (
        "import ctypes, threading\n"
        "threading.Thread(target=lambda: [None for _ in iter(int, 1)], daemon=True).start()\n"
        f"ctypes.CDLL(None).syscall({number}, 0)\n"
    )
    async with ground.jail.cell(replace(LIMITS, cpu_seconds=1, wall_seconds=5)) as cell:
        ended = await cell.run(["/usr/bin/python3", "-S", "-c", program])
    if b"did not start" not in ended.output.whole:
        assert ended.cause in (Cause.CPU_LIMIT, Cause.WALL_LIMIT, Cause.MEMORY_LIMIT), ended
        assert ended.usage.clock_seconds < 7, ended.usage
