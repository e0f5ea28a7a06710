"""Attacks by system calls."""

from __future__ import annotations

import os
import signal

from ground import Ground, attack, perl, said, shell

from i2s_chassis.jail import Cause, PolicyKind


@attack
async def makes_no_forbidden_system_call(ground: Ground) -> None:
    """The calls that escapes begin with are refused."""
    calls = {
        "x86_64": "ptrace 101 unshare 272 setns 308 mount 165 bpf 321 keyctl 250 io_uring_setup 425 "
        "userfaultfd 323 perf_event_open 298 process_vm_readv 310 open_by_handle_at 304 pivot_root 155 "
        "fsopen 430 move_mount 429 personality 135 clone3 435",
        "aarch64": "ptrace 117 unshare 97 setns 268 mount 40 bpf 280 keyctl 219 io_uring_setup 425 "
        "userfaultfd 282 perf_event_open 241 process_vm_readv 270 open_by_handle_at 265 pivot_root 41 "
        "fsopen 430 move_mount 429 personality 92 clone3 435",
    }[os.uname().machine].split()
    program = (
        "while (@ARGV) { my ($n, $c) = splice @ARGV, 0, 2; my $r = syscall($c, 0+0, 0+0, 0+0, 0+0, 0+0);"
        'print "$n $r $!{EPERM} $!{ENOSYS}\\n" unless $r == -1 && ($!{EPERM} || $!{ENOSYS}) }'
    )
    ended = await perl(ground, program, *calls)
    assert said(ended) == "", said(ended)
    assert ended.exit_code == 0


@attack
async def cannot_end_as_one_that_was_killed_from_outside(ground: Ground) -> None:
    """Nobody in a job sends SIGKILL: to itself, its group, everyone, or its parent."""
    tries = "kill(9, $$), kill(9, -$$), kill(9, 0), kill(9, -1), kill('KILL', getppid)"
    child = "if (fork) { wait } else { kill 9, getppid; exit }"
    program = f"print join(' ', {tries}, $!{{EPERM}}); {child} print '!'"
    ended = await perl(ground, program)
    assert ended.cause is Cause.EXITED, ended
    assert said(ended).startswith("0 0 0 0 0 "), said(ended)
    assert said(ended).endswith("!"), said(ended)


@attack
async def calls_of_another_architecture_kill(ground: Ground) -> None:
    """The x32 numbers, which a deny list of numbers would miss, end the job."""
    if os.uname().machine != "x86_64":
        return
    ended = await perl(ground, "syscall(0x40000000 | 39); print 'ALIVE'")
    assert "ALIVE" not in said(ended)
    assert ended.cause is Cause.SIGNALED
    assert ended.signal == signal.SIGSYS
    assert any(event.kind is PolicyKind.SYSTEM_CALL for event in ended.events)


@attack
async def gains_no_privilege(ground: Ground) -> None:
    """Programs that are root for others are not root here, and capabilities are gone."""
    ended = await shell(
        ground,
        "id -u; unshare -Ur id 2>&1; su -c id 2>&1; mount 2>&1; perl -e 'print \"ROOT\" if !$> || !$<'; true",
    )
    assert "ROOT" not in said(ended), said(ended)
    assert "uid=0" not in said(ended), said(ended)
    assert said(ended).splitlines()[0] != "0"
