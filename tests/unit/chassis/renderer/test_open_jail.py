"""What a renderer says where the host forbids tiers."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import ClassVar

import pytest

from i2s_chassis.errors import StartError
from i2s_chassis.jail import Isolation, Jail, JailSettings, NoTierError, Tier
from i2s_chassis.jail.host import HostFacts, read_facts
from i2s_chassis.renderer import RendererSettings, open_jail
from i2s_chassis.renderer import settings as module
from i2s_chassis.server.telemetry import Telemetry

CHASSIS = SimpleNamespace(telemetry=Telemetry("some"), jail=None)


class SomeSettings(RendererSettings):
    service: ClassVar[str] = "some"
    port: ClassVar[int] = 1


@pytest.fixture
def forbidding(monkeypatch: pytest.MonkeyPatch) -> HostFacts:
    """A host with AppArmor's restriction and without Landlock."""
    facts = replace(
        read_facts(),
        bwrap="/usr/bin/bwrap",
        bwrap_refusal="bwrap: setting up uid map: Permission denied",
        user_namespaces=True,
        apparmor_restricts=1,
        max_user_namespaces=1,
        landlock_abi=0,
        landlock_refusal="ENOSYS",
        seccomp_filtered=False,
        work_folder_passable=True,
        traces=True,
    )
    monkeypatch.setattr(module, "read_facts", lambda *_: facts)
    return facts


def start(monkeypatch: pytest.MonkeyPatch, tier: Tier | None, reasons: Mapping[str, str] = {}) -> None:
    """Let the jail come up in a tier, or be refused."""

    async def started(_: JailSettings) -> object:
        if tier is None:
            raise NoTierError(reasons)

        async def close() -> None:
            """Nothing was started."""

        return SimpleNamespace(isolation=Isolation(tier, ()), close=close)

    monkeypatch.setattr(Jail, "start", started)


@pytest.mark.usefixtures("forbidding")
async def test_a_refusal_names_what_of_the_host_forbids_each_tier(monkeypatch: pytest.MonkeyPatch) -> None:
    start(monkeypatch, None, {"namespace": "bubblewrap did not start"})
    with pytest.raises(StartError) as refused:
        async with open_jail(SomeSettings(), CHASSIS):  # type: ignore[arg-type]
            pass
    line = refused.value.message
    assert "bubblewrap did not start" in line
    assert "kernel.apparmor_restrict_unprivileged_userns=1" in line
    assert "apparmor_parser -r /etc/apparmor.d/i2s-bwrap" in line
    assert "the kernel has no Landlock" in line
    assert "\n" not in line


@pytest.mark.usefixtures("forbidding")
async def test_the_log_says_why_the_strongest_tier_is_not_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start(monkeypatch, Tier.LANDLOCK)
    with caplog.at_level(logging.WARNING):
        async with open_jail(SomeSettings(), CHASSIS):  # type: ignore[arg-type]
            pass
    (record,) = [one for one in caplog.records if one.message == "this host forbids a stronger tier"]
    assert vars(record)["fields"]["tier"] == "landlock"
    assert "AppArmor" in vars(record)["fields"]["reason"]


@pytest.mark.usefixtures("forbidding")
@pytest.mark.parametrize(("tier", "wanted"), [(Tier.NAMESPACE, "auto"), (Tier.LANDLOCK, "landlock")])
async def test_nothing_is_said_where_the_wanted_tier_holds(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tier: Tier, wanted: str
) -> None:
    start(monkeypatch, tier)
    async with open_jail(SomeSettings(jail_tier=wanted), CHASSIS):  # type: ignore[arg-type]
        pass
    assert caplog.records == []
