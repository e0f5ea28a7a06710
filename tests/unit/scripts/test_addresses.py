"""Packages that are built for an index say where their repository is."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

from addresses import main, with_absolute_links

ROOT = Path(__file__).resolve().parents[3]
URL = "https://code.example/group/i2s"


def test_every_package_gets_the_same_addresses_and_stays_what_it_was(tmp_path):
    before = {}
    for project in (ROOT / "protos/pyproject.toml", *ROOT.glob("s*/*/pyproject.toml")):
        target = tmp_path / project.relative_to(ROOT)
        target.parent.mkdir(parents=True)
        shutil.copy(project, target)
        shutil.copy(project.with_name("README.md"), target.with_name("README.md"))
        before[target] = tomllib.loads(project.read_text(encoding="utf-8"))
    assert len(before) > 10
    assert main(URL, "v1.2.3", tmp_path) == 0
    for target, old in before.items():
        new = tomllib.loads(target.read_text(encoding="utf-8"))
        urls = new["project"].pop("urls")
        assert urls["Source"] == URL
        assert urls["Changelog"] == f"{URL}/blob/v1.2.3/CHANGELOG.md"
        assert new == old
        assert "](../" not in target.with_name("README.md").read_text(encoding="utf-8")
    assert main(URL, "v1.2.3", tmp_path) == 1


def test_links_lead_into_the_repository_and_others_stay():
    page = "[a](../client/README.md) [b](https://else.example/x) [c](#part) [d](src/x.py#L3)"
    assert with_absolute_links(page, "sdk/core", URL, "v1") == (
        f"[a]({URL}/blob/v1/sdk/client/README.md) [b](https://else.example/x) [c](#part) "
        f"[d]({URL}/blob/v1/sdk/core/src/x.py#L3)"
    )
