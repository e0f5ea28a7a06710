"""The documentation site is built without a warning, and is read without a network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from i2s_sdk.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.slow

#: What a page loads when it is opened, as opposed to what it links to.
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(https?:|//)[^"'> ]*"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|preconnect|preload))[^>]*\bhref=["']?(https?:|//)"""
)


def build(config: Path, site: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-f",
        str(config),
        "-d",
        str(site),
    ]
    environ = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    built = build(ROOT / "mkdocs.yml", folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_every_page_is_built(site: Path) -> None:
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT / "docs").with_suffix(".html").as_posix().replace("README", "index")
        assert (site / name).is_file(), name


def test_the_page_about_the_command_line_has_the_help_of_every_command(site: Path) -> None:
    page = (site / "cli.html").read_text(encoding="utf-8")
    for name in COMMANDS:
        assert f">i2s-sdk {name}<" in page, name


def test_no_page_loads_anything_from_another_server(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    assert [page.name for page in pages if LOADED.search(page.read_text(encoding="utf-8"))] == []
    sheets = "".join(sheet.read_text(encoding="utf-8") for sheet in site.rglob("*.css"))
    assert re.findall(r"(?:@import|url\()\s*[\"']?(?:https?:)?//[^\"')]*", sheets) == []


def test_the_reference_is_made_from_docstrings(site: Path) -> None:
    page = (site / "reference/i2s_sdk.html").read_text(encoding="utf-8")
    for name in ("evaluate", "render_latex"):
        assert f'id="i2s_sdk.{name}"' in page
    assert 'id="i2s_training.RoundTripReward"' in (site / "reference/training.html").read_text(
        encoding="utf-8"
    )
    assert "Parameters:" in page


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# Home\n\n[gone](nowhere.md)\n", encoding="utf-8")
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    settings = re.sub(r"^nav:.*", "nav: [index.md]\n", settings, flags=re.MULTILINE | re.DOTALL)
    settings = re.sub(r"^hooks:.*\n", "", settings, flags=re.MULTILINE)
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    built = build(tmp_path / "mkdocs.yml", tmp_path / "site")
    assert built.returncode != 0
    assert "nowhere.md" in built.stdout + built.stderr
