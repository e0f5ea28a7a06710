"""The facts of this host that decide which sandbox tiers can work, and the causes that forbid a tier.

``read_facts`` reads the facts, in one place, and judges nothing. If a file and a trial could answer the same
question, both are facts: the trial says whether something works, the file why it does not. ``diagnose`` is a
pure function over the facts: what forbids a tier, and the one command that permits it. A cause is only named
if a trial has failed: a setting that forbids something for others, or that a profile for our programs makes
an exception from, is none.
"""

from __future__ import annotations

import errno
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.jail import follow, syscalls
from i2s_chassis.jail.model import Tier

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
    """The facts that were read from the host, or tried on it."""

    #: Release of the kernel.
    kernel: str
    #: ID of /etc/os-release and what it is like, such as ("ubuntu", "debian").
    distribution: tuple[str, ...]
    #: Whether the service runs as root. Programs of jobs never do.
    root: bool
    #: Path of bubblewrap, empty for none.
    bwrap: str
    #: What bubblewrap says if it cannot make a sandbox; empty if it can.
    bwrap_refusal: str
    #: Name of the errno with which an ordinary user's process is refused a user namespace, or mounts in one;
    #: empty if it is not refused.
    namespace_refusal: str
    #: Whether the root of this process is not that of its mount namespace, as far as can be seen.
    chrooted: bool
    #: Whether the kernel has user namespaces at all.
    user_namespaces: bool
    #: kernel.unprivileged_userns_clone; None for no such setting.
    unprivileged_userns_clone: int | None
    #: user.max_user_namespaces; None for no such setting.
    max_user_namespaces: int | None
    #: kernel.apparmor_restrict_unprivileged_userns; None for no such setting.
    apparmor_restricts: int | None
    #: Label that the security module in force gives to this process; empty for none.
    label: str
    #: Whether SELinux is there and enforces its policy.
    selinux_enforcing: bool
    #: Whether this process is under a seccomp filter, as in a container.
    seccomp_filtered: bool
    #: 0 for none.
    landlock_abi: int
    #: Name of the errno with which Landlock is refused; empty if it is there.
    landlock_refusal: str
    #: Active security modules, from /sys/kernel/security/lsm; None if that cannot be read.
    security_modules: tuple[str, ...] | None
    #: Whether processes can be traced.
    traces: bool
    #: kernel.yama.ptrace_scope; None if Yama is not in force.
    ptrace_scope: int | None
    #: Option hidepid of /proc; empty for none.
    hidepid: str
    #: Where the work folders of jobs are made.
    work_folder: str
    #: Flags that its file system is mounted with, of nosuid, nodev, noexec and ro.
    work_folder_flags: tuple[str, ...]
    #: Whether other users can pass through it.
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
    hidden = ""
    for line in mountinfo.splitlines():
        mount, _, source = line.partition(" - ")
        if mount.split()[4] == "/proc":  # what was mounted last covers the others
            options = source.split()[-1].split(",")
            hidden = next(
                (option.partition("=")[2] for option in options if option.startswith("hidepid=")), ""
            )
    return "" if hidden in ("0", "off") else hidden


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
    tracing = "traces" if follow.possible() else "traces-not"
    if os.geteuid() == 0:
        os.setgroups(())
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    try:
        syscalls.unshare(syscalls.CLONE_NEWUSER | syscalls.CLONE_NEWNS)
        syscalls.mount("none", "/", None, syscalls.MS_REC | syscalls.MS_PRIVATE)
    except OSError as error:
        tracing += " " + errno.errorcode.get(error.errno or 0, str(error))
    print(tracing)


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


#: Where wheels have copies of the profiles of this repository.
_PROFILES = Path(__file__).resolve().parents[1] / "profiles"
#: The environment of container images; the file for their engine is outside of them, in the repository.
_CONTAINER_PREFIX = "/opt/i2s/venv"


def profile_file(name: str, folder: Path = _PROFILES, prefix: str = sys.prefix) -> str:
    """Return how remedies name a profile of this repository.

    Args:
        name: Its path in the repository.
        folder: Where a wheel has its copy.
        prefix: The environment of the running Python.

    Returns:
        The copy, if these packages were installed from wheels; else its path in the repository.
    """
    copy = folder / Path(name).name
    return str(copy) if prefix != _CONTAINER_PREFIX and copy.is_file() else name


#: Profiles that remedies name.
APPARMOR_PROFILE = profile_file("deploy/apparmor/i2s-bwrap")
SECCOMP_PROFILE = profile_file("deploy/seccomp/i2s-namespace.json")
_INSTALL_BWRAP = {
    "debian": "apt-get install bubblewrap",
    "ubuntu": "apt-get install bubblewrap",
    "fedora": "dnf install bubblewrap",
    "rhel": "dnf install bubblewrap",
    "suse": "zypper install bubblewrap",
    "arch": "pacman -S bubblewrap",
    "alpine": "apk add bubblewrap",
}
_NO_NAMESPACE = "tier namespace cannot be had"
_TRACING_ELSEWHERE = (
    "without control groups the number of a job's processes is held by RLIMIT_NPROC, which counts all "
    "processes of the user and does not report which job was refused one"
)


@dataclass(frozen=True, slots=True)
class TierDiagnosis:
    """One thing of the host that forbids something."""

    #: The cause, such as "AppArmor restricts unprivileged user namespaces".
    what: str
    #: What was read or tried that shows it.
    evidence: str
    #: What cannot be had because of it.
    consequence: str
    #: Tiers that it takes away or weakens.
    tiers: tuple[Tier, ...]
    #: The command, option or profile that permits it.
    remedy: str

    def __str__(self) -> str:
        """All of it in one line."""
        line = f"{self.what} ({self.evidence}), so {self.consequence}; to permit it: {self.remedy}"
        return " ".join(line.split())


def diagnose(facts: HostFacts) -> tuple[TierDiagnosis, ...]:
    """Return what forbids a tier here, the strongest tier's causes first; empty if nothing does."""
    return (
        *_diagnose_namespace(facts),
        *_diagnose_landlock(facts),
        *_diagnose_tracing(facts),
        *_diagnose_work_folder(facts),
    )


def concerning(diagnoses: Iterable[TierDiagnosis], tiers: Iterable[Tier]) -> tuple[TierDiagnosis, ...]:
    """Return those that concern any of the tiers."""
    wanted = set(tiers)
    return tuple(tier_diagnosis for tier_diagnosis in diagnoses if wanted & set(tier_diagnosis.tiers))


def _diagnose_namespace(facts: HostFacts) -> Iterator[TierDiagnosis]:
    if not facts.bwrap:
        yield TierDiagnosis(
            "bubblewrap is not installed",
            "no command bwrap",
            _NO_NAMESPACE,
            (Tier.NAMESPACE,),
            _install_command(facts.distribution),
        )
    tried = facts.bwrap_refusal or (facts.namespace_refusal if not facts.bwrap else "")
    if not tried:
        return
    causes = list(_causes_of_namespace(facts))
    for what, evidence, remedy in causes or [
        ("bubblewrap cannot make a sandbox", "the cause is not known", "see the log of the kernel (dmesg)")
    ]:
        yield TierDiagnosis(what, f"{evidence}; trial: {tried}", _NO_NAMESPACE, (Tier.NAMESPACE,), remedy)


def _causes_of_namespace(facts: HostFacts) -> Iterator[tuple[str, str, str]]:
    """Return what can be why user namespaces, or mounts in them, are refused: what, evidence, remedy."""
    if not facts.user_namespaces:
        yield (
            "the kernel has no user namespaces",
            f"{facts.kernel} without /proc/self/ns/user",
            "boot a kernel that is built with CONFIG_USER_NS=y",
        )
        return
    if facts.max_user_namespaces == 0:
        yield (
            "the number of user namespaces is limited to none",
            "user.max_user_namespaces=0",
            "sysctl -w user.max_user_namespaces=15000",
        )
    if facts.unprivileged_userns_clone == 0:
        yield (
            "user namespaces are for root alone",
            "kernel.unprivileged_userns_clone=0",
            "sysctl -w kernel.unprivileged_userns_clone=1",
        )
    if facts.apparmor_restricts:
        yield (
            "AppArmor restricts unprivileged user namespaces",
            f"kernel.apparmor_restrict_unprivileged_userns={facts.apparmor_restricts}",
            f"cp {APPARMOR_PROFILE} /etc/apparmor.d/ && apparmor_parser -r /etc/apparmor.d/i2s-bwrap",
        )
    if facts.label.endswith("(enforce)"):
        yield (
            "an AppArmor profile confines this process",
            f"profile {facts.label}",
            "--security-opt apparmor=unconfined, or a profile that permits userns and mount",
        )
    if facts.selinux_enforcing:
        yield (
            "SELinux enforces its policy",
            f"context {facts.label or 'unknown'}",
            "ausearch -m avc -ts recent | audit2allow -M i2s && semodule -i i2s.pp; "
            "in a container --security-opt label=disable",
        )
    if facts.seccomp_filtered and facts.namespace_refusal in ("EPERM", "ENOSYS", "EACCES"):
        yield (
            "a seccomp filter of the container denies user namespaces",
            f"Seccomp: 2 in /proc/self/status, unshare: {facts.namespace_refusal}",
            f"--security-opt seccomp={SECCOMP_PROFILE}",
        )
    if facts.chrooted:
        yield (
            "the kernel makes no user namespaces in a chroot",
            "/proc/1/root is not /",
            "enter the folder with pivot_root, as systemd-nspawn -D FOLDER does, in place of chroot",
        )


def _diagnose_landlock(facts: HostFacts) -> Iterator[TierDiagnosis]:
    if facts.landlock_abi > 0:
        return
    refusal = f"landlock_create_ruleset: {facts.landlock_refusal}"
    modules = facts.security_modules
    if facts.landlock_refusal == "EOPNOTSUPP":
        cause = "Landlock is switched off at boot"
        evidence = f"{refusal}; lsm={','.join(modules)}" if modules else refusal
        remedy = f"boot with lsm={','.join(('landlock', *(modules or ('…',))))}"
    elif facts.seccomp_filtered:
        cause = "the kernel has no Landlock, or a seccomp filter of the container denies it"
        evidence = f"{refusal}, Seccomp: 2 in /proc/self/status"
        remedy = f"--security-opt seccomp={SECCOMP_PROFILE}, with which tier namespace works on any kernel"
    else:
        cause = "the kernel has no Landlock"
        evidence = f"{facts.kernel}, {refusal}"
        remedy = (
            "boot a kernel from 5.13 on that is built with CONFIG_SECURITY_LANDLOCK=y, or use tier namespace"
        )
    yield TierDiagnosis(cause, evidence, "tier landlock cannot be had", (Tier.LANDLOCK,), remedy)


def _diagnose_tracing(facts: HostFacts) -> Iterator[TierDiagnosis]:
    if facts.traces or facts.root:
        return  # as root each job has a user of its own, and nobody needs to be traced
    scope = facts.ptrace_scope or 0
    if scope >= 3:
        cause, evidence = "Yama forbids tracing for good", f"kernel.yama.ptrace_scope={scope}"
        remedy = "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d and boot again"
    elif scope == 2:
        cause, evidence = "Yama permits tracing to root alone", "kernel.yama.ptrace_scope=2"
        remedy = "sysctl -w kernel.yama.ptrace_scope=1"
    elif facts.selinux_enforcing:
        cause, evidence = "SELinux forbids tracing", f"context {facts.label or 'unknown'}"
        remedy = "setsebool deny_ptrace off"
    else:
        cause = "tracing is forbidden"
        evidence = "ptrace fails" + (", Seccomp: 2 in /proc/self/status" if facts.seccomp_filtered else "")
        remedy = f"--security-opt seccomp={SECCOMP_PROFILE} in a container"
    yield TierDiagnosis(cause, evidence, _TRACING_ELSEWHERE, (Tier.LANDLOCK,), remedy)


def _diagnose_work_folder(facts: HostFacts) -> Iterator[TierDiagnosis]:
    if facts.root and not facts.work_folder_passable:
        yield TierDiagnosis(
            "the work folder is closed to other users",
            f"{facts.work_folder} or a folder above it has no x for others",
            "jobs, which have users of their own, do not reach their files",
            (Tier.NAMESPACE, Tier.LANDLOCK),
            "--jail-state-dir with a folder that all can pass through, such as /var/tmp/i2s",
        )


def _install_command(distribution: tuple[str, ...]) -> str:
    known = (_INSTALL_BWRAP[one] for one in distribution if one in _INSTALL_BWRAP)
    return next(known, "install the package bubblewrap")
