"""Attacks on what an older Landlock does not control, which the system call filter has to."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from ground import LIMITS, Ground, attack, perl, said

from i2s_chassis.jail import Cause, Tier, escape

_SIGNAL_CALLS = {
    "x86_64": {"tkill": "200", "tgkill": "234", "rt_sigqueueinfo": "129", "rt_tgsigqueueinfo": "297"},
    "aarch64": {"tkill": "130", "tgkill": "131", "rt_sigqueueinfo": "138", "rt_tgsigqueueinfo": "240"},
}
_FILE_CALLS = {
    "x86_64": {"truncate": "76", "openat": "257", "creat": "85"},
    "aarch64": {"truncate": "45", "openat": "56", "creat": "-1"},
}
_OPENAT2 = "437"


@attack
async def no_signal_of_any_kind_arrives_outside(ground: Ground) -> None:
    """Neither sent by one of the calls for it, nor by the kernel to the owner of a descriptor."""
    calls = _SIGNAL_CALLS[os.uname().machine]
    program = """
        use Fcntl;
        my ($pid, $tkill, $tgkill, $queue, $tgqueue) = map { $_ + 0 } @ARGV;
        my $info = pack('iii x116', 10, 0, -1);
        print "KILL\n" if kill 'USR1', $pid;
        print "GROUP\n" if kill '-USR1', $pid;
        print "TKILL\n" if syscall($tkill, $pid, 10) == 0;
        print "TGKILL\n" if syscall($tgkill, $pid, $pid, 10) == 0;
        print "QUEUE\n" if syscall($queue, $pid, 10, $info) == 0;
        print "TGQUEUE\n" if syscall($tgqueue, $pid, $pid, 10, $info) == 0;
        my $pidfd = syscall(434, $pid, 0);
        print "PIDFD\n" if $pidfd >= 0 && syscall(424, $pidfd, 10, 0, 0) == 0;
        for my $owner ([8, $pid], [15, pack('ii', 1, $pid)]) {
            pipe(my $r, my $w);
            fcntl($r, $owner->[0], $owner->[1]); fcntl($r, 10, 10);
            fcntl($r, F_SETFL, 020000 | 04000); syswrite $w, '.';
        }
        socketpair(my $own, my $other, 1, 1, 0) or die;
        for my $request (0x8901, 0x8902) {
            ioctl($own, $request, pack('i', $pid));
            fcntl($own, 10, 10); fcntl($own, F_SETFL, 020000 | 04000); syswrite $other, '.';
        }
        print 'done';
    """
    with escape.started_victim() as aim:
        ended = await perl(ground, program, str(aim.pid), *calls.values())
        assert said(ended) == "done", said(ended)
        assert not aim.was_signalled(), "a signal arrived outside"


@attack
async def no_file_outside_is_emptied(ground: Ground) -> None:
    """A file that a job may read, and whose rights permit its user to write, keeps its content."""
    calls = _FILE_CALLS[os.uname().machine]
    program = """
        use Fcntl;
        my ($path, $truncate, $openat, $creat, $openat2) = @ARGV;
        for my $flags (O_RDONLY, O_WRONLY, O_RDWR, 3) {
            my $fd = syscall($openat + 0, -100, $path, $flags | O_TRUNC, 0);
            print "OPEN $flags\n" if $fd >= 0;
            my $how = pack('QQQ', $flags | O_TRUNC, 0, 0);
            $fd = syscall($openat2 + 0, -100, $path, $how, 24);
            print "OPENAT2 $flags\n" if $fd >= 0;
        }
        print "CREAT\n" if $creat > 0 && syscall($creat + 0, $path, 0600) >= 0;
        print "TRUNCATE\n" if syscall($truncate + 0, $path, 0) == 0;
        print "PERL\n" if truncate($path, 0);
        print 'readable' if open(F, '<', $path);
    """
    with tempfile.TemporaryDirectory(prefix="i2s-readable-") as name:
        target = Path(name) / "data"
        target.write_text("of the service")
        target.chmod(0o666)
        target.parent.chmod(0o755)
        async with ground.jail.cell(LIMITS, readable=(target,)) as cell:
            ended = await cell.run(["perl", "-e", program, str(target), *calls.values(), _OPENAT2])
        assert said(ended) == "readable", said(ended)
        assert target.read_text() == "of the service"


@attack
async def a_job_empties_files_of_its_own(ground: Ground) -> None:
    """Every way in which programs make a file anew works in the work folder."""
    program = (
        "open(F, '>', 'a') or die; print F 'long'; close F; open(F, '>', 'a') or die; print F 'b'; close F;"
        "open(F, '+<', 'a') or die; truncate(F, 0) or die; close F; print -s 'a' // 'none'"
    )
    ended = await perl(ground, program)
    assert said(ended) == "0", ended


@attack
async def no_device_is_called(ground: Ground) -> None:
    """Devices are read and written and nothing else, in the tier that shares those of the machine."""
    program = (
        "open(F, '<', '/dev/urandom') or die; my $b = pack('i', 0);print 'CALLED' if ioctl(F, 0x80045200, $b)"
    )
    ended = await perl(ground, program)
    assert ended.cause is Cause.EXITED, ended
    if ground.jail.isolation.tier is not Tier.NAMESPACE:
        assert said(ended) == "", ended


@attack
async def a_killed_leader_is_no_way_to_its_number(ground: Ground) -> None:
    """A job that may signal its first process reaches nobody by it once that process has ended."""
    bystander = subprocess.Popen([sys.executable, "-I", "-S", "-c", "import signal; signal.pause()"])
    try:
        ended = await perl(ground, "my $p = $$; if (fork == 0) { 1 while kill 0, $p; kill 9, $p; sleep 60 }")
        assert ended.cause is Cause.EXITED, ended
        assert bystander.poll() is None
        assert Path(f"/proc/{os.getpid()}").exists()
    finally:
        bystander.kill()
        bystander.wait()
