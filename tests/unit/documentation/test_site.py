"""The documentation site is complete: every page has a place, and links lead to pages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import documentation_site as site

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def navigation() -> list[str]:
    class Loader(yaml.SafeLoader):
        """Reads the file without calling the functions that it names."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    return list(_places(settings["nav"]))


def _places(nav: Any) -> Any:
    if isinstance(nav, str):
        yield nav
    for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _places(entry)


def test_every_page_has_one_place_in_the_navigation(navigation: list[str]) -> None:
    docs = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    notebooks = {f"notebooks/{path.stem}.md" for path in (ROOT / site.NOTEBOOKS).glob("*.ipynb")}
    reference = {place for place, _ in (*site.PACKAGES.values(), *site.MODULES.values())}
    pages = docs | notebooks | reference | set(site.REPOSITORY_PAGES.values())
    assert sorted(navigation) == sorted(pages), "add new pages to nav in mkdocs.yml"


def test_every_page_of_the_repository_exists() -> None:
    assert [name for name in site.REPOSITORY_PAGES if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize(
    ("place", "link", "rewritten"),
    [
        ("index.md", "[a](models.md#x)", "[a](models.md#x)"),
        ("index.md", "[a](../README.md)", "[a](repository/readme.md)"),
        ("decisions/0001-two-planes-of-failure.md", "[a](../ems.md)", "[a](../ems.md)"),
        ("repository/readme.md", "[a](docs/hosts.md#kernels)", "[a](../hosts.md#kernels)"),
        ("repository/readme.md", "![a](docs/images/report.png)", "![a](../images/report.png)"),
        ("repository/readme.md", "[a](docs/decisions/)", "[a](../decisions/README.md)"),
        ("repository/examples.md", "[a](../docs/cli.md)", "[a](../cli.md)"),
        ("quickstart.md", "[a](../examples/notebooks/own_data.ipynb)", "[a](notebooks/own_data.md)"),
        (
            "index.md",
            "[a](../protos/i2s/render/v1/render.proto)",
            "[a](source/protos/i2s/render/v1/render.proto.md)",
        ),
        ("index.md", "[a](https://example.org/x)", "[a](https://example.org/x)"),
        ("index.md", "[a](#here)", "[a](#here)"),
        ("index.md", "![a](data:image/png;base64,AA==)", "![a](data:image/png;base64,AA==)"),
        ("index.md", "```\n[a](../README.md)\n```", "```\n[a](../README.md)\n```"),
    ],
)
def test_links_of_the_repository_become_links_of_the_site(place: str, link: str, rewritten: str) -> None:
    assert site.rewrite_links(link, place) == rewritten


def test_pages_that_are_made_are_not_rewritten() -> None:
    assert site.rewrite_links("[a](../README.md)", "reference/data.md") == "[a](../README.md)"


def test_the_reference_describes_all_public_names() -> None:
    import i2s_sdk

    assert site.exported("i2s_sdk") == list(i2s_sdk.__all__)


def test_the_page_on_installation_lists_every_extra() -> None:
    project = tomllib.loads((ROOT / "sdk/core/pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs/installation.md").read_text(encoding="utf-8")
    table = page.partition("| extra | adds |")[2].partition("\n\n")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    named = {name for cell in first_cells for name in re.findall(r"`([\w-]+)`", cell)}
    assert named == set(project["optional-dependencies"])
