"""What the system call filter controls in place of an older Landlock."""

from __future__ import annotations

import pytest

from i2s_chassis.jail import landlock
from i2s_chassis.jail.landlock import Substitute

IOCTL, SIGNALS, SOCKETS, TRUNCATE = Substitute


@pytest.mark.parametrize(
    ("abi", "wanted"),
    [
        (1, (IOCTL, SIGNALS, SOCKETS, TRUNCATE)),
        (2, (IOCTL, SIGNALS, SOCKETS, TRUNCATE)),
        (3, (IOCTL, SIGNALS, SOCKETS)),
        (4, (IOCTL, SIGNALS, SOCKETS)),
        (5, (SIGNALS, SOCKETS)),
        (6, ()),
        (7, ()),
    ],
)
def test_what_landlock_does_not_control_is_substituted(abi: int, wanted: tuple[Substitute, ...]) -> None:
    assert landlock.needed_substitutes(abi, our_user=True) == wanted


@pytest.mark.parametrize("abi", range(1, 8))
def test_a_user_for_each_job_needs_no_control_of_signals(abi: int) -> None:
    without = tuple(
        needed_substitute
        for needed_substitute in landlock.needed_substitutes(abi, our_user=True)
        if needed_substitute is not SIGNALS
    )
    assert landlock.needed_substitutes(abi, our_user=False) == without


@pytest.mark.parametrize(
    ("abi", "bits", "network", "scoped"),
    [(1, 13, 0, 0), (2, 14, 0, 0), (3, 15, 0, 0), (4, 15, 3, 0), (5, 16, 3, 0), (6, 16, 3, 3), (7, 16, 3, 3)],
)
def test_a_ruleset_handles_all_that_its_version_knows(abi: int, bits: int, network: int, scoped: int) -> None:
    assert landlock.handled(abi) == landlock.Handled((1 << bits) - 1, network, scoped)
