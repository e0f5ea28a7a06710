"""Whether a sandbox can have a /proc of its own, and what is said of one that does not start."""

import pytest

from i2s_chassis.jail import Tier
from i2s_chassis.jail.errors import CellError, KilledError
from i2s_chassis.jail.namespace import Sandbox, hides_parts_of_proc
from i2s_chassis.jail.plan import CellPlan
from i2s_chassis.limits import Limits

LINE = "{number} 1 0:1 / {point} rw,nosuid - {kind} {kind} rw\n"


def mountinfo(*points):
    return "".join(
        LINE.format(number=number, point=point, kind="tmpfs") for number, point in enumerate(points)
    )


def test_a_machine_without_mounts_below_proc_hides_nothing():
    assert not hides_parts_of_proc(mountinfo("/", "/proc", "/sys"))


def test_the_folder_that_is_always_empty_hides_nothing():
    assert not hides_parts_of_proc(mountinfo("/", "/proc", "/proc/sys/fs/binfmt_misc"))


def test_masks_of_a_container_runtime_hide_parts():
    assert hides_parts_of_proc(mountinfo("/", "/proc", "/proc/acpi", "/proc/kcore", "/proc/sys"))


def sandbox(folder, script):
    """Start a program in place of bubblewrap."""
    bwrap = folder / "bwrap"
    bwrap.write_text(f"#!/bin/sh\n{script}\n")
    bwrap.chmod(0o700)
    Sandbox(
        CellPlan(
            name="one",
            tier=Tier.NAMESPACE,
            limits=Limits(),
            uid=None,
            readable=(),
            folder=str(folder),
            private_mount=False,
            new_user=False,
            poll_seconds=1,
            patience=1,
            groups=None,
            bwrap=str(bwrap),
        )
    )


def test_a_sandbox_that_refuses_to_start_is_a_fault_of_the_jail(tmp_path):
    with pytest.raises(CellError, match="no namespaces here") as caught:
        sandbox(tmp_path, "echo no namespaces here >&2; exit 1")
    assert not isinstance(caught.value, KilledError)


@pytest.mark.parametrize("script", ["kill -9 $$", "exit 137"], ids=["itself", "its child"])
def test_a_sandbox_that_is_killed_while_it_starts_was_killed(tmp_path, script):
    with pytest.raises(KilledError, match="bubblewrap"):
        sandbox(tmp_path, script)
