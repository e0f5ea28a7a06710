"""The system calls that no job may make, as a classic BPF filter built in plain Python.

A deny list: engines are large programs whose needs change with every release, and the walls
around them (namespaces, Landlock, an unprivileged user) do not rest on this filter alone. It
takes away what those walls are climbed with: other namespaces, tracing, kernel interfaces
with a history of holes, and every socket.
"""

from __future__ import annotations

import errno
import functools
import struct
from dataclasses import dataclass

from i2s_chassis.jail import syscalls


@dataclass(frozen=True, slots=True)
class _Machine:
    """What the filter must know of one architecture."""

    audit_arch: int
    denied: tuple[int, ...]
    denied_to_our_user: tuple[int, ...]
    ignored_of_our_user: tuple[int, ...]
    unknown_to_our_user: tuple[int, ...]
    prlimit: int
    socket: int
    socketpair: int
    clone: int
    clone3: int
    unshare: int
    chroot: int
    ioctl: int


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
)
_UNIFIED_ATTRIBUTES = (463, 466, 469)  # setxattrat, removexattrat, file_setattr
_UNIFIED_MODES = (452,)  # fchmodat2
_MACHINES = {
    "x86_64": _Machine(
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
    ),
    "aarch64": _Machine(
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
    ),
}

_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID, -NET
_NEW_TIME = 0x80  # CLONE_NEWTIME, known to unshare alone; clone has a signal in these bits
_UNTRACED = 0x00800000  # CLONE_UNTRACED: out of sight of who follows the job
_BROWSER_NAMESPACES = 0x70000000  # CLONE_NEWUSER, -PID, -NET
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: put words into somebody's terminal
_X32_BIT = 0x40000000
_AF_UNIX = 1
_SOCKET_TYPE_MASK, _SOCK_STREAM, _SOCK_SEQPACKET = 0xF, 1, 5

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_AND = 0x54  # BPF_ALU | BPF_AND | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_OFFSET_NUMBER, _OFFSET_ARCH, _OFFSET_ARG0, _OFFSET_ARG1 = 0, 4, 16, 24
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000


def supported() -> bool:
    """Whether there is a filter for this machine's architecture."""
    return syscalls.MACHINE in _MACHINES


@functools.cache
def build(
    *, our_user: bool, nesting: bool = False, local_sockets: bool = False, machine: str = syscalls.MACHINE
) -> bytes:
    """Return the filter as an array of struct sock_filter.

    Args:
        our_user: Whether the job runs as the same user as the service and sees its files and
            processes. Landlock knows nothing of rights, times and attributes of files or of
            limits and priorities of processes, so the calls that change them are denied then. Those
            for modes and times do nothing and succeed, and those for attributes fail with EOPNOTSUPP,
            as where there are none: a program that copies a file makes them.
        nesting: Whether it may make user, process and network namespaces, and change its root:
            what the sandbox of a browser does. Mounts, and all other namespaces, stay denied.
        local_sockets: Whether it may make stream sockets of AF_UNIX. Only for where neither paths
            nor names of sockets outside are in sight.
        machine: Architecture, as in uname -m.

    Denied calls fail with EPERM; sockets with EAFNOSUPPORT; clone3 with ENOSYS, so that the C
    library falls back to clone, whose flags can be looked at. Calls of another architecture
    (32 bit, x32) kill the process.

    Raises:
        KeyError: There is no table for ``machine``.
    """
    table = _MACHINES[machine]
    denied_namespaces = _NEW_NAMESPACES & ~(_BROWSER_NAMESPACES if nesting else 0)
    code: list[tuple[int, int, int, int]] = [
        (_LOAD, 0, 0, _OFFSET_ARCH),
        (_EQUAL, 1, 0, table.audit_arch),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        (_ANY_BIT, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]
    for numbers, error in (
        (table.denied, errno.EPERM),
        (table.denied_to_our_user if our_user else (), errno.EPERM),
        (table.ignored_of_our_user if our_user else (), 0),
        (table.unknown_to_our_user if our_user else (), errno.EOPNOTSUPP),
        (() if nesting else (table.unshare, table.chroot), errno.EPERM),
        ((table.clone3,), errno.ENOSYS),
        (() if local_sockets else (table.socket,), errno.EAFNOSUPPORT),
    ):
        for number in numbers:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error)]
    if our_user:
        code += [
            (_EQUAL, 0, 4, table.prlimit),
            (_LOAD, 0, 0, _OFFSET_ARG0),
            (_EQUAL, 1, 0, 0),  # the calling process itself
            (_RETURN, 0, 0, _ERRNO | errno.EPERM),
            (_RETURN, 0, 0, _ALLOW),
        ]
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
        (_EQUAL, 0, 3 + len(_TERMINAL_INPUT), table.ioctl),
        (_LOAD, 0, 0, _OFFSET_ARG1),
        *((_EQUAL, len(_TERMINAL_INPUT) - place, 0, wanted) for place, wanted in enumerate(_TERMINAL_INPUT)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _without_flags(number: int, denied: int) -> list[tuple[int, int, int, int]]:
    """Return instructions that let a call pass only without any of these bits in its first argument."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _OFFSET_ARG0),
        (_ANY_BIT, 0, 1, denied),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]


def restrict(*, our_user: bool, nesting: bool, local_sockets: bool) -> None:
    """Put the calling process under the filter for good. Needs no_new_privs to be set.

    Args:
        our_user: See build.
        nesting: See build.
        local_sockets: See build.

    Raises:
        OSError: The kernel refused.
    """
    syscalls.load_seccomp_filter(build(our_user=our_user, nesting=nesting, local_sockets=local_sockets))
