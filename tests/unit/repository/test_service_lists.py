"""Pages and tests that list all services list each: those of a renderer that is added too."""

import re
from pathlib import Path

import pytest

from hostile_sources import ATTACKS, GOOD
from i2s_client.service_table import RENDERERS, SERVICES, variable_name

NAMES = {service.name for service in SERVICES}
PORTS = {f"{variable_name(service.name)}=HOST:{service.port}" for service in SERVICES}


@pytest.mark.parametrize(
    ("page", "block", "item", "listed"),
    [
        ("kubernetes", r"for name in ([^;]+); do", r"\S+", NAMES | {"sdk", "gateway"}),
        ("kubernetes", r"\n    images:\n((?:      - .*\n)+)", r"name: i2s-([a-z-]+),", NAMES),
        ("installation", r"needs from the system \|\n((?:\|.*\n)+)", r"(?m)^\| `i2s-([a-z-]+)` \|", NAMES),
        ("mac", r"((?:export I2S_.*\n)+)", r"I2S_\S+", PORTS),
    ],
    ids=["pushed images", "images of an overlay", "needs", "addresses"],
)
def test_a_page_that_lists_all_services_names_each_once(
    texts: dict[Path, str], page: str, block: str, item: str, listed: set[str]
) -> None:
    (found,) = re.findall(block, texts[Path(f"docs/{page}.md")])
    assert sorted(re.findall(item, found)) == sorted(listed)


def test_every_renderer_has_a_good_source_and_attacks() -> None:
    assert GOOD.keys() == ATTACKS.keys() == set(RENDERERS)
