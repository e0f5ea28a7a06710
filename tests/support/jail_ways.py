"""The ways in which each attack on the jail is made.

"bare" is an ordinary user as in a container under the engine's own seccomp profile: no user namespaces, so no
mounts either, and processes are counted together with those of the service and of other cells. An ABI is a
Landlock no newer than that: what it does not control is then left to the system call filter or, in
namespaces, to them. Before Linux 5.14 processes are counted by user, whatever their namespaces.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from chosen import chosen

#: User, tier and kernel by the name of the way.
WAYS = {
    " ".join(filter(None, way)): way
    for way in (
        ("root", "NAMESPACE", ""),
        ("root", "LANDLOCK", ""),
        ("ordinary", "NAMESPACE", ""),
        ("ordinary", "LANDLOCK", ""),
        ("bare", "LANDLOCK", ""),
        ("root", "LANDLOCK", "abi=2"),
        ("bare", "LANDLOCK", "abi=1"),
        ("ordinary", "NAMESPACE", "abi=0 counted-together"),
        ("root", "NAMESPACE", "ungrouped"),
        ("root", "LANDLOCK", "abi=2 ungrouped"),
    )
}
#: Ways between two others, which `make test` leaves to the nightly run, with those that it takes instead.
BETWEEN = {
    "bare LANDLOCK": "bare LANDLOCK abi=1, where the filter does more; ordinary LANDLOCK",
    "root LANDLOCK abi=2": "root LANDLOCK abi=2 ungrouped, which has fewer limits; bare LANDLOCK abi=1",
}


def chosen_ways() -> list[Any]:
    """Return the ways that I2S_JAIL_WAYS names, with commas between them; all where it is unset.

    Returns:
        Parameters of a test: user, tier and kernel. Ways that are between two others are marked ``nightly``,
        unless they are named.
    """
    named = os.environ.get("I2S_JAIL_WAYS")
    return [
        pytest.param(
            *WAYS[name],
            marks=pytest.mark.nightly(instead=BETWEEN[name]) if name in BETWEEN and not named else (),
        )
        for name in chosen("I2S_JAIL_WAYS", WAYS)
    ]
