"""The web sites of the bundled data set are what their folders hold, and of the promised kinds."""

import json
import tarfile
from pathlib import Path

import pytest
from PIL import Image

from i2s_render_html.jekyll import needs_jekyll

EXAMPLES = Path(__file__).parents[4] / "examples"
ROWS = [
    row
    for line in (EXAMPLES / "instances.jsonl").read_text(encoding="utf-8").splitlines()
    if (row := json.loads(line))["task"] == "webpage"
]


def folder_of(row):
    site = EXAMPLES / "sites" / row["id"]
    return {p.relative_to(site).as_posix(): p.read_bytes() for p in site.rglob("*") if p.is_file()}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_archive_holds_what_the_folder_holds_and_nothing_of_the_machine(row):
    with tarfile.open(EXAMPLES / row["structure"]) as archive:
        members = archive.getmembers()
        held = {member.name: archive.extractfile(member).read() for member in members}
    assert held == folder_of(row)
    assert [member.name for member in members] == sorted(member.name for member in members)
    assert {(m.mtime, m.uid, m.gid, m.uname, m.gname, m.mode) for m in members} == {(0, 0, 0, "", "", 0o644)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_reference_is_one_window(row):
    with Image.open(EXAMPLES / row["image"]) as picture:
        assert (picture.format, picture.mode, picture.size) == ("PNG", "RGB", (1920, 1080))
        assert len(picture.getcolors(1 << 24)) > 30


def test_the_assets_are_the_pictures_of_the_site():
    for row in ROWS:
        pictures = sorted(name for name in folder_of(row) if name.endswith((".png", ".svg")))
        assert row.get("assets", []) == pictures, row["id"]


def test_every_site_has_a_folder_and_every_folder_a_site():
    assert sorted(row["id"] for row in ROWS) == sorted(path.name for path in (EXAMPLES / "sites").iterdir())


def test_there_are_two_sites_for_jekyll_and_one_has_data():
    for_jekyll = [files for files in map(folder_of, ROWS) if needs_jekyll(files)]
    assert len(for_jekyll) >= 2
    for files in for_jekyll:
        roots = {name.split("/")[0] for name in files}
        assert {"_config.yml", "_layouts", "_includes"} <= roots
    assert any(name.startswith("_data/") for files in for_jekyll for name in files)
