"""Starts one jail, which passes its escape tests or is refused.

    python jails.py PACKAGE_ROOT TIER USER [SUBSTITUTE]

Prints {"mechanisms": [...]}, or {"refused": reason} and exits with 3. With SUBSTITUTE the system call filter
leaves that one out, so that the escape tests have a hole to find on a kernel whose Landlock needs it.
"""

from __future__ import annotations

import asyncio
import json
import sys

sys.path.insert(0, sys.argv[1])

from i2s_chassis.jail import Jail, JailSettings, NoTierError, Tier, syscalls
from i2s_chassis.jail import jail as jail_module

REFUSED = 3


def leave_out(substitute: str) -> None:
    """Have the filter of every jail of this process lack a substitute for Landlock."""
    needed = jail_module.landlock.needed_substitutes

    def fewer(landlock_abi: int, *, our_user: bool) -> tuple[str, ...]:
        return tuple(one for one in needed(landlock_abi, our_user=our_user) if one != substitute)

    jail_module.landlock.needed_substitutes = fewer


async def main(tier: Tier, user: str) -> int:
    """Start a jail and print what it is made of."""
    bare = user == "contained"
    found: dict[str, object] = {"landlock_abi": syscalls.landlock_abi()}
    settings = JailSettings(tier=tier, private_mounts=not bare, control_groups=not bare)
    try:
        jail = await Jail.start(settings)
    except NoTierError as error:
        print(json.dumps({**found, "refused": error.reasons[tier.name.lower()]}))
        return REFUSED
    print(json.dumps({**found, "mechanisms": jail.isolation.mechanisms}))
    await jail.close()
    return 0


if __name__ == "__main__":
    if sys.argv[4:]:
        leave_out(sys.argv[4])
    raise SystemExit(asyncio.run(main(Tier[sys.argv[2]], sys.argv[3])))
