"""Scores that a person has fetched become a data set of systems, drawn by the documents service."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from fake_sources.music import FakeImslp
from fake_sources.server import FakeServer, fake_server
from i2s_collect.images.music import look
from i2s_collect.publishing.publish import read_item
from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.settings import Settings

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

#: Two staves that one line joins, in more bars than a line has.
SOURCE = r"""
\version "2.24.0"
#(set-default-paper-size "a5")
\header { title = "Exercise" composer = "Nobody" tagline = ##f }
high = { \repeat unfold 12 { c'4 e' g' c'' | d''8 c'' b' a' g'4 f' | e'2 a'4. g'8 | f'4 d' e'2 } }
low = { \clef bass \repeat unfold 12 { c2 g, | b,4 g, d f | a,2 f, | g,4 g, c2 } }
\score { \new PianoStaff << \new Staff \high \new Staff \low >> \layout { } }
\pageBreak
\markup { \column { "These words are on a page of their own." "No staff is near." "They are left out." } }
"""


def engraved(folder: Path) -> bytes:
    """Return a PDF document that LilyPond made: pages of systems of two staves, and one of words."""
    found = importlib.util.find_spec("lilypond")
    assert found is not None
    assert found.origin is not None
    program = Path(found.origin).resolve().parent / "lilypond-binaries/bin/lilypond"
    folder.mkdir()
    (folder / "score.ly").write_text(SOURCE)
    subprocess.run([program, "-s", "score.ly"], cwd=folder, check=True, timeout=120)
    return (folder / "score.pdf").read_bytes()


def collected(into: Path, server: FakeServer, settings: Settings, *more: str) -> dict[str, Any]:
    environment = {
        **os.environ,
        "I2S_DOCUMENTS": str(settings.documents),
        "I2S_CONTACT": "ann@example.org",
        "XDG_CACHE_HOME": str(into.parent / "cache"),
    }
    window = ["--from", "2026-10-01", "--until", "2026-10-31", "--per-document", "50", "--json"]
    where = ["--into", str(into), "--base-url", server.url, "--gap", "0.01"]
    command = [sys.executable, "-m", "i2s_sdk.cli", "collect", "imslp", *where, *window, *more]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=into.parent, check=False
    )
    assert done.returncode == 3, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def again(into: Path, recipes: Path, settings: Settings, *more: str) -> subprocess.CompletedProcess[str]:
    """Make the instances of recipes again, without a server."""
    environment = {**os.environ, "I2S_DOCUMENTS": str(settings.documents), "XDG_CACHE_HOME": str(into / "c")}
    words = ["--from-recipe", str(recipes), "--into", str(into), "--offline", "--json", *more]
    command = [sys.executable, "-m", "i2s_sdk.cli", "collect", *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=into.parent, check=False
    )


@pytest.mark.nightly(instead="the same of a unit test, which draws pages without the service")
def test_given_scores_become_systems_without_ground_truth(tmp_path: Path, documents: Settings) -> None:
    into, given = tmp_path / "set", tmp_path / "given"
    content = engraved(tmp_path / "engraving")
    given.mkdir()
    fake = FakeImslp(contents={"NB_Sonata_1.pdf": content, "Unnamed.pdf": b"%PDF-1.4 broken"})
    with fake_server(fake) as server:
        listed = collected(into, server, documents)
        assert (listed["documents"], listed["not_cached"], listed["accepted"]) == (5, 4, {"wild_imslp": 0})
        lines = [json.loads(line) for line in (into / "collection" / "documents.jsonl").open()]
        assert {line["detail"]["file"] for line in lines} >= {"NB Sonata 1.pdf", "Cid March.pdf"}

        (given / "as the person named it.pdf").write_bytes(content)
        (given / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
        (given / "another.pdf").write_bytes(b"%PDF-1.7 another")
        asked = len(server.log)
        summary = collected(into, server, documents, "--pdfs", str(given))
        assert len(server.log) == asked
        assert all(one.path.startswith(("/robots.txt", "/api.php")) for one in server.log)
    assert (summary["visited"], summary["not_cached"] + summary["not_needed"]) == (2, 2)
    reasons = {one["reason"] for one in summary["dropped"]["cut"]}
    assert reasons == {"not_music", "not_rendered"}
    assert check(into).faults == ()
    instances = read_folder(into).instances
    assert len(instances) == summary["accepted"]["wild_imslp"] >= 4
    places = set()
    for instance in instances:
        assert instance.structure is None
        assert instance.licence == "Public Domain"
        assert instance.provenance["engine"]["name"] == "pdfium"
        places.add(instance.provenance["place"])
        assert instance.image is not None
        picture = Image.open(io.BytesIO(instance.image.read_bytes()))
        assert len(look(picture).staves) == 2, instance.provenance["place"]
    assert len(places) == len(instances)

    recipes = tmp_path / "recipes.jsonl"
    items = [read_item(instance, into / "instances.jsonl") for instance in instances]
    recipes.write_text("".join(json.dumps(item.recipe()) + "\n" for item in items))
    made = again(tmp_path / "again", recipes, documents, "--pdfs", str(given))
    assert (made.returncode, json.loads(made.stdout)["full"]) == (0, True), made.stderr
    lines_of = [
        set((folder / "instances.jsonl").read_text().splitlines()) for folder in (into, tmp_path / "again")
    ]
    assert lines_of[0] == lines_of[1]
    without = again(tmp_path / "without", recipes, documents)
    assert without.returncode == 3, without.stderr
    assert {one["reason"] for one in json.loads(without.stdout)["dropped"]} == {"not_cached"}
