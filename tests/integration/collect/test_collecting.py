"""Data sets of fresh documents, from stand-ins of sources by the real renderers, to an oracle of 1.0."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from fake_sources.arxiv import FakeArxiv
from fake_sources.exchange import FakeAnswer, FakeRequest, FakeSource
from fake_sources.github import FakeGithub
from fake_sources.server import FakeServer, fake_server
from i2s_collect.publishing.publish import publish
from i2s_sdk.data.check import check
from i2s_sdk.run.evaluate import evaluate
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.settings import Settings
from repetitions import some

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

WINDOW = ("--from", "2026-10-01", "--until", "2026-10-31")


class Killing:
    """A source that kills whoever asks, at each of so many requests.

    Attributes:
        source: Source that answers.
        every: Requests between two kills.
        victim: The process that is killed; None for nobody.
    """

    def __init__(self, source: FakeSource, every: int) -> None:
        self.source, self.every, self.asked = source, every, 0
        self.victim: subprocess.Popen[str] | None = None

    def answer(self, request: FakeRequest) -> FakeAnswer:
        self.asked += 1
        if self.victim is not None and self.asked % self.every == 0:
            self.victim.send_signal(signal.SIGKILL)
        return self.source.answer(request)


def started(
    what: Sequence[str],
    into: Path,
    server: FakeServer,
    settings: Settings,
    cache: Path,
    more: Sequence[str] = (),
) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "I2S_RENDER_LATEX": str(settings.render_latex),
        "I2S_RENDER_HTML": str(settings.render_html),
        "I2S_RENDER_LILYPOND": str(settings.render_lilypond),
        "I2S_CONTACT": "ann@example.org",
        "XDG_CACHE_HOME": str(cache),
    }
    words = [
        "collect",
        *what,
        "--into",
        str(into),
        "--base-url",
        server.url,
        "--gap",
        "0.02",
        "--json",
    ]
    command = [sys.executable, "-m", "i2s_sdk.cli", *words, *more]
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=into.parent
    )


def collected(
    source: str,
    into: Path,
    server: FakeServer,
    settings: Settings,
    cache: Path,
    more: Sequence[str] = (),
    code: int = 3,
) -> Mapping[str, Any]:
    process = started([source, *WINDOW], into, server, settings, cache, more)
    out, told = process.communicate()
    assert process.returncode == code, told
    found: Mapping[str, Any] = json.loads(out)
    return found


def lines(folder: Path) -> bytes:
    return (folder / "instances.jsonl").read_bytes()


def adds_up(summary: Mapping[str, Any]) -> bool:
    """Whether every document and every piece that was found is accepted, dropped or not needed."""
    dropped = [one for found in summary["dropped"].values() for one in found]
    undiscovered = sum(one["count"] for one in summary["dropped"].get("discover", []))
    visited = summary["visited"] + summary["not_needed"] + summary["not_cached"]
    pieces = {
        subset: count + sum(one["count"] for one in dropped if one["subset"] == subset)
        for subset, count in summary["accepted"].items()
    }
    found = {subset: summary["pieces"].get(subset, 0) for subset in pieces}
    return summary["documents"] == undiscovered + visited and pieces == found


SOURCES = [
    pytest.param("github-pages", FakeGithub, {"needs_network", "links"}, id="github-pages"),
    pytest.param(
        "arxiv",
        FakeArxiv,
        {
            "withdrawn",
            "bad_archive",
            "reference",
            "overfull",
            "several_pages",
            "undefined_command",
            "duplicate",
        },
        id="arxiv",
    ),
]


@pytest.mark.parametrize(
    ("source", "fake", "expected"),
    some(
        [one.values for one in SOURCES],
        chosen=lambda case: case[0] == "arxiv",
        instead="papers of arXiv, by the same stages, and scores of GitHub",
        name=lambda case: case[0],
    ),
)
def test_documents_of_a_month_become_a_data_set_with_an_oracle_of_one(
    source: str,
    fake: Callable[[], FakeSource],
    expected: set[str],
    tmp_path: Path,
    everything_running_without_networks: Settings,
) -> None:
    settings = everything_running_without_networks
    cache, into = tmp_path / "cache", tmp_path / "pages"
    with fake_server(fake()) as server:
        summary = collected(source, into, server, settings, cache)
        assert adds_up(summary)
        assert sum(summary["accepted"].values()) >= 10
        reasons = {one["reason"] for found in summary["dropped"].values() for one in found}
        assert expected <= reasons
        asked = len(server.log)
        again = collected(source, into, server, settings, cache)
        assert again == summary
        assert len(server.log) == asked  # nothing is asked for twice
        made_again_from_recipes(into, tmp_path, server, settings, cache)
        server.refusing = True
        written = lines(into)
        other = tmp_path / "offline"
        other.mkdir()
        (into / "collection" / "http").rename(other / "http")
        (other / "collection").mkdir()
        (other / "http").rename(other / "collection" / "http")
        offline = collected(source, other, server, settings, cache, ["--offline"])
        assert offline["accepted"] == summary["accepted"]
        assert lines(other) == written
    assert check(into).faults == ()
    result = evaluate(into, out=tmp_path / "run", settings=settings)
    assert result.summary.scored == sum(summary["accepted"].values())
    values = {record.score.metrics["ems"] for record in read_records(tmp_path / "run").values()}
    assert values == {1.0}


def made_again_from_recipes(
    into: Path, folder: Path, server: FakeServer, settings: Settings, cache: Path
) -> None:
    """Publish a data set, and make what its recipes name again: the same lines, and none that was changed."""
    publish(into, folder / "out", "me/set", day=date(2026, 11, 30))
    recipes = [json.loads(text) for text in (folder / "out" / "recipes.jsonl").read_text().splitlines()]
    assert len(recipes) >= 3
    forged = [{**recipes[1], "picture_sha256": "0" * 64}, {**recipes[2], "structure_sha256": "0" * 64}]
    path = folder / "recipes.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in [recipes[0], *recipes[3:], *forged]))
    process = started(["--from-recipe", str(path)], folder / "again", server, settings, cache)
    out, complaints = process.communicate()
    assert process.returncode == 3, complaints
    found = json.loads(out)
    assert {one["reason"] for one in found["dropped"]} == {"other_picture", "changed"}
    assert sum(one["count"] for one in found["dropped"]) == 2
    names = {one["name"] for one in [recipes[0], *recipes[3:]]}
    again = lines(folder / "again").splitlines()
    assert len(again) == len(names)
    assert set(again) == {text for text in lines(into).splitlines() if json.loads(text)["id"] in names}
    assert check(folder / "again").faults == ()


@pytest.mark.nightly(
    instead="killed evaluations (test_kills), and what a collection stores (test_state_and_caps)"
)
@pytest.mark.parametrize("parts", [4, 12])
@pytest.mark.parametrize(("source", "fake", "expected"), SOURCES)
def test_killed_again_and_again_it_ends_with_the_same_bytes(
    parts: int,
    source: str,
    fake: Callable[[], FakeSource],
    expected: set[str],
    tmp_path: Path,
    everything_running_without_networks: Settings,
) -> None:
    settings, cache = everything_running_without_networks, tmp_path / "cache"
    with fake_server(fake()) as server:
        summary = collected(source, tmp_path / "quiet", server, settings, cache)
    assert expected & {one["reason"] for found in summary["dropped"].values() for one in found}
    killing = Killing(fake(), every=len(server.log) // parts)
    with fake_server(killing) as server:
        kills = 0
        while True:
            killing.victim = started([source, *WINDOW], tmp_path / "killed", server, settings, cache)
            _, told = killing.victim.communicate()
            if killing.victim.returncode != -signal.SIGKILL:
                break
            kills += 1
        assert killing.victim.returncode == 3, told
        assert kills >= parts - 1
    assert lines(tmp_path / "killed") == lines(tmp_path / "quiet")


def test_a_month_that_was_collected_before_is_empty(
    tmp_path: Path, everything_running_without_networks: Settings
) -> None:
    settings, cache = everything_running_without_networks, tmp_path / "cache"
    seen = ["--seen", str(tmp_path / "seen.sqlite")]
    with fake_server(FakeGithub()) as server:
        first = collected("music", tmp_path / "first", server, settings, cache, seen)
        assert sum(first["accepted"].values()) > 0
        second = collected("music", tmp_path / "second", server, settings, cache, seen)
    assert sum(second["accepted"].values()) == 0
    assert adds_up(second)
    (reasons,) = [second["dropped"]["select"]]
    assert {reason["reason"] for reason in reasons} == {"duplicate"}
