"""Attacks on the network and on other processes."""

from __future__ import annotations

import os
import resource
import subprocess

from ground import Ground, attack, perl, said, shell

from i2s_chassis.jail import Cause


@attack
async def reaches_no_network(ground: Ground) -> None:
    """No socket of any family that leads out can even be made."""
    program = """
        use Socket;
        for my $f (AF_INET, AF_INET6, 16, 17, 40, AF_UNIX) {
            for my $t (SOCK_STREAM, SOCK_DGRAM, SOCK_RAW) {
                print "SOCKET $f $t\\n" if socket(my $s, $f, $t, 0)
            }
        }
        my $address = sockaddr_in($ARGV[0], inet_aton("127.0.0.1"));
        socket(S, AF_INET, SOCK_STREAM, 0) && connect(S, $address) && print "TCP\\n";
        socket(U, AF_UNIX, SOCK_STREAM, 0) && connect(U, sockaddr_un($ARGV[1])) && print "UNIX\\n";
        socket(A, AF_UNIX, SOCK_STREAM, 0) && connect(A, sockaddr_un("\\0i2s-canary")) && print "ABSTRACT\\n";
    """
    ended = await perl(ground, program, str(ground.tcp_port), str(ground.outside / "socket"))
    assert said(ended) == "", said(ended)


@attack
async def kills_nobody(ground: Ground) -> None:
    """Signals to everybody and to guessed processes arrive nowhere outside."""
    victim = subprocess.Popen(["/bin/sleep", "60"])
    try:
        outside = (victim.pid, os.getpid(), os.getppid())
        program = 'for (@ARGV) { print "MAY $_\\n" if kill 0, $_ } kill 9, @ARGV; kill 9, -1;'
        ended = await perl(ground, program, *map(str, outside))
        assert "MAY" not in said(ended), said(ended)
        assert victim.poll() is None, "a process outside was killed"
    finally:
        victim.kill()
        victim.wait()


@attack
async def slows_nobody(ground: Ground) -> None:
    """Limits and priorities of others stay what they are, even where the job has their user."""
    victim = subprocess.Popen(["/bin/sleep", "60"])
    try:
        before = condition_of(victim.pid)
        numbers = {"x86_64": ("302", "203", "141"), "aarch64": ("261", "122", "140")}[os.uname().machine]
        program = (
            "my ($pid, $prlimit, $affinity, $priority) = @ARGV;"
            "my $none = pack('QQ', 0, 0); my $cpu = pack('Q', 1);"
            "syscall($prlimit+0, $pid+0, 7, $none, 0); syscall($affinity+0, $pid+0, 8, $cpu);"
            "syscall($priority+0, 0, $pid+0, 19); print 'done'"
        )
        assert said(await perl(ground, program, str(victim.pid), *numbers)) == "done"
        assert condition_of(victim.pid) == before
    finally:
        victim.kill()
        victim.wait()


def condition_of(pid: int) -> tuple[object, ...]:
    """Return what somebody who wants to slow a process would change."""
    open_files = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    return open_files, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid)


@attack
async def leaves_nothing_in_the_kernel(ground: Ground) -> None:
    """Shared memory, semaphores and queues, which outlive processes, cannot be made."""
    numbers = {"x86_64": "29 31 64 66 68 71 240 294", "aarch64": "194 195 190 191 186 187 180 26"}[
        os.uname().machine
    ].split()
    program = 'for (@ARGV) { my $r = syscall($_+0, 4711, 4096, 01666); print "MADE $_\n" if $r >= 0 }'
    ended = await perl(ground, program, *numbers)
    assert said(ended) == "", said(ended)


@attack
async def sees_no_environment_of_ours(ground: Ground) -> None:
    """Neither its own environment nor that of a process outside holds a secret."""
    ended = await shell(ground, f"env; cat /proc/{os.getpid()}/environ /proc/*/environ 2>/dev/null; true")
    assert "swordfish" not in said(ended)
    assert "PATH=" in said(ended)


@attack
async def inherits_no_descriptor(ground: Ground) -> None:
    """Only the three standard descriptors are open; no channel of ours can be written to."""
    program = 'for (3..1023) { if (open(my $f, ">&=", $_)) { print "OPEN $_\\n"; syswrite $f, "\\0" x 64 } }'
    ended = await perl(ground, program)
    assert said(ended) == "", said(ended)
    assert ended.cause is Cause.EXITED


@attack
async def sends_no_datagram_through_a_pair(ground: Ground) -> None:
    """One end of a pair of datagram sockets could send to any socket that has a path."""
    program = "use Socket; print 'PAIR' if socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0)"
    ended = await perl(ground, program)
    assert said(ended) == "", said(ended)
