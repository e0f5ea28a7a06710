"""What this host says of itself that decides which sandbox tiers can work: facts, read in one place.

Nothing here judges; `hints` does. If a file and a trial could answer the same question, both are facts:
the trial says whether something works, the file why it does not.
"""

from __future__ import annotations

import errno
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.jail import follow, syscalls

_TRIAL_SECONDS = 20.0
_NOBODY = 65_534
# Command line of a cell, less the files of the job.
_BWRAP_TRIAL = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
    *("--die-with-parent", "--cap-drop", "ALL", "--clearenv", "--ro-bind", "/usr", "/usr"),
    *("--ro-bind-try", "/lib", "/lib", "--ro-bind-try", "/lib64", "/lib64", "/usr/bin/true"),
)


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What was read from the host, and what was tried on it.

    Attributes:
        kernel: Release of the kernel.
        distribution: ID of /etc/os-release and what it is like, such as ("ubuntu", "debian").
        root: Whether the service runs as root. Programs of jobs never do.
        bwrap: Path of bubblewrap, empty for none.
        bwrap_refusal: What bubblewrap says if it cannot make a sandbox; empty if it can.
        namespace_refusal: Name of the errno with which an ordinary user's process is refused a user
            namespace, or mounts in one; empty if it is not refused.
        chrooted: Whether the root of this process is not that of its mount namespace, as far as can be seen.
        user_namespaces: Whether the kernel has user namespaces at all.
        unprivileged_userns_clone: kernel.unprivileged_userns_clone; None for no such setting.
        max_user_namespaces: user.max_user_namespaces; None for no such setting.
        apparmor_restricts: kernel.apparmor_restrict_unprivileged_userns; None for no such setting.
        label: Label that the security module in force gives to this process; empty for none.
        selinux_enforcing: Whether SELinux is there and enforces its policy.
        seccomp_filtered: Whether this process is under a seccomp filter, as in a container.
        landlock_abi: 0 for none.
        landlock_refusal: Name of the errno with which Landlock is refused; empty if it is there.
        security_modules: Active security modules, from /sys/kernel/security/lsm; None if that cannot be read.
        traces: Whether processes can be traced.
        ptrace_scope: kernel.yama.ptrace_scope; None if Yama is not in force.
        hidepid: Option hidepid of /proc; empty for none.
        work_folder: Where the work folders of jobs are made.
        work_folder_flags: Flags that its file system is mounted with, of nosuid, nodev, noexec and ro.
        work_folder_passable: Whether other users can pass through it.
    """

    kernel: str
    distribution: tuple[str, ...]
    root: bool
    bwrap: str
    bwrap_refusal: str
    namespace_refusal: str
    chrooted: bool
    user_namespaces: bool
    unprivileged_userns_clone: int | None
    max_user_namespaces: int | None
    apparmor_restricts: int | None
    label: str
    selinux_enforcing: bool
    seccomp_filtered: bool
    landlock_abi: int
    landlock_refusal: str
    security_modules: tuple[str, ...] | None
    traces: bool
    ptrace_scope: int | None
    hidepid: str
    work_folder: str
    work_folder_flags: tuple[str, ...]
    work_folder_passable: bool


def read_facts(bwrap: str = "bwrap", state_dir: Path | None = None) -> HostFacts:
    """Read and try what there is to know; takes about a tenth of a second.

    Args:
        bwrap: Bubblewrap by name or path, as in JailSettings.
        state_dir: Folder of state as in JailSettings.
    """
    program = shutil.which(bwrap, path=os.defpath + ":/usr/local/bin") or ""
    mountinfo = _text("/proc/self/mountinfo")
    folder = state_dir or Path(tempfile.gettempdir())
    namespace_refusal, traces = _try_calls()
    modules = _text("/sys/kernel/security/lsm")
    return HostFacts(
        kernel=platform.release(),
        distribution=distribution(_text("/etc/os-release")),
        root=os.geteuid() == 0,
        bwrap=program,
        bwrap_refusal=_try_bwrap(program) if program else "",
        namespace_refusal=namespace_refusal,
        chrooted=_chrooted(),
        user_namespaces=os.path.lexists("/proc/self/ns/user"),  # where it leads, a profile may not let us see
        unprivileged_userns_clone=_number("/proc/sys/kernel/unprivileged_userns_clone"),
        max_user_namespaces=_number("/proc/sys/user/max_user_namespaces"),
        apparmor_restricts=_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
        label=_text("/proc/self/attr/current").strip("\0\n "),
        selinux_enforcing=_number("/sys/fs/selinux/enforce") == 1,
        seccomp_filtered="\nSeccomp:\t2" in _text("/proc/self/status"),
        landlock_abi=syscalls.landlock_abi(),
        landlock_refusal=_landlock_refusal(),
        security_modules=tuple(modules.strip().split(",")) if modules else None,
        traces=traces,
        ptrace_scope=_number("/proc/sys/kernel/yama/ptrace_scope"),
        hidepid=hidepid(mountinfo),
        work_folder=str(folder),
        work_folder_flags=mount_flags(mountinfo, str(folder)),
        work_folder_passable=_passable(folder),
    )


def distribution(os_release: str) -> tuple[str, ...]:
    """Return ID and ID_LIKE of the content of /etc/os-release."""
    fields = dict(line.split("=", 1) for line in os_release.splitlines() if "=" in line)
    return tuple(f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").split())


def hidepid(mountinfo: str) -> str:
    """Return the option hidepid of what is mounted at /proc, such as "invisible"; empty for none.

    Args:
        mountinfo: Content of /proc/self/mountinfo.
    """
    found = ""
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        if mount.split()[4] == "/proc":  # what was mounted last covers the others
            options = source.split()[-1].split(",")
            found = next((one.partition("=")[2] for one in options if one.startswith("hidepid=")), "")
    return "" if found in ("0", "off") else found


def mount_flags(mountinfo: str, path: str) -> tuple[str, ...]:
    """Return those flags of the file system that a path lies on which forbid something.

    Args:
        mountinfo: Content of /proc/self/mountinfo.
        path: Absolute.
    """
    best, flags = "", ""
    for line in mountinfo.splitlines():
        point, options = line.split()[4:6]
        if f"{path}/".startswith(point.rstrip("/") + "/") and len(point) >= len(best):
            best, flags = point, options
    return tuple(one for one in flags.split(",") if one in ("nosuid", "nodev", "noexec", "ro"))


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace")
    except OSError:
        return ""


def _number(path: str) -> int | None:
    try:
        return int(_text(path))
    except ValueError:
        return None


def _try_bwrap(program: str) -> str:
    """Return what bubblewrap complains of as an ordinary user, who is what starts it; empty for nothing."""
    try:
        ended = subprocess.run(
            [program, *_BWRAP_TRIAL],
            capture_output=True,
            text=True,
            timeout=_TRIAL_SECONDS,
            check=False,
            env={},
            cwd="/",
            user=_NOBODY if os.geteuid() == 0 else None,
            group=_NOBODY if os.geteuid() == 0 else None,
            extra_groups=() if os.geteuid() == 0 else None,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    complaint = " ".join(ended.stderr.split()) or f"exit code {ended.returncode}"
    return "" if ended.returncode == 0 else complaint


def _try_calls() -> tuple[str, bool]:
    """Return the errno's name with which a user namespace is refused, and whether processes can be traced.

    Both are tried in a bare process: the service may have threads, and must not fork.
    """
    package = str(Path(__file__).resolve().parents[2])
    program = (
        f"import sys; sys.path.insert(0, {package!r}); from i2s_chassis.jail import host; host.try_calls()"
    )
    try:
        ended = subprocess.run(
            [sys.executable, "-I", "-S", "-c", program],
            capture_output=True,
            text=True,
            timeout=_TRIAL_SECONDS,
            check=True,
            env={},
            cwd="/",
        )
    except (OSError, subprocess.SubprocessError):
        return "", True  # nothing is known, so nothing is blamed
    traces, _, refusal = ended.stdout.strip().partition(" ")
    return refusal, traces == "traces"


def try_calls() -> None:
    """Print what _try_calls reads, from a process that is there for it alone."""
    found = "traces" if follow.possible() else "traces-not"
    if os.geteuid() == 0:
        os.setgroups(())
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    try:
        syscalls.unshare(syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS)
        syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    except OSError as error:
        found += " " + errno.errorcode.get(error.errno or 0, str(error))
    print(found)


def _chrooted() -> bool:
    try:
        first, ours = os.stat("/proc/1/root/."), os.stat("/")
    except OSError:
        return False  # only root may look
    return (first.st_dev, first.st_ino) != (ours.st_dev, ours.st_ino)


def _landlock_refusal() -> str:
    try:
        syscalls.landlock_version()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return ""


def _passable(folder: Path) -> bool:
    """Whether users without rights of their own can pass through what there is of a path."""
    path = folder.resolve()
    try:
        return all(one.stat().st_mode & 1 for one in (path, *path.parents) if one.exists())
    except OSError:
        return False
