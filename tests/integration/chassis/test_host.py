"""What is said of this host, and of ones that really forbid something, made here of a namespace and a filter.

What forbids is laid around a bare interpreter, which then reads the facts and says what it finds.
"""

from __future__ import annotations

import json
import platform
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_chassis.jail import Jail, JailSettings
from i2s_chassis.jail.host import concerning, diagnose, read_facts
from ordinary_user import run_as_ordinary_user

pytestmark = pytest.mark.integration

SOURCES, MODULES = ("services/chassis",), ("i2s_chassis.jail.host",)
SAY = """
import json
from i2s_chassis.jail.host import diagnose
from i2s_chassis.jail.host import read_facts
print(json.dumps([str(one) for one in diagnose(read_facts())]))
"""
NO_USER_NAMESPACES = """
import os
from i2s_chassis.jail import syscalls
syscalls.unshare(syscalls.CLONE_NEWUSER)
with open("/proc/sys/user/max_user_namespaces", "w") as limit:  # of the namespace that was just made
    limit.write("0")
"""
#: Numbers of unshare, clone, clone3, ptrace, landlock_create_ruleset.
CALLS = {"x86_64": (272, 56, 435, 101, 444), "aarch64": (97, 220, 435, 117, 444)}


def under_filter() -> str:
    """Python that puts itself under a filter like a container's: no namespaces, no ptrace, no Landlock."""
    unshare, clone, clone3, ptrace, landlock = CALLS[platform.machine()]
    load_number, load_flags = (0x20, 0, 0, 0), (0x20, 0, 0, 16)
    jump, jump_if_set, answer = 0x15, 0x45, 0x06
    allow, eperm, enosys = 0x7FFF0000, 0x00050001, 0x00050026
    program = [
        load_number,
        (jump, 7, 0, unshare),
        (jump, 6, 0, ptrace),
        (jump, 5, 0, landlock),
        (jump, 5, 0, clone3),
        (jump, 0, 2, clone),
        load_flags,
        (jump_if_set, 1, 0, 0x10000000),  # CLONE_NEWUSER
        (answer, 0, 0, allow),
        (answer, 0, 0, eperm),
        (answer, 0, 0, enosys),
    ]
    packed = b"".join(struct.pack("HBBI", *one) for one in program)
    return f"""
from i2s_chassis.jail import syscalls
syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
syscalls.load_seccomp_filter({packed!r})
"""


def said(program: str) -> list[str]:
    """Run as an ordinary user, and return what is named."""
    ended = run_as_ordinary_user("-c", program + SAY, sources=SOURCES, modules=MODULES)
    assert ended.returncode == 0, ended.stderr
    return list(json.loads(ended.stdout))


async def test_what_is_said_of_this_host_agrees_with_the_tier_that_holds() -> None:
    diagnoses = diagnose(read_facts())
    jail = await Jail.start(JailSettings())
    await jail.close()
    assert concerning(diagnoses, (jail.isolation.tier,)) == ()


def test_a_limit_of_no_user_namespaces_is_named() -> None:
    (line,) = said(NO_USER_NAMESPACES)
    assert "user.max_user_namespaces=0" in line
    assert "sysctl -w user.max_user_namespaces=" in line
    assert "bwrap" in line


def test_the_filter_of_a_container_is_named() -> None:
    namespace, landlock, tracing = said(under_filter())
    assert "a seccomp filter of the container denies user namespaces" in namespace
    assert "unshare: EPERM" in namespace
    assert "or a seccomp filter of the container denies it" in landlock
    assert "tracing is forbidden" in tracing


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users reach; those of pytest are closed to them."""
    with tempfile.TemporaryDirectory(prefix="i2s-open-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def closed_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="i2s-closed-") as folder:
        Path(folder).chmod(0o700)
        yield Path(folder)


@pytest.mark.skipif("os.geteuid() != 0", reason="jobs have users of their own where the service is root")
def test_a_folder_that_jobs_do_not_reach_is_named(closed_folder: Path) -> None:
    (found,) = diagnose(read_facts(state_dir=closed_folder / "state"))
    assert str(closed_folder) in found.evidence


def test_a_folder_that_is_not_made_yet_is_not_named(open_folder: Path) -> None:
    assert diagnose(read_facts(state_dir=open_folder / "not/yet")) == diagnose(read_facts())


def test_a_renderer_says_it_as_json() -> None:
    program = Path(sys.executable).with_name("i2s-render-latex")
    command = [str(program), "host", "--bwrap", "no-such-bwrap"]
    document = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert document["facts"]["bwrap"] == ""
    (found,) = [one for one in document["diagnoses"] if one["what"] == "bubblewrap is not installed"]
    assert found["tiers"] == ["namespace"]
    assert found["remedy"] in found["text"]
