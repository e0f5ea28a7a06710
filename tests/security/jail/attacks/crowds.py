"""Cells that run beside each other: each has its number of processes, and nobody takes another's.

Where the kernel counts the processes of all cells together, as those of one user, a number that it holds
for one cell depends on what the others do.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import replace

from ground import LIMITS, Ground, attack, perl, said
from residents import line, resident

from i2s_chassis.jail import Cause

_CROWD = 5
#: Tells "up", and grows by so many processes when told to.
_GROWS = (
    "print 'up'; while (<IN>) { for (1..$_) { my $p = fork;"
    "unless (defined $p) { print 'refused'; exit 1 } $p or sleep 60 } print 'grown' }"
)
#: Tells "+" for each new process, "." once there is no further one.
_BOMB = "while (defined(my $p = fork)) { $p or sleep 60; print '+' } print '.'; sleep 60"


@attack
async def cells_that_start_at_once_all_have_their_processes(ground: Ground) -> None:
    """Far more together than any of them may have."""
    async with contextlib.AsyncExitStack() as stack:
        crowd = [await stack.enter_async_context(resident(ground, _GROWS)) for _ in range(_CROWD)]
        for _, run, _, back in crowd:
            assert await line(back, run) == b"up"
        for _, _, to, _ in crowd:
            os.write(to, b"10\n")
        for _, run, _, back in crowd:
            assert await line(back, run) == b"grown"
        for cell, run, _, _ in crowd:
            await cell.stop()
            assert (await run).cause is Cause.STOPPED


@attack
async def a_bomb_that_gives_up_at_once_has_met_its_limit(ground: Ground) -> None:
    """The program has ended before anybody could look; what it leaves behind tells."""
    for _ in range(5):
        ended = await perl(ground, "while (defined(my $p = fork)) { $p or sleep 60 } exit 1")
        assert ended.cause is Cause.PROCESS_LIMIT


@attack
async def a_bomb_of_which_nothing_is_left_has_met_its_limit(ground: Ground) -> None:
    """It ends by itself as soon as it is refused a process, and so do all that it has started."""
    for program in (
        "while (defined(fork)) { } exit 1",
        "while (defined(my $p = fork)) { $p or (select(undef, undef, undef, 0.004), exit 0) } exit 1",
    ):
        for _ in range(5):
            ended = await perl(ground, program)
            assert ended.cause is Cause.PROCESS_LIMIT, (program, ended)


@attack
async def as_many_processes_as_a_job_may_have_are_no_limit(ground: Ground) -> None:
    """One more is."""
    program = "for (1..$ARGV[0]) { my $p = fork // exit 1; $p or (sleep 1, exit 0) } 1 while wait > 0"
    ended = await perl(ground, program, str(LIMITS.processes - 1))
    assert ended.cause is Cause.EXITED, ended
    assert ended.exit_code == 0, ended
    ended = await perl(ground, program, str(LIMITS.processes))
    assert ended.cause is Cause.PROCESS_LIMIT, ended


@attack
async def neighbours_that_grow_take_nothing(ground: Ground) -> None:
    """A cell that was first has its number still when the later ones have had theirs."""
    async with contextlib.AsyncExitStack() as stack:
        _, first_run, first_to, first_back = await stack.enter_async_context(resident(ground, _GROWS))
        assert await line(first_back, first_run) == b"up"
        for _ in range(_CROWD - 1):
            _, run, to, back = await stack.enter_async_context(resident(ground, _GROWS))
            assert await line(back, run) == b"up"
            os.write(to, b"12\n")
            assert await line(back, run) == b"grown"
        os.write(first_to, b"12\n")
        assert await line(first_back, first_run) == b"grown"


@attack
async def neighbours_that_end_leave_nothing(ground: Ground) -> None:
    """What they ran is not for the others to run on top of their own number, not for a moment."""
    async with contextlib.AsyncExitStack() as stack:
        crowd = [await stack.enter_async_context(resident(ground, _GROWS)) for _ in range(_CROWD)]
        for _, run, to, back in crowd:
            assert await line(back, run) == b"up"
            os.write(to, b"10\n")
        for _, run, _, back in crowd[:-1]:
            assert await line(back, run) == b"grown"
        program = f"print 'up'; <IN>; {_BOMB}"
        _, bomb, to, back = await stack.enter_async_context(resident(ground, program, wall_seconds=3))
        assert await line(back, bomb) == b"up"
        for cell, run, _, _ in crowd:
            await cell.stop()
            await run
        os.write(to, b"\n")
        ended = await bomb
        # Also in the moment before the supervisor looks.
        assert os.read(back, 65536).count(b"+") <= LIMITS.processes
        assert ended.cause is Cause.PROCESS_LIMIT, ended


@attack
async def a_fork_bomb_does_not_affect_other_cells(ground: Ground) -> None:
    """A job that starts processes all the time is refused none while others start all they can get."""
    innocent = (
        "print 'up'; for (1..150) { my @p; for (1..4) { my $p = fork;"
        "unless (defined $p) { print 'refused'; exit 1 } $p or exit; push @p, $p } waitpid $_, 0 for @p }"
    )
    bombs = ("while (1) { fork }", "while (1) { fork or exit }", "while (1) { fork and exit }")
    async with resident(ground, innocent, cpu_seconds=60, wall_seconds=90) as (_, run, _, back):
        assert await line(back, run) == b"up"
        while not run.done():
            ended = await asyncio.gather(
                *(perl(ground, bomb, cpu_seconds=1, wall_seconds=1) for bomb in bombs)
            )
            assert ended[0].cause is Cause.PROCESS_LIMIT, ended[0]
        assert run.result().cause is Cause.EXITED, run.result()
        assert run.result().exit_code == 0, (run.result(), os.read(back, 65536))


@attack
async def whatever_the_kernel_counts_is_counted(ground: Ground) -> None:
    """Processes that nobody has waited for, the children of others, and threads."""
    programs = {
        "zombies": "while (defined(my $p = fork)) { $p or exit; syswrite STDOUT, '+' }",
        "chain": "syswrite STDOUT, '+' while defined($p = fork) && !$p; sleep 60",
        "tree": "while (defined($p = fork)) { syswrite STDOUT, '+' if $p } sleep 60",
        "spawned": "while (1) { syswrite STDOUT, '+' if open(my $f, '-|', 'sleep', 60) and push @f, $f }",
    }
    for name, program in programs.items():
        ended = await perl(ground, program, wall_seconds=1)
        assert ended.cause in (Cause.PROCESS_LIMIT, Cause.EXITED, Cause.WALL_LIMIT), (name, ended)
        assert said(ended).count("+") <= LIMITS.processes, (name, ended)
    threads = (
        "import os, threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(60,)).start(); os.write(1, b'+')\n"
    )
    async with ground.jail.cell(replace(LIMITS, wall_seconds=1)) as cell:
        ended = await cell.run(["/usr/bin/python3", "-S", "-c", threads])
    assert said(ended).count("+") <= LIMITS.processes, ended


@attack
async def a_filter_of_its_own_lets_nothing_more_through(ground: Ground) -> None:
    """Whatever a job asks the kernel to do with its calls."""
    program = (
        "my ($prctl, $seccomp, $answer) = splice @ARGV;"
        "my $code = pack('SCCL', 6, 0, 0, $answer + 0); my $filter = pack('Sx![p]P', 1, $code);"
        "syscall($seccomp + 0, 1, 8, $filter);"  # and be asked about the calls of its children
        "syscall($prctl + 0, 22, 2, $filter, 0, 0) and print 'NO FILTER';"
        "while (defined(my $p = fork)) { $p or sleep 60; syswrite STDOUT, '+'; last if ++$n > 40 } sleep 60"
    )
    numbers = {"x86_64": ("157", "317"), "aarch64": ("167", "277")}[os.uname().machine]
    for answer in (0x7FFF0000, 0x7FFC0000, 0x7FF00000, 0x7FC00000):  # allow, log, trace, notify
        ended = await perl(ground, program, *numbers, str(answer), wall_seconds=1)
        assert said(ended).count("+") <= LIMITS.processes, ended
        assert "NO FILTER" not in said(ended), ended


@attack
async def no_process_is_born_out_of_sight(ground: Ground) -> None:
    """The flag of clone that keeps a new process from who traces its parent is refused."""
    clone = {"x86_64": "56", "aarch64": "220"}[os.uname().machine]
    ended = await perl(ground, "print 'BORN' if syscall($ARGV[0] + 0, 0x800011, 0, 0, 0, 0) >= 0", clone)
    assert said(ended) == "", ended
    assert ended.cause is Cause.EXITED, ended


@attack
async def nobody_harms_who_follows(ground: Ground) -> None:
    """The parent of the program has the same user, where jobs have that of the service."""
    program = (
        "my $p = getppid; if ($p > 1) { print 'MAY' if kill 0, $p; kill 'STOP', $p; kill 'KILL', $p }"
        "while (defined(my $p = fork)) { $p or sleep 60; syswrite STDOUT, '+' } sleep 60"
    )
    ended = await perl(ground, program, wall_seconds=1)
    assert "MAY" not in said(ended), ended
    assert said(ended).count("+") <= LIMITS.processes, ended


@attack
async def a_job_may_stop_its_own_processes_and_let_them_go_on(ground: Ground) -> None:
    """And learns of both, whoever else follows them. Where the filter controls signals it signals itself."""
    if "seccomp in place of landlock: signals" in ground.jail.isolation.mechanisms:
        program = (
            "$SIG{USR1} = sub { print 'self ' }; kill 'USR1', $$; $SIG{USR2} = sub { print 'group ' };"
            "kill 'USR2', 0; my $p = fork // die; unless ($p) { sleep 60; exit }"
            "kill 'TERM', $p or print 'refused'"
        )
        ended = await perl(ground, program)
        assert said(ended) == "self group refused", ended
        return
    program = (
        "my $wait4 = $ARGV[0] + 0; my $p = fork // die; unless ($p) { sleep 60; exit }"
        "sub told { my $s = pack 'i', 0; syscall($wait4, $p, $s, 2 | 8, 0); unpack 'i', $s }"
        "kill 'STOP', $p; printf '%x ', told(); kill 'CONT', $p; printf '%x ', told();"
        "kill 'TERM', $p; printf '%x', told()"
    )
    wait4 = {"x86_64": "61", "aarch64": "260"}[os.uname().machine]
    ended = await perl(ground, program, wait4)
    assert said(ended) == "137f ffff f", ended


@attack
async def signals_do_not_keep_a_job_from_starting_processes(ground: Ground) -> None:
    """One that is called away all the time gets its processes all the same."""
    program = (
        "my $setitimer = $ARGV[0] + 0; $SIG{ALRM} = sub { $n++ };"
        "sub every { my $t = pack 'q4', 0, $_[0], 0, $_[0]; syscall($setitimer, 0, $t, 0) == 0 or die }"
        "every(4000);"
        "for (1..100) { my $p = fork // die; $p or exit; 1 while waitpid($p, 0) == -1 && $!{EINTR} }"
        "every(0); print $n ? 'done' : 'no signal'"  # or one kills it while Perl takes its handlers down
    )
    setitimer = {"x86_64": "38", "aarch64": "103"}[os.uname().machine]
    ended = await perl(ground, program, setitimer)
    assert said(ended) == "done", ended
