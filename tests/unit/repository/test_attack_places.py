"""Which attacks are made as an ordinary user and in containers: all on engines, by files that there are."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from attack_places import ROOT, SECURITY
from i2s_client.service_table import SERVICES

#: Files of the suite that are not run in other places, and why.
LEFT_OUT = {
    "jail/test_gvisor.py": "is about the kernel of gVisor, and has a test in containers",
    "jail/test_substitutes.py": "runs as an ordinary user itself",
    "render_html/test_soak.py": "counts processes of the machine",
    "render_lilypond/test_memory_in_every_tier.py": "runs as an ordinary user itself",
    "test_access_attacks.py": "is about callers, whoever the service is",
    "test_lost_monitor.py": "is about a service of root",
    "test_started_as_root.py": "is about services of root",
    "test_wire_attacks.py": "is about callers, whoever the service is",
}


@pytest.fixture(scope="module")
def attacks() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = tomllib.loads((ROOT / SECURITY / "places.toml").read_text())["attacks"]
    return found


def test_every_file_of_attacks_is_made_in_both_places_or_it_is_said_why_not(attacks) -> None:
    folder = ROOT / SECURITY
    files = {str(path.relative_to(folder)) for path in folder.rglob("test_*.py")}
    made = {file for attack in attacks.values() for file in attack["files"]}
    as_ordinary_user = {file for file in files if file.endswith("test_as_ordinary_user.py")}
    assert made | as_ordinary_user | LEFT_OUT.keys() == files
    assert not made & LEFT_OUT.keys()


def test_each_is_made_in_a_container_and_as_an_ordinary_user_by_one_suite(attacks) -> None:
    for name, attack in attacks.items():
        assert "container" in attack, name
        assert ("ordinary" in attack) != ("ordinary_test" in attack), name
        assert (ROOT / SECURITY / attack.get("ordinary_test", "")).exists(), name
        assert attack["service"] in {service.name for service in SERVICES}, name
