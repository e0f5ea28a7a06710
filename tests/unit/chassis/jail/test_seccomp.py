"""The filter program, checked against the kernel's own tables and by running it."""

from __future__ import annotations

import errno
import re
import struct
from dataclasses import fields
from pathlib import Path

import pytest

from i2s_chassis.jail import seccomp
from i2s_chassis.jail.landlock import Substitute

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
_MUST_BE_DENIED = (
    "ptrace process_vm_readv process_vm_writev mount umount2 unshare setns bpf keyctl add_key request_key "
    "io_uring_setup io_uring_enter io_uring_register userfaultfd perf_event_open pivot_root chroot "
    "open_by_handle_at fsopen fsmount move_mount open_tree mount_setattr pidfd_getfd init_module "
    "finit_module delete_module kexec_load reboot swapon acct syslog personality mknodat "
    "shmget shmat shmctl semget semop semctl "
    "msgget msgsnd msgrcv msgctl mq_open mq_unlink inotify_init1 inotify_add_watch "
    "memfd_secret sethostname settimeofday clock_settime kcmp vhangup"
).split()


def run_filter(program: bytes, number: int, arch: int, *arguments: int) -> int:
    """Run a classic BPF program over a struct seccomp_data, as the kernel does."""
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, arch, 0, *(arguments + (0,) * 6)[:6])
    code = [struct.unpack_from("=HBBI", program, offset) for offset in range(0, len(program), 8)]
    accumulator = place = 0
    while True:
        operation, if_true, if_false, value = code[place]
        place += 1
        if operation == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif operation == 0x15:
            place += if_true if accumulator == value else if_false
        elif operation == 0x54:
            accumulator &= value
        elif operation == 0x45:
            place += if_true if accumulator & value else if_false
        else:
            assert operation == 0x06
            return int(value)


def numbers_of(machine: str) -> dict[str, int]:
    if not _HEADERS[machine].exists():
        pytest.skip(f"{_HEADERS[machine]} is not installed (Debian package linux-libc-dev)")
    text = _HEADERS[machine].read_text()
    numbers = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)
    return {name: int(number) for name, number in numbers if name != "syscalls"}  # how many there are


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_must_be_denied_is_denied(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=False, machine=machine)
    for name in _MUST_BE_DENIED:
        assert run_filter(program, numbers[name], _ARCH[machine]) == _ERRNO | errno.EPERM, name


@pytest.mark.parametrize(
    "group", [field.name for field in fields(seccomp.CallNumbers) if field.name != "audit_arch"]
)
def test_each_architecture_has_the_calls_that_the_other_one_has(group: str) -> None:
    """A call of x86-64 that a group has is in it on aarch64, or does not exist there, and the other way."""
    names = {machine: names_in_group(machine, group) for machine in ("x86_64", "aarch64")}
    there = {*numbers_of("aarch64"), *filter(str.isdecimal, names["x86_64"])}
    assert names["x86_64"] & there == names["aarch64"]


def names_in_group(machine: str, group: str) -> set[str]:
    """The names of the calls of a group; the numbers of those that are newer than the headers."""
    names = {number: name for name, number in numbers_of(machine).items()}
    value = getattr(seccomp.CALL_NUMBERS[machine], group)
    entries = value if isinstance(value, tuple) else (value,)
    numbers = (entry[0] if isinstance(entry, tuple) else entry for entry in entries)
    return {names.get(number, str(number)) for number in numbers}


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("our_user", [False, True])
def test_ordinary_calls_are_allowed(machine: str, *, our_user: bool) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=our_user, machine=machine)
    ordinary = "read write openat close execve munmap brk futex wait4 exit_group getpid ioctl clone"
    for name in ordinary.split():
        assert run_filter(program, numbers[name], _ARCH[machine]) == _ALLOW, name


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_metadata_and_priorities_are_denied_to_a_job_of_our_user(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    ours, other = (seccomp.build(our_user=flag, machine=machine) for flag in (True, False))
    for name in "fchown fchownat setpriority sched_setaffinity".split():
        assert run_filter(ours, numbers[name], arch) == _ERRNO | errno.EPERM, name
        assert run_filter(other, numbers[name], arch) == _ALLOW, name
    for name in "fchmod fchmodat utimensat".split():
        assert run_filter(ours, numbers[name], arch) == _ERRNO | 0, (
            name
        )  # not made, and said to have succeeded
        assert run_filter(other, numbers[name], arch) == _ALLOW, name
    for name in "setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr".split():
        assert run_filter(ours, numbers[name], arch) == _ERRNO | errno.EOPNOTSUPP, name
        assert run_filter(other, numbers[name], arch) == _ALLOW, name
    assert run_filter(ours, numbers["prlimit64"], arch, 0) == _ALLOW
    assert run_filter(ours, numbers["prlimit64"], arch, 4711) == _ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_what_others_do_with_files_of_the_system_is_not_told(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    job, browser = (seccomp.build(our_user=False, nesting=flag, machine=machine) for flag in (False, True))
    worker = seccomp.build(our_user=True, starts_processes=False, machine=machine)
    assert run_filter(job, numbers["flock"], arch, 3, 2) == _ERRNO | errno.ENOLCK
    assert run_filter(browser, numbers["flock"], arch, 3, 2) == _ALLOW
    assert run_filter(worker, numbers["flock"], arch, 3, 2) == _ALLOW
    cachestat, notify, get_flags = 451, 1026, 3
    for program in (job, browser, worker):
        assert run_filter(program, cachestat, arch, 3) == _ERRNO | errno.EPERM
        assert run_filter(program, numbers["fcntl"], arch, 3, notify) == _ERRNO | errno.EPERM
        assert run_filter(program, numbers["fcntl"], arch, 3, get_flags) == _ALLOW
        for flags, result in (
            (0, _ALLOW),
            (1, _ALLOW),
            (8, _ERRNO | errno.EOPNOTSUPP),
            (9, _ERRNO | errno.EOPNOTSUPP),
        ):
            assert run_filter(program, numbers["preadv2"], arch, 3, 0, 1, 0, 0, flags) == result


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_threads_are_allowed_and_namespaces_are_not(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=False, machine=machine)
    clone, arch = numbers["clone"], _ARCH[machine]
    assert run_filter(program, clone, arch, 0x003D0F00) == _ALLOW
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert run_filter(program, clone, arch, flag | 17) == _ERRNO | errno.EPERM, hex(flag)
    assert run_filter(program, numbers["clone3"], arch) == _ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("nesting", [False, True])
def test_nothing_is_born_out_of_sight_of_who_follows(machine: str, *, nesting: bool) -> None:
    program = seccomp.build(our_user=True, nesting=nesting, machine=machine)
    clone_untraced = 0x00800000
    result = run_filter(program, numbers_of(machine)["clone"], _ARCH[machine], clone_untraced | 17)
    assert result == _ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_sockets_and_typing_for_others_are_denied(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=False, machine=machine)
    arch = _ARCH[machine]
    assert run_filter(program, numbers["socket"], arch, 2) == _ERRNO | errno.EAFNOSUPPORT
    for request in (0x5412, 0x541C):
        assert run_filter(program, numbers["ioctl"], arch, 0, request) == _ERRNO | errno.EPERM


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_only_pairs_of_streams_can_be_made(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=False, machine=machine)
    pair, arch = numbers["socketpair"], _ARCH[machine]
    assert run_filter(program, pair, arch, 1, 1 | 0o2000000) == _ALLOW
    for kind in (2, 3, 5, 2 | 0o2000000):
        assert run_filter(program, pair, arch, 1, kind) == _ERRNO | errno.EAFNOSUPPORT


def test_other_architectures_are_killed() -> None:
    program = seccomp.build(our_user=False, machine="x86_64")
    assert run_filter(program, 39, 0x40000003) == _KILL  # i386
    assert run_filter(program, 0x40000000 | 39, _ARCH["x86_64"]) == _KILL  # x32
    assert run_filter(seccomp.build(our_user=False, machine="aarch64"), 20, 0x40000028) == _KILL  # 32-bit ARM


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_nesting_job_makes_the_namespaces_of_a_browser_and_no_others(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=False, nesting=True, machine=machine)
    arch = _ARCH[machine]
    assert run_filter(program, numbers["clone"], arch, 0x70000000 | 17) == _ALLOW
    assert run_filter(program, numbers["unshare"], arch, 0x10000000) == _ALLOW
    assert run_filter(program, numbers["chroot"], arch) == _ALLOW
    for flag in (0x00020000, 0x02000000, 0x04000000, 0x08000000):
        for name in ("clone", "unshare"):
            assert run_filter(program, numbers[name], arch, 0x10000000 | flag) == _ERRNO | errno.EPERM, name
    assert run_filter(program, numbers["unshare"], arch, 0x80) == _ERRNO | errno.EPERM
    for name in set(_MUST_BE_DENIED) - {"unshare", "chroot"}:
        assert run_filter(program, numbers[name], arch) == _ERRNO | errno.EPERM, name


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_nesting_job_makes_pairs_that_are_connected(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build(our_user=False, nesting=True, machine=machine)
    for kind, allowed in ((1, True), (5, True), (2, False), (3, False)):
        result = run_filter(program, numbers["socketpair"], _ARCH[machine], 1, kind)
        assert result == (_ALLOW if allowed else _ERRNO | errno.EAFNOSUPPORT), kind


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_local_sockets_are_streams_of_the_unix_family(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program = seccomp.build(our_user=False, nesting=True, local_sockets=True, machine=machine)
    assert run_filter(program, numbers["socket"], arch, 1, 1 | 0o2000000) == _ALLOW
    for family, kind in ((1, 2), (1, 5), (2, 1), (10, 1), (16, 3), (17, 3), (40, 1)):
        result = run_filter(program, numbers["socket"], arch, family, kind)
        assert result == _ERRNO | errno.EAFNOSUPPORT, (family, kind)


_SIGNAL_CALLS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo")


def filter_with(machine: str, *substitutes: Substitute, own_pid: int | None = None) -> bytes:
    return seccomp.build(our_user=True, substitutes=substitutes, own_pid=own_pid, machine=machine)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("call", _SIGNAL_CALLS)
def test_in_place_of_landlock_signals_reach_the_process_and_its_group_alone(machine: str, call: str) -> None:
    number, arch = numbers_of(machine)[call], _ARCH[machine]
    program = filter_with(machine, Substitute.SIGNALS, own_pid=4711)
    for pid in (4711, 0):
        assert run_filter(program, number, arch, pid) == _ALLOW, pid
    for pid in (1, 4710, 4712, 2**32 - 1, 2**32 - 4711):  # the last two are -1 and a group
        assert run_filter(program, number, arch, pid) == _ERRNO | errno.EPERM, pid
    nobody = filter_with(machine, Substitute.SIGNALS)
    for pid in (4711, 0, 1):
        assert run_filter(nobody, number, arch, pid) == _ERRNO | errno.EPERM, pid


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("more", [(), (Substitute.IOCTL,)])
def test_in_place_of_landlock_nobody_is_made_to_be_signalled(
    machine: str, more: tuple[Substitute, ...]
) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program = filter_with(machine, Substitute.SIGNALS, *more, own_pid=4711)
    assert run_filter(program, numbers["pidfd_send_signal"], arch, 3) == _ERRNO | errno.EPERM
    for command in (8, 10, 15):  # F_SETOWN, F_SETSIG, F_SETOWN_EX
        assert run_filter(program, numbers["fcntl"], arch, 3, command) == _ERRNO | errno.EPERM, command
    for command in (0, 1, 2, 3, 4, 6, 1030):  # F_DUPFD … F_SETFL, F_SETLK, F_DUPFD_CLOEXEC
        assert run_filter(program, numbers["fcntl"], arch, 3, command) == _ALLOW, command
    for request in (0x8901, 0x8902, 0x5412, 0x541C):  # FIOSETOWN, SIOCSPGRP, TIOCSTI, TIOCLINUX
        assert run_filter(program, numbers["ioctl"], arch, 3, request) != _ALLOW, request


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_in_place_of_landlock_devices_are_asked_what_any_descriptor_is(machine: str) -> None:
    number, arch = numbers_of(machine)["ioctl"], _ARCH[machine]
    program = filter_with(machine, Substitute.IOCTL)
    for request in (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451):
        assert run_filter(program, number, arch, 3, request) == _ALLOW, hex(request)
    for request in (0x80045200, 0x5412, 0x541C, 0x8901, 0x40049409):
        assert run_filter(program, number, arch, 3, request) == _ERRNO | errno.ENOTTY, hex(request)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_in_place_of_landlock_no_file_is_emptied_that_is_not_written_to(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program = filter_with(machine, Substitute.TRUNCATE)
    truncating, creating = 0o1000, 0o100
    opens = {"openat": (0, 0), **({"open": (0,)} if machine == "x86_64" else {})}
    for name, before in opens.items():
        for mode in (0, 3):
            result = run_filter(program, numbers[name], arch, *before, mode | truncating | creating)
            assert result == _ERRNO | errno.EACCES, (name, mode)
        for flags in (1 | truncating, 2 | truncating | creating, 0, 1, 2, creating):
            assert run_filter(program, numbers[name], arch, *before, flags) == _ALLOW, (name, oct(flags))
    assert run_filter(program, numbers["truncate"], arch) == _ERRNO | errno.EACCES
    assert run_filter(program, numbers["ftruncate"], arch) == _ALLOW
    assert run_filter(program, numbers["openat2"], arch) == _ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_filter_with_all_substitutes_denies_all_that_it_denies_without(machine: str) -> None:
    numbers = numbers_of(machine)
    program = filter_with(machine, *Substitute, own_pid=4711)
    for name in _MUST_BE_DENIED:
        assert run_filter(program, numbers[name], _ARCH[machine]) == _ERRNO | errno.EPERM, name
    for name in "read write close execve munmap brk futex wait4 exit_group getpid clone ftruncate".split():
        assert run_filter(program, numbers[name], _ARCH[machine]) == _ALLOW, name


_STARTS = "execve execveat fork vfork".split()
_JOINS = "connect bind listen accept accept4".split()
_CHANGES = (
    "rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat "
    "rmdir mkdir mkdirat creat truncate"
).split()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_who_starts_no_processes_starts_threads_and_uses_the_sockets_it_has(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program = seccomp.build(our_user=True, starts_processes=False, machine=machine)
    free = seccomp.build(our_user=True, machine=machine)
    for name in filter(numbers.__contains__, _STARTS):
        assert run_filter(program, numbers[name], arch) == _ERRNO | errno.EPERM, name
        assert run_filter(free, numbers[name], arch) == _ALLOW, name
    for name in _JOINS:
        assert run_filter(program, numbers[name], arch) == _ERRNO | errno.EAFNOSUPPORT, name
    assert run_filter(program, numbers["socketpair"], arch, 1, 1) == _ERRNO | errno.EAFNOSUPPORT
    thread, new_mounts = 0x003D0F00, 0x00020000
    assert run_filter(program, numbers["clone"], arch, thread) == _ALLOW
    for flags in (17, 0x4111, thread | new_mounts):
        assert run_filter(program, numbers["clone"], arch, flags) == _ERRNO | errno.EPERM, hex(flags)
    assert run_filter(program, numbers["clone3"], arch) == _ERRNO | errno.ENOSYS
    for name in "read write sendto recvfrom sendmsg recvmsg openat mmap futex exit_group".split():
        assert run_filter(program, numbers[name], arch) == _ALLOW, name


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_who_changes_no_files_opens_them_for_reading(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program = seccomp.build(our_user=True, changes_files=False, machine=machine)
    for name in filter(numbers.__contains__, _CHANGES):
        assert run_filter(program, numbers[name], arch) == _ERRNO | errno.EROFS, name
    assert run_filter(program, numbers["openat2"], arch) == _ERRNO | errno.ENOSYS
    opens = {"openat": (0, 0), **({"open": (0,)} if machine == "x86_64" else {})}
    write, read_write, neither, create, truncate, directory, close_on_exec = (
        1,
        2,
        3,
        0o100,
        0o1000,
        0o200000,
        0o2000000,
    )
    for name, before in opens.items():
        for flags in (write, read_write, neither, create, truncate, write | create, create | close_on_exec):
            result = run_filter(program, numbers[name], arch, *before, flags)
            assert result == _ERRNO | errno.EROFS, (name, oct(flags))
        for flags in (0, close_on_exec, directory | close_on_exec):
            assert run_filter(program, numbers[name], arch, *before, flags) == _ALLOW, (name, oct(flags))


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_filter_of_workers_denies_all_that_one_of_jobs_denies(machine: str) -> None:
    numbers = numbers_of(machine)
    program = seccomp.build(
        our_user=True,
        substitutes=tuple(Substitute),
        own_pid=4711,
        starts_processes=False,
        changes_files=False,
        machine=machine,
    )
    for name in _MUST_BE_DENIED:
        assert run_filter(program, numbers[name], _ARCH[machine]) == _ERRNO | errno.EPERM, name
    assert run_filter(program, numbers["kill"], _ARCH[machine], 1) == _ERRNO | errno.EPERM
    assert run_filter(program, numbers["socket"], _ARCH[machine], 1) == _ERRNO | errno.EAFNOSUPPORT


_DENIED_TO_SERVICES = (
    "ptrace process_vm_readv process_vm_writev kcmp mount umount2 pivot_root chroot setns bpf keyctl add_key "
    "request_key io_uring_setup io_uring_enter io_uring_register userfaultfd perf_event_open "
    "open_by_handle_at fsopen fsmount move_mount open_tree mount_setattr pidfd_getfd init_module "
    "finit_module delete_module kexec_load reboot swapon swapoff acct syslog personality sethostname "
    "settimeofday clock_settime quotactl process_madvise"
).split()
_MADE_BY_SERVICES = (
    "read write openat close execve munmap brk futex wait4 exit_group getpid ioctl clone kill socketpair "
    "connect bind listen accept4 epoll_pwait setresuid setresgid setgroups shmget semget mbind get_mempolicy "
    "inotify_init1 mknodat sched_setaffinity fchown fchmodat prctl prlimit64 openat2 memfd_create"
).split()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_service_makes_what_it_needs_and_nothing_with_a_history(machine: str) -> None:
    numbers, program = numbers_of(machine), seccomp.build_for_service(machine)
    denied, arch = _ERRNO | errno.EPERM, _ARCH[machine]
    for name in _DENIED_TO_SERVICES:
        assert run_filter(program, numbers[name], arch) == denied, name
    for name in _MADE_BY_SERVICES:
        assert run_filter(program, numbers[name], arch) == _ALLOW, name
    assert run_filter(program, numbers["clone3"], arch) == _ERRNO | errno.ENOSYS
    for namespace in (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000):
        assert run_filter(program, numbers["clone"], arch, namespace | 17) == denied
        assert run_filter(program, numbers["unshare"], arch, namespace) == denied
    assert run_filter(program, numbers["unshare"], arch, 0x80) == denied  # of time
    assert run_filter(program, numbers["ioctl"], arch, 0, 0x5412) == denied  # TIOCSTI


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_service_has_sockets_of_ordinary_families(machine: str) -> None:
    number, program = numbers_of(machine)["socket"], seccomp.build_for_service(machine)
    for family in (1, 2, 10, 16):  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK
        assert run_filter(program, number, _ARCH[machine], family, 1) == _ALLOW
    for family in (17, 38, 40, 44, 9):  # AF_PACKET, AF_ALG, AF_VSOCK, AF_XDP, AF_X25
        assert run_filter(program, number, _ARCH[machine], family, 1) == _ERRNO | errno.EAFNOSUPPORT


def test_a_service_of_another_architecture_is_killed() -> None:
    assert run_filter(seccomp.build_for_service("x86_64"), 39, 0x40000003) == _KILL


#: Calls that send a signal, with the place of the argument that is the signal.
_SENDERS = {
    "kill": 1,
    "tkill": 1,
    "tgkill": 2,
    "rt_sigqueueinfo": 1,
    "rt_tgsigqueueinfo": 2,
    "pidfd_send_signal": 1,
}


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("our_user", [False, True])
def test_no_job_sends_the_signal_that_only_others_send(machine: str, *, our_user: bool) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program = seccomp.build(our_user=our_user, machine=machine)
    for name, place in _SENDERS.items():
        for target in (4711, 1, 0, 0xFFFFFFFF):
            for signal, result in ((9, _ERRNO | errno.EPERM), (15, _ALLOW), (0, _ALLOW)):
                arguments = [target] * 3
                arguments[place] = signal
                assert run_filter(program, numbers[name], arch, *arguments) == result, (name, signal)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_no_job_has_the_kernel_send_it(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    program, refused = seccomp.build(our_user=False, machine=machine), _ERRNO | errno.EPERM
    assert run_filter(program, numbers["timer_create"], arch) == refused
    assert run_filter(program, numbers["fcntl"], arch, 3, 10, 9) == refused  # F_SETSIG
    assert run_filter(program, numbers["fcntl"], arch, 3, 1030) == _ALLOW
    assert run_filter(program, numbers["setrlimit"], arch, 0) == refused
    assert run_filter(program, numbers["setrlimit"], arch, 7) == _ALLOW
    for new_limit in (0x1000, 0x7FFF00000000):
        assert run_filter(program, numbers["prlimit64"], arch, 0, 0, new_limit) == refused
        assert run_filter(program, numbers["prlimit64"], arch, 0, 7, new_limit) == _ALLOW
    assert run_filter(program, numbers["prlimit64"], arch, 0, 0, 0, 0x1000) == _ALLOW  # only reads it
    assert run_filter(program, numbers["clone"], arch, 0x01200000 | 9) == refused
    assert run_filter(program, numbers["clone"], arch, 0x01200000 | 17) == _ALLOW


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_browser_ends_its_own_processes_and_an_engine_sets_the_limits_of_its_children(machine: str) -> None:
    numbers, arch = numbers_of(machine), _ARCH[machine]
    browser = seccomp.build(our_user=False, nesting=True, machine=machine)
    assert run_filter(browser, numbers["kill"], arch, 4711, 9) == _ALLOW
    engine = seccomp.build(our_user=False, engine=True, machine=machine)
    assert run_filter(engine, numbers["timer_create"], arch) == _ALLOW
    assert run_filter(engine, numbers["prlimit64"], arch, 0, 0, 0x1000) == _ALLOW
    assert run_filter(engine, numbers["kill"], arch, 4711, 9) == _ERRNO | errno.EPERM
