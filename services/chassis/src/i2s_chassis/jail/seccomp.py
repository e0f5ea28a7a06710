"""The system calls that no job may make, as a classic BPF filter built in plain Python.

A deny list: engines are large programs whose needs change with every release, and their isolation
(namespaces, Landlock, an unprivileged user) does not rest on this filter alone. It takes away what
escapes are made with: other namespaces, tracing, kernel interfaces with a history of
vulnerabilities, and every socket.

The numbers of the calls are from the kernel's unistd headers.
"""

from __future__ import annotations

import errno
import functools
import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from i2s_chassis.jail import syscalls
from i2s_chassis.jail.landlock import Substitute

_Instruction = tuple[int, int, int, int]

_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID, -NET
_NEW_TIME = 0x80  # CLONE_NEWTIME, known to unshare alone; clone has a signal in these bits
_UNTRACED = 0x00800000  # CLONE_UNTRACED: out of sight of who follows the job
_THREAD = 0x00010000  # CLONE_THREAD
_BROWSER_NAMESPACES = 0x70000000  # CLONE_NEWUSER, -PID, -NET
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: put words into somebody's terminal
_OWNER_OF_SIGNALS = (0x8901, 0x8902)  # FIOSETOWN, SIOCSPGRP: whom the kernel signals for a descriptor
# TCGETS, which asks whether this is a terminal, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX
_ANY_DESCRIPTOR = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
_OWNER_BY_FCNTL = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX
_F_SETSIG = 10
_SIGKILL = 9
_EXIT_SIGNAL = 0xFF  # the bits of clone's flags with the signal that the parent gets at the child's end
_RLIMIT_CPU = 0
_WATCH_BY_FCNTL = (1026,)  # F_NOTIFY: who reads and changes files of a folder
_READ_IF_CACHED = 0x8  # RWF_NOWAIT: fails if the page is in no cache, which tells what others have read
_O_CREAT, _O_TRUNC, _O_ACCMODE = 0o100, 0o1000, 0o3
_O_RDONLY, _O_NEITHER = 0, 3  # the latter asks for both rights and gives neither
_X32_BIT = 0x40000000
_AF_UNIX = 1
_FAMILIES_OF_SERVICES = (1, 2, 10, 16)  # AF_UNIX, AF_INET, AF_INET6, AF_NETLINK (asks for addresses)
_SOCKET_TYPE_MASK, _SOCK_STREAM, _SOCK_SEQPACKET = 0xF, 1, 5

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARG0, _OFFSET_ARG1 = 0, 4, 16, 24
_SIZE_OF_ARG = 8
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def supported() -> bool:
    """Whether there is a filter for this machine's architecture."""
    return syscalls.MACHINE in CALL_NUMBERS


@functools.lru_cache(maxsize=32)
def build(
    *,
    our_user: bool,
    nesting: bool = False,
    local_sockets: bool = False,
    substitutes: tuple[Substitute, ...] = (),
    own_pid: int | None = None,
    starts_processes: bool = True,
    changes_files: bool = True,
    engine: bool = False,
    machine: str = syscalls.MACHINE,
) -> bytes:
    """Return the filter as an array of struct sock_filter.

    Args:
        our_user: Whether the job runs as the same user as the service and sees its files and
            processes. Landlock knows nothing of rights, times and attributes of files or of
            limits and priorities of processes, so the calls that change them are denied then. Those
            for modes and times do nothing and succeed, and those for attributes fail with EOPNOTSUPP,
            as if there are none: a program that copies a file makes them.
        nesting: Whether it may make user, process and network namespaces, and change its root:
            what the sandbox of a browser does. Mounts, and all other namespaces, stay denied.
        local_sockets: Whether it may make stream sockets of AF_UNIX. Only for where neither paths
            nor names of sockets outside are in sight.
        substitutes: What the filter controls in place of an older Landlock.
        own_pid: Process id of the process that is put under the filter and leads its process group; with
            Substitute.SIGNALS it and its descendants may signal that process and their group. None
            if they may signal nobody.
        starts_processes: Whether it may start processes and programs, and make pairs of sockets to talk to
            them. Without, it may start threads, and uses the sockets it has as they are.
        changes_files: Whether it may make, change and remove files if the rest of its isolation permits
            it. Without, the calls fail with EROFS, as on a file system that is read-only.
        engine: Whether it may make timers and change its limit of CPU seconds, by both of which the kernel
            sends SIGKILL. For an engine that runs no code of a source itself, but in children with a filter
            of their own.
        machine: Architecture, as in uname -m.

    Denied calls fail with EPERM; sockets with EAFNOSUPPORT; clone3 with ENOSYS, so that the C
    library falls back to clone, whose flags can be looked at. Calls of another architecture
    (32 bit, x32) kill the process. Nobody may send SIGKILL, nor have the kernel send it, but a browser
    (``nesting``), which ends its own processes with it: whatever else that signal ends was killed from
    outside, or for a limit that the kernel reports otherwise.

    Raises:
        KeyError: There is no table for ``machine``.
    """
    table = CALL_NUMBERS[machine]
    denied_namespaces = _NEW_NAMESPACES & ~(_BROWSER_NAMESPACES if nesting else 0)
    code = _of_this_machine(table)
    for numbers, error in (
        (table.denied, errno.EPERM),
        (table.denied_to_our_user if our_user else (), errno.EPERM),
        (table.ignored_of_our_user if our_user else (), 0),
        (table.unknown_to_our_user if our_user else (), errno.EOPNOTSUPP),
        (() if nesting else (table.unshare, table.chroot), errno.EPERM),
        ((table.clone3,), errno.ENOSYS),
        (() if local_sockets else (table.socket,), errno.EAFNOSUPPORT),
        # Of a file of the system, others would see the lock. Browsers lock files of their own.
        ((table.flock,) if starts_processes and not nesting else (), errno.ENOLCK),
        (() if starts_processes else table.starts, errno.EPERM),
        (() if starts_processes else (table.socketpair, *table.joins), errno.EAFNOSUPPORT),
        (() if changes_files else table.changes, errno.EROFS),
        (() if changes_files else (table.openat2,), errno.ENOSYS),  # its flags lie in memory
        (() if engine or nesting else (table.timer_create,), errno.EPERM),  # its signal lies in memory
    ):
        code += _refused(numbers, error)
    if not nesting:
        code += _without_kill(table)
    if not (engine or nesting):
        code += _without_limit_of_time(table)
    if our_user:
        code += [
            (_EQUAL, 0, 4, table.prlimit),
            (_LOAD, 0, 0, _OFFSET_ARG0),
            (_EQUAL, 1, 0, 0),  # the calling process itself
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
    if not starts_processes:
        code += [
            (_EQUAL, 0, 4, table.clone),
            (_LOAD, 0, 0, _OFFSET_ARG0),
            (_ANY_BIT, 1, 0, _THREAD),
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            (_LOAD, 0, 0, _OFFSET_NUMBER),  # what a thread may be is looked at below
        ]
    if not changes_files:
        for number, place in table.flags_of_open:
            code += _for_reading(number, place)
    code += _instead_of_landlock(table, substitutes, own_pid)
    owners = _OWNER_BY_FCNTL if Substitute.SIGNALS in substitutes else ()
    code += _unless_argument(table.fcntl, 1, (*_WATCH_BY_FCNTL, *owners), errno.EPERM)
    code += _without_flags(table.preadv2, _READ_IF_CACHED, place=5, error=errno.EOPNOTSUPP)
    code += [
        # A pair of datagram sockets can send to any socket that has a path, so only those that
        # are connected: of streams, and of packets in order for a browser.
        (_EQUAL, 0, 6, table.socketpair),
        (_LOAD, 0, 0, _OFFSET_ARG1),
        (_AND, 0, 0, _SOCKET_TYPE_MASK),
        (_EQUAL, 2, 0, _SOCK_STREAM),
        (_EQUAL, 1, 0, _SOCK_SEQPACKET if nesting else _SOCK_STREAM),
        (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT),
        (_RETURN, 0, 0, _ALLOW),
        # Those that have a path or a name: reachable is only what the program itself can see.
        (_EQUAL, 0, 7, table.socket),
        (_LOAD, 0, 0, _OFFSET_ARG0),
        (_EQUAL, 0, 4, _AF_UNIX),
        (_LOAD, 0, 0, _OFFSET_ARG1),
        (_AND, 0, 0, _SOCKET_TYPE_MASK),
        (_EQUAL, 0, 1, _SOCK_STREAM),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EAFNOSUPPORT),
        *_without_flags(table.clone, denied_namespaces | _UNTRACED),
        *_without_flags(table.unshare, denied_namespaces | _NEW_TIME),
        *_unless_argument(table.ioctl, 1, _TERMINAL_INPUT, errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


@functools.cache
def build_for_service(machine: str = syscalls.MACHINE) -> bytes:
    """Return the filter of a service itself, and of all it starts, as an array of struct sock_filter.

    It denies what no service needs and what holes of kernels are reached by: tracing, mounts, modules,
    namespaces, other processes' memory, keys, clocks, io_uring and sockets of rare families. What the
    service starts with more rights, the spawner, is started before.

    Raises:
        KeyError: There is no table for ``machine``.
    """
    table = CALL_NUMBERS[machine]
    denied = [number for number in table.denied if number not in table.made_by_services]
    code = _of_this_machine(table)
    for numbers, error in (((*denied, table.chroot), errno.EPERM), ((table.clone3,), errno.ENOSYS)):
        code += _refused(numbers, error)
    code += [
        *_only_argument(table.socket, 0, _FAMILIES_OF_SERVICES, errno.EAFNOSUPPORT),
        *_without_flags(table.clone, _NEW_NAMESPACES),
        *_without_flags(table.unshare, _NEW_NAMESPACES | _NEW_TIME),
        *_unless_argument(table.ioctl, 1, _TERMINAL_INPUT, errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _of_this_machine(table: CallNumbers) -> list[_Instruction]:
    """Return instructions that kill who calls by the numbers of another architecture, and load the number."""
    return [
        (_LOAD, 0, 0, _OFFSET_ARCH),
        (_EQUAL, 1, 0, table.audit_arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_ANY_BIT, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]


def _refused(numbers: Iterable[int], error: int) -> list[_Instruction]:
    """Return instructions with which calls fail."""
    return [one for number in numbers for one in ((_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error))]


def _without_kill(table: CallNumbers) -> list[_Instruction]:
    """Return instructions that refuse to send SIGKILL, and to have the kernel send it for others.

    It does so at the end of a child, and for a descriptor. Calls that pass are looked at by later
    instructions too, here and below.
    """
    code: list[_Instruction] = []
    for number, place in (*table.signals_at, (table.pidfd_send_signal, 1)):
        code += _unless_value(number, place, _SIGKILL)
    code += _unless_value(table.fcntl, 1, _F_SETSIG)
    code += [
        (_EQUAL, 0, 5, table.clone),
        (_LOAD, 0, 0, _OFFSET_ARG0),
        (_AND, 0, 0, _EXIT_SIGNAL),
        (_EQUAL, 0, 1, _SIGKILL),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
    ]
    return code


def _without_limit_of_time(table: CallNumbers) -> list[_Instruction]:
    """Return instructions that refuse to change the limit on CPU seconds, beyond which the kernel kills."""
    new_limit = _argument(2)  # an address, of which both halves are 0 if the limit is only read
    return [
        *_unless_value(table.setrlimit, 0, _RLIMIT_CPU),
        (_EQUAL, 0, 8, table.prlimit),
        (_LOAD, 0, 0, _argument(1)),
        (_EQUAL, 0, 5, _RLIMIT_CPU),
        (_LOAD, 0, 0, new_limit),
        (_EQUAL, 0, 2, 0),
        (_LOAD, 0, 0, new_limit + _SIZE_OF_ARG // 2),
        (_EQUAL, 1, 0, 0),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
    ]


def _unless_value(number: int, place: int, denied: int) -> list[_Instruction]:
    """Return instructions that refuse a call with this value of an argument.

    Other such calls are looked at by later instructions of the filter.
    """
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _argument(place)),
        (_EQUAL, 0, 1, denied),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
    ]


def _instead_of_landlock(
    table: CallNumbers, substitutes: Sequence[Substitute], own_pid: int | None
) -> list[_Instruction]:
    code: list[_Instruction] = []
    if Substitute.SIGNALS in substitutes:
        # 0 stands for the caller's process group, and a job cannot enter a group of another session.
        permitted = () if own_pid is None else (0, own_pid)
        for number in table.signals:
            code += _only_argument(number, 0, permitted, errno.EPERM)
        code += _only_argument(table.pidfd_send_signal, 0, (), errno.EPERM)
        if Substitute.IOCTL not in substitutes:
            code += _unless_argument(table.ioctl, 1, (*_TERMINAL_INPUT, *_OWNER_OF_SIGNALS), errno.EPERM)
    if Substitute.IOCTL in substitutes:
        code += _only_argument(table.ioctl, 1, _ANY_DESCRIPTOR, errno.ENOTTY)
    if Substitute.TRUNCATE in substitutes:
        code += _only_argument(table.truncate, 0, (), errno.EACCES)
        code += _only_argument(table.openat2, 0, (), errno.ENOSYS)  # its flags lie in memory
        for number, place in table.flags_of_open:
            code += _without_truncation(number, place)
    return code


def _argument(place: int) -> int:
    return _OFFSET_ARG0 + _SIZE_OF_ARG * place


def _only_argument(number: int, place: int, allowed: Sequence[int], error: int) -> list[_Instruction]:
    """Return instructions that let a call pass with one of these values of an argument alone.

    They end every such call, so later instructions of the filter do not see it.
    """
    return [
        (_EQUAL, 0, 3 + len(allowed), number),
        (_LOAD, 0, 0, _argument(place)),
        *((_EQUAL, len(allowed) - index, 0, value) for index, value in enumerate(allowed)),
        (_RETURN, 0, 0, _ERRNO | error),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _unless_argument(number: int, place: int, denied: Sequence[int], error: int) -> list[_Instruction]:
    """Return instructions that let a call pass unless an argument has one of these values.

    They end every such call, so later instructions of the filter do not see it.
    """
    return [
        (_EQUAL, 0, 3 + len(denied), number),
        (_LOAD, 0, 0, _argument(place)),
        *((_EQUAL, len(denied) - index, 0, value) for index, value in enumerate(denied)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | error),
    ]


def _without_truncation(number: int, place: int) -> list[_Instruction]:
    """Return instructions that deny to open a file that is emptied and not written to."""
    return [
        (_EQUAL, 0, 7, number),
        (_LOAD, 0, 0, _argument(place)),
        (_ANY_BIT, 0, 4, _O_TRUNC),
        (_AND, 0, 0, _O_ACCMODE),
        (_EQUAL, 1, 0, _O_RDONLY),
        (_EQUAL, 0, 1, _O_NEITHER),
        (_RETURN, 0, 0, _ERRNO | errno.EACCES),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _for_reading(number: int, place: int) -> list[_Instruction]:
    """Return instructions that let a file be opened for reading alone."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _argument(place)),
        (_ANY_BIT, 0, 1, _O_ACCMODE | _O_CREAT | _O_TRUNC),
        (_RETURN, 0, 0, _ERRNO | errno.EROFS),
        (_RETURN, 0, 0, _ALLOW),
    ]


def _without_flags(
    number: int, denied: int, *, place: int = 0, error: int = errno.EPERM
) -> list[_Instruction]:
    """Return instructions that let a call pass only without any of these bits in an argument."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _argument(place)),
        (_ANY_BIT, 0, 1, denied),
        (_RETURN, 0, 0, _ERRNO | error),
        (_RETURN, 0, 0, _ALLOW),
    ]


def restrict(
    *,
    our_user: bool,
    nesting: bool = False,
    local_sockets: bool = False,
    substitutes: tuple[Substitute, ...] = (),
    starts_processes: bool = True,
    changes_files: bool = True,
    engine: bool = False,
) -> None:
    """Put the calling process under the filter for good. Needs no_new_privs to be set.

    Args:
        our_user: See build.
        nesting: See build.
        local_sockets: See build.
        substitutes: See build; the process must lead its process group.
        starts_processes: See build.
        changes_files: See build.
        engine: See build.

    Raises:
        OSError: The kernel refused.
    """
    program = build(
        our_user=our_user,
        nesting=nesting,
        local_sockets=local_sockets,
        substitutes=substitutes,
        own_pid=os.getpid() if Substitute.SIGNALS in substitutes else None,
        starts_processes=starts_processes,
        changes_files=changes_files,
        engine=engine,
    )
    syscalls.load_seccomp_filter(program)


def restrict_service() -> None:
    """Put the calling process, a service, under its filter for good. Needs no_new_privs to be set.

    Raises:
        OSError: The kernel refused.
    """
    syscalls.load_seccomp_filter(build_for_service())


@dataclass(frozen=True, slots=True)
class CallNumbers:
    """The calls of one architecture that the filter knows, by their numbers."""

    #: The kernel's number of the architecture.
    audit_arch: int
    #: Calls that no job may make.
    denied: tuple[int, ...]
    #: Calls among ``denied`` that a service and its libraries may need.
    made_by_services: tuple[int, ...]
    #: Calls that a job with the user of the service may not make.
    denied_to_our_user: tuple[int, ...]
    #: Calls of such a job that are not made but return success.
    ignored_of_our_user: tuple[int, ...]
    #: Calls of such a job that are not made and return ENOSYS.
    unknown_to_our_user: tuple[int, ...]
    prlimit: int
    socket: int
    socketpair: int
    clone: int
    clone3: int
    unshare: int
    chroot: int
    ioctl: int
    fcntl: int
    flock: int
    preadv2: int
    #: Calls whose first argument is the process to signal, with the place of the argument that is the signal.
    signals_at: tuple[tuple[int, int], ...]
    pidfd_send_signal: int
    timer_create: int
    setrlimit: int
    truncate: int
    openat2: int
    #: Calls that open a file by its path, with the place of the argument that holds flags.
    flags_of_open: tuple[tuple[int, int], ...]
    #: Start a process or a program; clone is looked at apart, since threads are made by it too.
    starts: tuple[int, ...]
    #: Give a socket an address, or connect it.
    joins: tuple[int, ...]
    #: Change files by their path, beside those that open them.
    changes: tuple[int, ...]

    @property
    def signals(self) -> tuple[int, ...]:
        """Calls whose first argument is the process to signal."""
        return tuple(number for number, _ in self.signals_at)


# Numbers from the kernel's unistd headers; the comments name the calls.
_UNIFIED = (
    *(425, 426, 427),  # io_uring_setup, io_uring_enter, io_uring_register
    *(
        428,
        429,
        430,
        431,
        432,
        433,
        442,
    ),  # open_tree, move_mount, fs… open, config, mount, pick, mount_setattr
    *(438, 440, 443, 447),  # pidfd_getfd, process_madvise, quotactl_fd, memfd_secret
    451,  # cachestat: which pages of a file are in memory
)
_UNIFIED_ATTRIBUTES = (463, 466, 469)  # setxattrat, removexattrat, file_setattr
_UNIFIED_MODES = (452,)  # fchmodat2
#: Calls by architecture, which has the name that uname -m prints.
CALL_NUMBERS = {
    "x86_64": CallNumbers(
        audit_arch=0xC000003E,
        denied=(
            *_UNIFIED,
            *(101, 310, 311, 312),  # ptrace, process_vm_readv, process_vm_writev, kcmp
            *(165, 166, 155),  # mount, umount2, pivot_root
            308,  # setns
            *(321, 298, 323, 300),  # bpf, perf_event_open, userfaultfd, fanotify_init
            *(248, 249, 250),  # add_key, request_key, keyctl
            *(
                175,
                313,
                176,
                246,
                320,
            ),  # (f)init_module, delete_module, kexec_(file_)load
            *(167, 168, 169, 163, 179, 103),  # swapon, swapoff, reboot, acct, quotactl, syslog
            *(303, 304, 212),  # name_to_handle_at, open_by_handle_at, lookup_dcookie
            *(
                170,
                171,
                164,
                227,
                305,
                159,
            ),  # host and domain name, the clock
            *(172, 173, 154, 153, 135),  # iopl, ioperm, modify_ldt, vhangup, personality
            *(134, 136, 139, 156, 180),  # uselib, ustat, sysfs, _sysctl, nfsservctl
            *(133, 259),  # mknod, mknodat
            *(29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71),  # all of System V
            *(240, 241),  # mq_open, mq_unlink
            *(253, 254, 294),  # inotify_init, inotify_add_watch, inotify_init1: names in folders of others
            *(
                237,
                238,
                256,
                279,
                450,
            ),  # memory policy and page migration
        ),
        made_by_services=(
            *(133, 259),  # mknod, mknodat: pipes with a name
            *(29, 30, 31, 67, 64, 65, 66, 220, 68, 69, 70, 71),  # all of System V
            *(240, 241),  # mq_open, mq_unlink
            *(253, 254, 294),  # inotify_init, inotify_add_watch, inotify_init1
            *(237, 238, 256, 279, 450),  # memory policy and page migration
        ),
        denied_to_our_user=(
            *(92, 93, 94, 260),  # chown, fchown, lchown, fchownat
            *(141, 142, 144, 203, 251, 314),  # priorities, scheduling, affinity
        ),
        ignored_of_our_user=(
            *_UNIFIED_MODES,
            *(90, 91, 268),  # chmod, fchmod, fchmodat
            *(132, 235, 261, 280),  # utime, utimes, futimesat, utimensat
        ),
        unknown_to_our_user=(
            *_UNIFIED_ATTRIBUTES,
            *(188, 189, 190, 197, 198, 199),  # (l, f)setxattr, (l, f)removexattr
        ),
        prlimit=302,
        socket=41,
        socketpair=53,
        clone=56,
        clone3=435,
        unshare=272,
        chroot=161,
        ioctl=16,
        fcntl=72,
        flock=73,
        preadv2=327,
        # kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
        signals_at=((62, 1), (200, 1), (234, 2), (129, 1), (297, 2)),
        pidfd_send_signal=424,
        timer_create=222,
        setrlimit=160,
        truncate=76,
        openat2=437,
        flags_of_open=((2, 1), (257, 2)),  # open, openat
        starts=(57, 58, 59, 322),  # fork, vfork, execve, execveat
        joins=(42, 43, 49, 50, 288),  # connect, accept, bind, listen, accept4
        changes=(
            *(82, 264, 316, 86, 265, 88, 266),  # rename(at, at2), link(at), symlink(at)
            *(87, 263, 84, 83, 258, 85, 76),  # unlink(at), rmdir, mkdir(at), creat, truncate
        ),
    ),
    "aarch64": CallNumbers(
        audit_arch=0xC00000B7,
        denied=(
            *_UNIFIED,
            *(117, 270, 271, 272),  # ptrace, process_vm_readv, process_vm_writev, kcmp
            *(40, 39, 41),  # mount, umount2, pivot_root
            268,  # setns
            *(280, 241, 282, 262),  # bpf, perf_event_open, userfaultfd, fanotify_init
            *(217, 218, 219),  # add_key, request_key, keyctl
            *(
                105,
                273,
                106,
                104,
                294,
            ),  # (f)init_module, delete_module, kexec_(file_)load
            *(224, 225, 142, 89, 60, 116),  # swapon, swapoff, reboot, acct, quotactl, syslog
            *(264, 265, 18),  # name_to_handle_at, open_by_handle_at, lookup_dcookie
            *(
                161,
                162,
                170,
                112,
                266,
                171,
            ),  # host and domain name, the clock
            *(58, 92, 42),  # vhangup, personality, nfsservctl
            *(33,),  # mknodat
            *(186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197),  # all of System V
            *(180, 181),  # mq_open, mq_unlink
            *(26, 27),  # inotify_init1, inotify_add_watch: names in folders of others
            *(
                235,
                237,
                238,
                239,
                450,
            ),  # memory policy and page migration
        ),
        made_by_services=(
            *(33,),  # mknodat: pipes with a name
            *(186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197),  # all of System V
            *(180, 181),  # mq_open, mq_unlink
            *(26, 27),  # inotify_init1, inotify_add_watch
            *(235, 237, 238, 239, 450),  # memory policy and page migration
        ),
        denied_to_our_user=(
            *(54, 55),  # fchownat, fchown
            *(140, 118, 119, 122, 30, 274),  # priorities, scheduling, affinity
        ),
        ignored_of_our_user=(*_UNIFIED_MODES, *(52, 53, 88)),  # fchmod, fchmodat, utimensat
        unknown_to_our_user=(
            *_UNIFIED_ATTRIBUTES,
            *(5, 6, 7, 14, 15, 16),  # (l, f)setxattr, (l, f)removexattr
        ),
        prlimit=261,
        socket=198,
        socketpair=199,
        clone=220,
        clone3=435,
        unshare=97,
        chroot=51,
        ioctl=29,
        fcntl=25,
        flock=32,
        preadv2=286,
        # kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
        signals_at=((129, 1), (130, 1), (131, 2), (138, 1), (240, 2)),
        pidfd_send_signal=424,
        timer_create=107,
        setrlimit=164,
        truncate=45,
        openat2=437,
        flags_of_open=((56, 2),),  # openat
        starts=(221, 281),  # execve, execveat
        joins=(203, 202, 200, 201, 242),  # connect, accept, bind, listen, accept4
        changes=(38, 276, 37, 36, 35, 34, 45),  # renameat(2), linkat, symlinkat, unlinkat, mkdirat, truncate
    ),
}
