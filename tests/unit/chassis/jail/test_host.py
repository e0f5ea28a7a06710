"""What is read from the files of a host."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_chassis.jail import Tier
from i2s_chassis.jail.host import (
    HostFacts,
    TierDiagnosis,
    concerning,
    diagnose,
    distribution,
    hidepid,
    mount_flags,
)

MOUNTS = """\
22 1 0:21 / / rw,relatime - ext4 /dev/vda rw
24 22 0:5 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw{proc}
25 22 0:22 / /tmp rw,nosuid,nodev,noexec - tmpfs tmpfs rw,size=1024k
26 22 0:23 / /tmpfiles rw,nodev - tmpfs tmpfs rw
27 22 0:24 / /var ro,relatime - ext4 /dev/vdb ro
"""


def test_a_proc_that_hides_nothing_has_no_hidepid():
    assert hidepid(MOUNTS.format(proc="")) == ""
    assert hidepid(MOUNTS.format(proc=",hidepid=0")) == ""
    assert hidepid(MOUNTS.format(proc=",hidepid=off")) == ""


def test_hidepid_is_found_in_numbers_and_in_words():
    assert hidepid(MOUNTS.format(proc=",hidepid=2,gid=5")) == "2"
    assert hidepid(MOUNTS.format(proc=",gid=5,hidepid=invisible")) == "invisible"


def test_what_is_mounted_last_covers_the_others():
    covered = MOUNTS.format(proc=",hidepid=2") + "30 24 0:30 / /proc rw - proc proc rw\n"
    assert hidepid(covered) == ""


def test_the_flags_are_those_of_the_nearest_mount():
    mounts = MOUNTS.format(proc="")
    assert mount_flags(mounts, "/tmp") == ("nosuid", "nodev", "noexec")
    assert mount_flags(mounts, "/tmp/user/0") == ("nosuid", "nodev", "noexec")
    assert mount_flags(mounts, "/tmpfiles/x") == ("nodev",)
    assert mount_flags(mounts, "/var/tmp") == ("ro",)
    assert mount_flags(mounts, "/srv") == ()


def test_the_distribution_is_its_name_and_what_it_is_like():
    assert distribution('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n') == (
        "linuxmint",
        "ubuntu",
        "debian",
    )
    assert distribution("ID=debian\n") == ("debian",)
    assert distribution("") == ()


GOOD = HostFacts(
    kernel="6.8.0-45-generic",
    distribution=("ubuntu", "debian"),
    root=False,
    bwrap="/usr/bin/bwrap",
    bwrap_refusal="",
    namespace_refusal="",
    chrooted=False,
    user_namespaces=True,
    unprivileged_userns_clone=None,
    max_user_namespaces=63_000,
    apparmor_restricts=None,
    label="unconfined",
    selinux_enforcing=False,
    seccomp_filtered=False,
    landlock_abi=6,
    landlock_refusal="",
    security_modules=("lockdown", "capability", "landlock", "yama", "apparmor"),
    traces=True,
    ptrace_scope=1,
    hidepid="",
    work_folder="/tmp",
    work_folder_flags=(),
    work_folder_passable=True,
)
#: bubblewrap is refused, for a reason that each test adds.
REFUSED = replace(
    GOOD,
    bwrap_refusal="bwrap: No permissions to create new namespace",
    namespace_refusal="EPERM",
)


def only(facts: HostFacts) -> TierDiagnosis:
    """The single thing that is named."""
    found = diagnose(facts)
    assert len(found) == 1, found
    return found[0]


def test_nothing_is_named_where_nothing_is_refused() -> None:
    assert diagnose(GOOD) == ()


def test_a_setting_that_refuses_nothing_is_not_named() -> None:
    # Our profile is loaded, so bubblewrap works in spite of the setting.
    assert diagnose(replace(GOOD, apparmor_restricts=1, namespace_refusal="EACCES")) == ()
    assert diagnose(replace(GOOD, selinux_enforcing=True, seccomp_filtered=True, chrooted=True)) == ()
    assert diagnose(replace(GOOD, hidepid="invisible", work_folder_flags=("nosuid", "noexec"))) == ()


@pytest.mark.parametrize(
    ("facts", "what", "evidence", "remedy"),
    [
        (
            replace(REFUSED, apparmor_restricts=1, namespace_refusal="EACCES"),
            "AppArmor restricts",
            "kernel.apparmor_restrict_unprivileged_userns=1",
            "apparmor_parser -r /etc/apparmor.d/i2s-bwrap",
        ),
        (
            replace(REFUSED, label="docker-default (enforce)"),
            "AppArmor profile confines",
            "docker-default",
            "--security-opt apparmor=",
        ),
        (
            replace(REFUSED, unprivileged_userns_clone=0),
            "for root alone",
            "kernel.unprivileged_userns_clone=0",
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        (
            replace(REFUSED, max_user_namespaces=0, namespace_refusal="ENOSPC"),
            "limited to none",
            "user.max_user_namespaces=0",
            "sysctl -w user.max_user_namespaces=",
        ),
        (
            replace(REFUSED, user_namespaces=False, max_user_namespaces=None, namespace_refusal="EINVAL"),
            "no user namespaces",
            "6.8.0-45-generic",
            "CONFIG_USER_NS=y",
        ),
        (
            replace(REFUSED, selinux_enforcing=True, label="system_u:system_r:container_t:s0"),
            "SELinux",
            "container_t",
            "label=disable",
        ),
        (
            replace(REFUSED, seccomp_filtered=True),
            "seccomp filter",
            "Seccomp: 2",
            "--security-opt seccomp=deploy/seccomp/i2s-namespace.json",
        ),
        (replace(REFUSED, root=True, chrooted=True), "chroot", "/proc/1/root", "pivot_root"),
        (REFUSED, "bubblewrap cannot make a sandbox", "No permissions", "dmesg"),
    ],
)
def test_what_refuses_user_namespaces_is_named(
    facts: HostFacts, what: str, evidence: str, remedy: str
) -> None:
    found = only(facts)
    assert what in found.what
    assert evidence in found.evidence
    assert "bwrap: No permissions to create new namespace" in found.evidence
    assert remedy in found.remedy
    assert found.tiers == (Tier.NAMESPACE,)


def test_every_cause_is_named_since_each_alone_forbids() -> None:
    found = diagnose(replace(REFUSED, seccomp_filtered=True, max_user_namespaces=0))
    assert [one.what.split()[0] for one in found] == ["the", "a"]


@pytest.mark.parametrize(
    ("distribution", "command"),
    [
        (("debian",), "apt-get install bubblewrap"),
        (("linuxmint", "ubuntu", "debian"), "apt-get install bubblewrap"),
        (("rocky", "rhel", "centos", "fedora"), "dnf install bubblewrap"),
        (("nixos",), "install the package bubblewrap"),
    ],
)
def test_bubblewrap_is_installed_in_the_way_of_the_distribution(
    distribution: tuple[str, ...], command: str
) -> None:
    found = only(replace(GOOD, bwrap="", distribution=distribution))
    assert found.what == "bubblewrap is not installed"
    assert found.remedy == command


def test_without_bubblewrap_a_refused_namespace_is_named_too() -> None:
    facts = replace(GOOD, bwrap="", namespace_refusal="EPERM", unprivileged_userns_clone=0)
    missing, refused = diagnose(facts)
    assert missing.what == "bubblewrap is not installed"
    assert "kernel.unprivileged_userns_clone=0" in refused.evidence
    assert "EPERM" in refused.evidence


@pytest.mark.parametrize(
    ("changes", "what", "remedy"),
    [
        ({"landlock_refusal": "ENOSYS"}, "the kernel has no Landlock", "CONFIG_SECURITY_LANDLOCK=y"),
        (
            {"landlock_refusal": "EOPNOTSUPP", "security_modules": ("capability", "yama", "apparmor")},
            "switched off at boot",
            "lsm=landlock,capability,yama,apparmor",
        ),
        (
            {"landlock_refusal": "EOPNOTSUPP", "security_modules": None},
            "switched off at boot",
            "lsm=landlock,",
        ),
        (
            {"landlock_refusal": "EPERM", "seccomp_filtered": True},
            "or a seccomp filter of the container denies it",
            "seccomp=deploy/seccomp/i2s-namespace.json",
        ),
    ],
)
def test_why_there_is_no_landlock_is_named(changes: dict[str, object], what: str, remedy: str) -> None:
    found = only(replace(GOOD, landlock_abi=0, **changes))  # type: ignore[arg-type]
    assert what in found.what
    assert str(changes["landlock_refusal"]) in found.evidence
    assert remedy in found.remedy
    assert found.tiers == (Tier.LANDLOCK,)


@pytest.mark.parametrize(
    ("changes", "evidence", "remedy"),
    [
        ({"ptrace_scope": 2}, "kernel.yama.ptrace_scope=2", "sysctl -w kernel.yama.ptrace_scope=1"),
        ({"ptrace_scope": 3}, "kernel.yama.ptrace_scope=3", "boot again"),
        ({"ptrace_scope": None, "selinux_enforcing": True}, "unconfined", "setsebool deny_ptrace off"),
        ({"ptrace_scope": 1, "seccomp_filtered": True}, "Seccomp: 2", "--security-opt seccomp="),
    ],
)
def test_what_forbids_tracing_is_named(changes: dict[str, object], evidence: str, remedy: str) -> None:
    found = only(replace(GOOD, traces=False, **changes))  # type: ignore[arg-type]
    assert evidence in found.evidence
    assert remedy in found.remedy
    assert found.tiers == (Tier.LANDLOCK,)


def test_as_root_nobody_needs_to_be_traced() -> None:
    assert diagnose(replace(GOOD, root=True, traces=False, ptrace_scope=2)) == ()


def test_a_closed_work_folder_is_named_where_jobs_have_users_of_their_own() -> None:
    closed = replace(GOOD, work_folder="/tmp/user/0", work_folder_passable=False)
    assert diagnose(closed) == ()
    found = only(replace(closed, root=True))
    assert "/tmp/user/0" in found.evidence
    assert "--jail-state-dir" in found.remedy
    assert set(found.tiers) == {Tier.NAMESPACE, Tier.LANDLOCK}


def test_those_that_concern_a_tier_are_chosen() -> None:
    found = diagnose(replace(REFUSED, landlock_abi=0, landlock_refusal="ENOSYS"))
    assert [one.tiers for one in concerning(found, (Tier.LANDLOCK,))] == [(Tier.LANDLOCK,)]
    assert concerning(found, ()) == ()


def test_it_is_said_in_one_line() -> None:
    line = str(only(replace(REFUSED, apparmor_restricts=1, bwrap_refusal="bwrap: a\nb")))
    assert "\n" not in line
    assert line.startswith("AppArmor restricts unprivileged user namespaces (kernel.apparmor_restrict")
