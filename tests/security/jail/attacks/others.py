"""Attacks on the network and on other processes."""

from __future__ import annotations

import os
import resource
import subprocess
from dataclasses import replace

from ground import LIMITS, MIB, Ground, attack, perl, said, shell

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
async def sees_no_environment_of_the_service(ground: Ground) -> None:
    """Neither its own environment nor that of a process outside holds a secret."""
    ended = await shell(ground, f"env; cat /proc/{os.getpid()}/environ /proc/*/environ 2>/dev/null; true")
    assert "swordfish" not in said(ended)
    assert "PATH=" in said(ended)


@attack
async def leaves_nothing_for_the_next_step_of_its_job(ground: Ground) -> None:
    """A cell that was made new holds what was laid into it, whatever the step before has done to it."""
    secret = ground.outside / "secret"
    program = (
        f"symlink('{secret}', 'link'); link('given', 'twin'); mkdir('closed');"
        "open(F, '>', 'closed/f'); close F; symlink('/etc', 'closed/etc'); chmod(0, 'closed');"
        "open(F, '>', '.hidden'); print F 'x' x 5000000; close F;"
        " for (1..150) { mkdir('d') && chdir('d') or last } chdir($ENV{HOME});"
        "unless (fork) { use POSIX; setsid(); while (1) { open(F, '>', 'again'); close F } } chmod(0, '.')"
    )
    after = replace(LIMITS, cpu_seconds=1, disk_bytes=2 * MIB, file_bytes=MIB)
    async with ground.jail.cell(LIMITS, {"given": b"first"}) as cell:
        await cell.run(["perl", "-e", program])
        await cell.renew(after, {"second": b"2"})
        assert await cell.list() == {"second": 1}
        ended = await cell.run(["sh", "-c", "ls -a; cat second; echo new > new && cat new"])
        assert said(ended) == ".\n..\nsecond\n2new\n", said(ended)
        ended = await cell.run(["perl", "-e", "open(F, '>', 'f'); while (1) { syswrite(F, 'x' x 65536) }"])
        assert ended.cause is Cause.DISK_LIMIT, ended
        ended = await cell.run(["perl", "-e", "1 while 1"])
        assert ended.cause is Cause.CPU_LIMIT, ended
        assert ended.usage.cpu_seconds < 2, ended.usage
    assert secret.read_text() == "secret of the host"
    assert secret.stat().st_mode & 0o777 == 0o644


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
