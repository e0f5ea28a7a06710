"""The ways in which each attack on the jail is made.

"bare" is an ordinary user as in a container under the engine's own seccomp profile: no user namespaces, so no
mounts either, and processes are counted together with those of the service and of other cells. An ABI is a
Landlock no newer than that: what it does not control is then left to the system call filter or, in
namespaces, to them. Before Linux 5.14 processes are counted by user, whatever their namespaces.
"""

from __future__ import annotations

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


def chosen_ways() -> list[tuple[str, str, str]]:
    """Return the ways that I2S_JAIL_WAYS names, with commas between them; all where it is unset."""
    return [WAYS[name] for name in chosen("I2S_JAIL_WAYS", WAYS)]
