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
    pages = docs | notebooks | reference | set(site.REPOSITORY_PAGES.values()) | site.GENERATED.keys()
    assert sorted(navigation) == sorted(pages), "add new pages to nav in mkdocs.yml"


def test_every_page_of_the_repository_exists() -> None:
    assert [name for name in site.REPOSITORY_PAGES if not (ROOT / name).is_file()] == []


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
