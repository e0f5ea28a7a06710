"""Which tiers are tried, in which order, and why one is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from i2s_chassis.jail import JailSettings, NoTierError, Tier
from i2s_chassis.jail import jail as module
from i2s_chassis.jail.errors import NoNestingError
from i2s_chassis.jail.jail import Jail
from i2s_chassis.jail.plan import Terms
from i2s_chassis.jail.spawner import Survey, survey

ORDINARY = replace(
    survey("no-such-bwrap"), root=True, gvisor=False, seccomp=True, bwrap="/usr/bin/bwrap", landlock_abi=7
)
GVISOR = replace(ORDINARY, gvisor=True, landlock_abi=0, bwrap="", private_mount=False, groups=None)


class _Spawner:
    """Says of the machine what a test wants."""

    found = ORDINARY

    def __init__(self, _: Terms) -> None:
        """Start nothing."""

    def survey(self, _: str) -> Survey:
        return self.found

    def close(self) -> None:
        """Nothing was started."""


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> type[_Spawner]:
    """A machine on which no tier passes its escape tests; tells what was tried, and closes no folder."""
    monkeypatch.setattr(module, "SpawnerClient", _Spawner)
    monkeypatch.setattr(module.escape, "close_shared_folders", lambda: None)

    async def fail(_: Jail, tier: Tier, __: Path) -> str:
        return f"tried as {tier.name}"

    monkeypatch.setattr(module.escape, "attempt", fail)
    return _Spawner


async def reasons(machine: type[_Spawner], found: Survey, tier: Tier | None) -> dict[str, str]:
    machine.found = found
    with pytest.raises(NoTierError) as caught:
        await Jail.start(JailSettings(tier=tier))
    return caught.value.reasons


async def test_an_ordinary_kernel_is_not_tried_for_the_tier_container(machine: type[_Spawner]) -> None:
    assert list(await reasons(machine, ORDINARY, None)) == ["namespace", "landlock"]


async def test_an_ordinary_kernel_without_any_wall_is_not_either(machine: type[_Spawner]) -> None:
    bare = replace(ORDINARY, landlock_abi=0, bwrap="")
    assert list(await reasons(machine, bare, None)) == ["namespace", "landlock"]


async def test_without_landlock_namespaces_are_tried_and_the_tier_landlock_is_refused(
    machine: type[_Spawner],
) -> None:
    found = await reasons(machine, replace(ORDINARY, landlock_abi=0), None)
    assert found["namespace"] == "tried as NAMESPACE"
    assert "offers no Landlock" in found["landlock"]


@pytest.mark.parametrize("abi", range(1, 8))
async def test_every_version_of_landlock_is_tried(machine: type[_Spawner], abi: int) -> None:
    found = await reasons(machine, replace(ORDINARY, landlock_abi=abi), None)
    assert found == {"namespace": "tried as NAMESPACE", "landlock": "tried as LANDLOCK"}


async def test_what_stands_in_for_an_older_landlock_is_among_the_mechanisms(
    machine: type[_Spawner], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def hold(*_: object) -> None:
        return None

    monkeypatch.setattr(module.escape, "attempt", hold)
    machine.found = replace(ORDINARY, landlock_abi=2, root=False, groups=None, private_mount=False)
    jail = await Jail.start(JailSettings(state_dir=tmp_path, tier=Tier.LANDLOCK))
    assert jail.isolation.landlock_abi == 2
    assert jail.isolation.mechanisms[:6] == (
        "landlock abi 2",
        "seccomp",
        *(f"seccomp in place of landlock: {one}" for one in ("ioctl", "signals", "sockets", "truncate")),
    )
    await jail.close()


async def test_asked_for_on_an_ordinary_kernel_it_is_refused_before_anything_runs(
    machine: type[_Spawner],
) -> None:
    found = await reasons(machine, ORDINARY, Tier.CONTAINER)
    assert list(found) == ["container"]
    assert "this kernel is not gVisor's" in found["container"]


async def test_inside_of_gvisor_it_is_tried_last(machine: type[_Spawner]) -> None:
    found = await reasons(machine, GVISOR, None)
    assert list(found) == ["namespace", "landlock", "container"]
    assert found["container"] == "tried as CONTAINER"


async def test_inside_of_gvisor_an_ordinary_user_is_refused(machine: type[_Spawner]) -> None:
    for tier in (None, Tier.CONTAINER):
        found = await reasons(machine, replace(GVISOR, root=False), tier)
        assert "start the service as root" in found["container"]


async def test_without_a_filter_for_this_processor_it_is_refused(machine: type[_Spawner]) -> None:
    found = await reasons(machine, replace(GVISOR, seccomp=False), Tier.CONTAINER)
    assert "no seccomp filter" in found["container"]


async def test_it_says_what_it_is_made_of(
    machine: type[_Spawner], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def hold(*_: object) -> None:
        return None

    monkeypatch.setattr(module.escape, "attempt", hold)
    machine.found = GVISOR
    jail = await Jail.start(JailSettings(state_dir=tmp_path))
    assert jail.isolation.tier is Tier.CONTAINER
    assert jail.isolation.mechanisms == ("gvisor", "seccomp", "measured folder", "a user for each job")
    await jail.close()


@pytest.mark.parametrize(
    ("found", "tier", "tried"),
    [
        (replace(ORDINARY, root=False), None, ["NAMESPACE"]),
        (replace(ORDINARY, root=False), Tier.LANDLOCK, []),
        (replace(ORDINARY, private_mount=False), Tier.LANDLOCK, []),
        (replace(ORDINARY, bwrap="", mounts_processes=False), None, []),
        (GVISOR, Tier.CONTAINER, []),
    ],
)
async def test_a_tier_in_which_no_browser_starts_is_refused_before_its_escape_tests(
    machine: type[_Spawner],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    found: Survey,
    tier: Tier | None,
    tried: list[str],
) -> None:
    opened = []

    async def fail(_: Jail, one: Tier, __: Path) -> str:
        opened.append(one.name)
        return "bubblewrap did not start"

    monkeypatch.setattr(module.escape, "attempt", fail)
    machine.found = replace(found, mounts_processes=found.mounts_processes and found.root)
    with pytest.raises(NoNestingError, match="no /proc"):
        await Jail.start(JailSettings(state_dir=tmp_path, tier=tier, nesting=True))
    assert opened == tried


async def test_a_tier_in_which_a_browser_starts_is_tried(machine: type[_Spawner]) -> None:
    machine.found = replace(ORDINARY, private_mount=True, mounts_processes=True)
    with pytest.raises(NoTierError) as caught:
        await Jail.start(JailSettings(nesting=True))
    assert caught.value.reasons == {"namespace": "tried as NAMESPACE", "landlock": "tried as LANDLOCK"}
