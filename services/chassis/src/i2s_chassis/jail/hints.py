"""What on a host forbids a sandbox tier, and the one command that permits it. Pure functions over HostFacts.

A cause is only named if a trial has failed: a setting that forbids something for others, or that a profile
for our programs makes an exception from, is none.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from i2s_chassis.jail.host import HostFacts
from i2s_chassis.jail.model import Tier

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
class Diagnosis:
    """One thing of the host that forbids something.

    Attributes:
        what: The cause, such as "AppArmor restricts unprivileged user namespaces".
        evidence: What was read or tried that shows it.
        consequence: What cannot be had because of it.
        tiers: Tiers that it takes away or weakens.
        remedy: The command, option or profile that permits it.
    """

    what: str
    evidence: str
    consequence: str
    tiers: tuple[Tier, ...]
    remedy: str

    def __str__(self) -> str:
        """All of it in one line."""
        line = f"{self.what} ({self.evidence}), so {self.consequence}; to permit it: {self.remedy}"
        return " ".join(line.split())


def diagnose(facts: HostFacts) -> tuple[Diagnosis, ...]:
    """Return what forbids a tier here, the strongest tier's causes first; empty if nothing does."""
    return (*_namespace(facts), *_landlock(facts), *_tracing(facts), *_work_folder(facts))


def concerning(diagnoses: Iterable[Diagnosis], tiers: Iterable[Tier]) -> tuple[Diagnosis, ...]:
    """Return those that concern any of the tiers."""
    wanted = set(tiers)
    return tuple(one for one in diagnoses if wanted & set(one.tiers))


def _namespace(facts: HostFacts) -> Iterator[Diagnosis]:
    if not facts.bwrap:
        yield Diagnosis(
            "bubblewrap is not installed",
            "no command bwrap",
            _NO_NAMESPACE,
            (Tier.NAMESPACE,),
            _install_command(facts.distribution),
        )
    tried = facts.bwrap_refusal or (facts.namespace_refusal if not facts.bwrap else "")
    if not tried:
        return
    causes = list(_causes(facts))
    for what, evidence, remedy in causes or [
        ("bubblewrap cannot make a sandbox", "the cause is not known", "see the log of the kernel (dmesg)")
    ]:
        yield Diagnosis(what, f"{evidence}; trial: {tried}", _NO_NAMESPACE, (Tier.NAMESPACE,), remedy)


def _causes(facts: HostFacts) -> Iterator[tuple[str, str, str]]:
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


def _landlock(facts: HostFacts) -> Iterator[Diagnosis]:
    if facts.landlock_abi > 0:
        return
    refusal = f"landlock_create_ruleset: {facts.landlock_refusal}"
    modules = facts.security_modules
    if facts.landlock_refusal == "EOPNOTSUPP":
        what = "Landlock is switched off at boot"
        evidence = f"{refusal}; lsm={','.join(modules)}" if modules else refusal
        remedy = f"boot with lsm={','.join(('landlock', *(modules or ('…',))))}"
    elif facts.seccomp_filtered:
        what = "the kernel has no Landlock, or a seccomp filter of the container denies it"
        evidence = f"{refusal}, Seccomp: 2 in /proc/self/status"
        remedy = f"--security-opt seccomp={SECCOMP_PROFILE}, with which tier namespace works on any kernel"
    else:
        what = "the kernel has no Landlock"
        evidence = f"{facts.kernel}, {refusal}"
        remedy = (
            "boot a kernel from 5.13 on that is built with CONFIG_SECURITY_LANDLOCK=y, or use tier namespace"
        )
    yield Diagnosis(what, evidence, "tier landlock cannot be had", (Tier.LANDLOCK,), remedy)


def _tracing(facts: HostFacts) -> Iterator[Diagnosis]:
    if facts.traces or facts.root:
        return  # as root each job has a user of its own, and nobody needs to be traced
    scope = facts.ptrace_scope or 0
    if scope >= 3:
        what, evidence = "Yama forbids tracing for good", f"kernel.yama.ptrace_scope={scope}"
        remedy = "set kernel.yama.ptrace_scope=1 in /etc/sysctl.d and boot again"
    elif scope == 2:
        what, evidence = "Yama permits tracing to root alone", "kernel.yama.ptrace_scope=2"
        remedy = "sysctl -w kernel.yama.ptrace_scope=1"
    elif facts.selinux_enforcing:
        what, evidence = "SELinux forbids tracing", f"context {facts.label or 'unknown'}"
        remedy = "setsebool deny_ptrace off"
    else:
        what = "tracing is forbidden"
        evidence = "ptrace fails" + (", Seccomp: 2 in /proc/self/status" if facts.seccomp_filtered else "")
        remedy = f"--security-opt seccomp={SECCOMP_PROFILE} in a container"
    yield Diagnosis(what, evidence, _TRACING_ELSEWHERE, (Tier.LANDLOCK,), remedy)


def _work_folder(facts: HostFacts) -> Iterator[Diagnosis]:
    if facts.root and not facts.work_folder_passable:
        yield Diagnosis(
            "the work folder is closed to other users",
            f"{facts.work_folder} or a folder above it has no x for others",
            "jobs, which have users of their own, do not reach their files",
            (Tier.NAMESPACE, Tier.LANDLOCK),
            "--jail-state-dir with a folder that all can pass through, such as /var/tmp/i2s",
        )


def _install_command(distribution: tuple[str, ...]) -> str:
    known = (_INSTALL_BWRAP[one] for one in distribution if one in _INSTALL_BWRAP)
    return next(known, "install the package bubblewrap")
