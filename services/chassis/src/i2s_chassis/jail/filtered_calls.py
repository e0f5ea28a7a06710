"""The numbers of the system calls that the filter of jobs looks at, from the kernel's unistd headers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls of one architecture that the filter knows, by their numbers.

    Attributes:
        audit_arch: The kernel's number of the architecture.
        denied: Calls that no job may make.
        made_by_services: Calls among ``denied`` that a service and its libraries may need.
        denied_to_our_user: Calls that a job with the user of the service may not make.
        ignored_of_our_user: Calls of such a job that are not made but return success.
        unknown_to_our_user: Calls of such a job that are not made and return ENOSYS.
        signals: Calls whose first argument is the process to signal.
        flags_of_open: Calls that open a file by its path, with the place of the argument that holds flags.
        starts: Start a process or a program; clone is looked at apart, since threads are made by it too.
        joins: Give a socket an address, or connect it.
        changes: Change files by their path, beside those that open them.
    """

    audit_arch: int
    denied: tuple[int, ...]
    made_by_services: tuple[int, ...]
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
    fcntl: int
    signals: tuple[int, ...]
    pidfd_send_signal: int
    truncate: int
    openat2: int
    flags_of_open: tuple[tuple[int, int], ...]
    starts: tuple[int, ...]
    joins: tuple[int, ...]
    changes: tuple[int, ...]


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
#: Calls by architecture, which has the name that uname -m prints.
MACHINES = {
    "x86_64": Calls(
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
        signals=(62, 200, 234, 129, 297),  # kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
        pidfd_send_signal=424,
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
    "aarch64": Calls(
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
        signals=(129, 130, 131, 138, 240),  # kill, tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo
        pidfd_send_signal=424,
        truncate=45,
        openat2=437,
        flags_of_open=((56, 2),),  # openat
        starts=(221, 281),  # execve, execveat
        joins=(203, 202, 200, 201, 242),  # connect, accept, bind, listen, accept4
        changes=(38, 276, 37, 36, 35, 34, 45),  # renameat(2), linkat, symlinkat, unlinkat, mkdirat, truncate
    ),
}
