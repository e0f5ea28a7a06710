"""Attacks from inside of namespaces that a program may make itself, as a browser does."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
from dataclasses import replace

from ground import LIMITS, Attack, Ground, attack, left_of_jobs, said

from i2s_chassis.jail import Cause, Ended, KilledError, PolicyKind

_UNSHARE = {"x86_64": 272, "aarch64": 97}[os.uname().machine]
_USER, _PID, _NET, _MOUNT = 0x10000000, 0x20000000, 0x40000000, 0x00020000


def _enter(flags: int) -> str:
    """Return Perl that makes namespaces and becomes root in them as far as it can."""
    return (
        f"my $user = $<; syscall({_UNSHARE}, {flags}) == 0 or die qq(NOT ), qq(IN $!);"
        "sub put { if (open(my $f, '>', $_[0])) { print $f $_[1]; close $f } }"
        "put('/proc/self/setgroups', 'deny'); put('/proc/self/uid_map', qq(0 $user 1));"
        "put('/proc/self/gid_map', qq(0 $user 1));"
    )


async def _nested(ground: Ground, flags: int, program: str, *arguments: str, **limits: float) -> Ended:
    bounds = replace(LIMITS, **limits)  # type: ignore[arg-type]
    async with ground.jail.cell(bounds, nesting=True) as cell:
        return await cell.run(["perl", "-e", _enter(flags) + program, *arguments])


@functools.cache
def _for_nobody() -> bool:
    """Whether no program here may make a user namespace, as under a container engine's own filter."""
    made = subprocess.run(["perl", "-e", f"exit(syscall({_UNSHARE}, {_USER}) != 0)"], check=False)
    return made.returncode != 0


def in_a_namespace(function: Attack) -> Attack:
    """Make an attack from inside a namespace; where nobody may make one, see that a job may not either."""

    @functools.wraps(function)
    async def attempt(ground: Ground) -> None:
        if _for_nobody():
            ended = await _nested(ground, _USER, "print 'IN'")
            assert said(ended).startswith("NOT IN"), said(ended)
        else:
            await function(ground)

    return attempt


@attack
@in_a_namespace
async def a_nested_root_reads_nothing_more(ground: Ground) -> None:
    """Neither files, nor the environment or memory of a process that is not the job's."""
    targets = ["/etc/passwd", "/etc/shadow", "/etc/hostname", str(ground.outside / "secret"), "/proc/kcore"]
    targets += [
        f"/proc/{pid}/{name}" for pid in (os.getpid(), os.getppid()) for name in ("status", "environ")
    ]
    targets += ["/proc/1/root/etc/passwd", "/proc/1/root/proc/1/environ", "/proc/1/mem", "/proc/1/maps"]
    program = (
        'for (@ARGV) { print "GOT $_\\n" if (open(F, "<", $_) && defined(read(F, my $x, 1)) && $x ne "") }'
    )
    ended = await _nested(ground, _USER | _PID | _NET, program, *targets)
    assert "GOT" not in said(ended), said(ended)
    assert "NOT IN" not in said(ended), said(ended)


@attack
@in_a_namespace
async def a_nested_root_finds_no_secret_in_proc(ground: Ground) -> None:
    """All that its /proc holds of processes is of its own cell."""
    program = (
        "for my $f (glob '/proc/[0-9]*/environ /proc/[0-9]*/cmdline') { local $/;"
        "if (open(F, '<', $f)) { my $x = <F>; print $x } }"
    )
    ended = await _nested(ground, _USER, program)
    assert "NOT IN" not in said(ended), said(ended)
    assert "swordfish" not in said(ended)
    assert "python" not in said(ended), said(ended)


@attack
@in_a_namespace
async def a_nested_root_writes_no_setting_of_the_kernel(ground: Ground) -> None:
    """Its /proc takes what concerns its own processes, and nothing else."""
    places = ["sys/kernel/core_pattern", "sys/kernel/hostname", "sys/vm/overcommit_memory", "sysrq-trigger"]
    places += ["sys/kernel/ns_last_pid", "sys/net/ipv4/ip_forward", "irq/default_smp_affinity", "1/mem"]
    program = 'for (@ARGV) { if (open(F, ">", "/proc/$_")) { print "OPENED $_\\n" if syswrite(F, "1") } }'
    ended = await _nested(ground, _USER | _NET, program, *places)
    assert "OPENED" not in said(ended), said(ended)
    assert "NOT IN" not in said(ended), said(ended)


@attack
@in_a_namespace
async def a_nested_root_mounts_nothing(ground: Ground) -> None:
    """No mount namespace, and no mount in the one there is."""
    mount, pivot, setns = {"x86_64": (165, 155, 308), "aarch64": (40, 41, 268)}[os.uname().machine]
    program = (
        f"print 'NAMESPACE' if syscall({_UNSHARE}, {_MOUNT}) == 0;"
        "my ($none, $work, $kind) = ('none', '.', 'tmpfs');"
        f"print 'MOUNT' if syscall({mount}, $none, $work, $kind, 0, 0) == 0;"
        f"print 'PIVOT' if syscall({pivot}, $work, $work) == 0;"
        "for (glob '/proc/1/ns/* /proc/self/ns/*') {"
        f"print 'SETNS' if open(F, '<', $_) && syscall({setns}, fileno(F), 0) == 0 }}"
    )
    ended = await _nested(ground, _USER, program)
    assert said(ended) == "", said(ended)


@attack
@in_a_namespace
async def a_nested_root_reaches_no_network(ground: Ground) -> None:
    """Sockets of the machine are as far away as ever: of the loopback, with a path, with a name."""
    program = """
        use Socket;
        for my $f (AF_INET, AF_INET6, 16, 17, 40) {
            for my $t (SOCK_STREAM, SOCK_DGRAM, SOCK_RAW) {
                print "SOCKET $f $t\\n" if socket(my $s, $f, $t, 0)
            }
        }
        print "DGRAM\\n" if socket(D, AF_UNIX, SOCK_DGRAM, 0);
        print "PAIR\\n" if socketpair(my $a, my $b, AF_UNIX, SOCK_DGRAM, 0);
        my $address = sockaddr_in($ARGV[0], inet_aton("127.0.0.1"));
        socket(S, AF_INET, SOCK_STREAM, 0) && connect(S, $address) && print "TCP\\n";
        socket(U, AF_UNIX, SOCK_STREAM, 0) && connect(U, sockaddr_un($ARGV[1])) && print "UNIX\\n";
        socket(A, AF_UNIX, SOCK_STREAM, 0) && connect(A, sockaddr_un("\\0i2s-canary")) && print "ABSTRACT\\n";
    """
    for flags in (_USER, _USER | _NET):
        arguments = str(ground.tcp_port), str(ground.outside / "socket")
        ended = await _nested(ground, flags, program, *arguments)
        assert said(ended) == "", said(ended)


@attack
@in_a_namespace
async def a_nested_root_kills_nobody(ground: Ground) -> None:
    """Signals arrive in the cell alone."""
    victim = subprocess.Popen(["/bin/sleep", "60"])
    try:
        program = 'for (@ARGV) { print "MAY $_\\n" if kill 0, $_ } kill 9, @ARGV;'
        ended = await _nested(ground, _USER, program, str(victim.pid), str(os.getpid()), str(os.getppid()))
        assert "MAY" not in said(ended), said(ended)
        # Its own cell it may end, and itself with it if that is faster than its exit.
        with contextlib.suppress(KilledError):
            await _nested(ground, _USER, "kill 9, -1;")
        assert victim.poll() is None, "a process outside was killed"
    finally:
        victim.kill()
        victim.wait()


@attack
@in_a_namespace
async def a_nested_root_makes_no_forbidden_call(ground: Ground) -> None:
    """Root of a namespace or not, the filter stays."""
    calls = {
        "x86_64": "ptrace 101 setns 308 mount 165 bpf 321 keyctl 250 io_uring_setup 425 userfaultfd 323 "
        "perf_event_open 298 process_vm_readv 310 open_by_handle_at 304 pivot_root 155 fsopen 430 "
        "move_mount 429 clone3 435 mknod 133 sethostname 170 init_module 175",
        "aarch64": "ptrace 117 setns 268 mount 40 bpf 280 keyctl 219 io_uring_setup 425 userfaultfd 282 "
        "perf_event_open 241 process_vm_readv 270 open_by_handle_at 265 pivot_root 41 fsopen 430 "
        "move_mount 429 clone3 435 mknodat 33 sethostname 161 init_module 105",
    }[os.uname().machine].split()
    program = (
        "while (@ARGV) { my ($n, $c) = splice @ARGV, 0, 2; my $r = syscall($c, 0+0, 0+0, 0+0, 0+0, 0+0);"
        'print "$n $r $!{EPERM} $!{ENOSYS}\\n" unless $r == -1 && ($!{EPERM} || $!{ENOSYS}) }'
    )
    ended = await _nested(ground, _USER, program, *calls)
    assert said(ended) == "", said(ended)


@attack
@in_a_namespace
async def processes_of_a_nested_namespace_meet_the_limits(ground: Ground) -> None:
    """Time and number are counted wherever a process hides."""
    nested = _USER | _PID | _NET
    ended = await _nested(ground, nested, "unless (fork) { fork; 1 while 1 } wait", cpu_seconds=1)
    assert ended.cause is Cause.CPU_LIMIT, ended
    assert ended.usage.cpu_seconds < 3, ended.usage
    busy = "unless (fork) { while (1) { unless (fork) { 1 for 1..200000; exit } wait } } wait"
    ended = await _nested(ground, nested, busy, cpu_seconds=1)
    assert ended.cause is Cause.CPU_LIMIT, ended
    ended = await _nested(ground, nested, "while (1) { fork }")
    assert ended.cause is Cause.PROCESS_LIMIT, ended
    assert ended.usage.peak_processes <= LIMITS.processes + 1, ended.usage
    ended = await _nested(ground, nested, "unless (fork) { push @a, 'x' x 1000000 while 1 } wait")
    assert ended.cause is Cause.MEMORY_LIMIT, ended


@attack
@in_a_namespace
async def nobody_stays_behind_in_a_nested_namespace(ground: Ground) -> None:
    """Neither the first process of it nor what that has started."""
    program = "unless (fork) { use POSIX; setsid(); fork; fork; $SIG{TERM} = 'IGNORE'; sleep 60 } sleep 0.3"
    async with ground.jail.cell(LIMITS, nesting=True) as cell:
        ended = await cell.run(["perl", "-e", _enter(_USER | _PID) + program])
        assert ended.cause is Cause.EXITED, ended
        assert any(event.kind is PolicyKind.LEFT_BEHIND for event in ended.events), ended
        assert len(left_of_jobs(ground)) <= 4, left_of_jobs(ground)
        assert (await cell.run(["true"])).cause is Cause.EXITED
