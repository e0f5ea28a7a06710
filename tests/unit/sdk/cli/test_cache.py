"""``i2s-sdk cache``."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.models.cache import AnswerCache
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer
from i2s_sdk.run.caches import ANSWERS, KINDS, RENDERS, open_caches, open_entries
from i2s_sdk.settings import Settings

KEY = hashlib.sha256(b"x").hexdigest()


@pytest.fixture(params=["folder", "file"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    folder = tmp_path / "caches"
    return str(folder) if request.param == "folder" else folder.as_uri()


def test_info_says_what_the_caches_hold_and_clear_empties_them(
    where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--set", f"evaluation_caches={where}"]
    settings = Settings.load({"evaluation_caches": where})
    open_entries(settings, RENDERS).write(KEY, b"x" * 5000)
    assert run(["cache", "info", "--json", *chosen]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["renders"]["entries"] == 1
    assert told["renders"]["bytes"] >= 5000
    assert told["renders"]["place"] == f"{where}/renders"
    assert told["scores"]["entries"] == 0
    assert run(["cache", "info", *chosen]) == 0
    assert f"{where}/scores" in capsys.readouterr().out
    for _ in range(2):
        assert run(["cache", "clear", *chosen]) == 0
    assert open_entries(settings, RENDERS).size().entries == 0


def test_without_settings_the_caches_lie_in_those_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert run(["cache", "info", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name: one["place"] for name, one in told.items()} == {
        name: str(tmp_path / "i2s" / name) for name in KINDS
    }
    assert not told[ANSWERS]["used"]
    assert told["renders"]["most_bytes"] == 4 * 2**30


def _fill(home: Path) -> dict[str, Path]:
    """Put an entry into each cache of the user, and a batch under way beside the answers."""
    files = {
        "answers": home / "answers" / KEY[:2] / f"{KEY}.json",
        "renders": home / "renders" / KEY[:2] / KEY,
        "scores": home / "scores" / KEY[:2] / KEY,
        "reference-points": home / "reference-points" / f"{KEY}.jsonl",
        "batch": home / "answers" / "batches" / "b.json",
    }
    for number, file in enumerate(files.values()):
        file.parent.mkdir(parents=True)
        file.write_text("x")
        os.utime(file, (86400.0 * number, 86400.0 * number))
    return files


def test_info_lists_every_kind_with_size_number_and_dates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("I2S_EVALUATION_CACHES", raising=False)
    _fill(tmp_path / "i2s")
    assert run(["cache", "info", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == list(KINDS)
    assert {(one["entries"], one["bytes"]) for one in told.values()} == {(1, 4096)}
    assert {one["oldest"][:10] for one in told.values()} == {f"1970-01-0{day}" for day in range(1, 5)}
    assert run(["cache", "info"]) == 0
    assert "answers          1 entry, 0.0 MiB, of 1970-01-01 (no bound of ours; not used)" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("chosen", "removed"),
    [([], KINDS), (["answers"], ["answers"]), (["scores", "renders"], ["renders", "scores"])],
)
def test_clear_empties_what_it_names_and_leaves_batches_under_way(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    chosen: list[str],
    removed: list[str],
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("I2S_EVALUATION_CACHES", raising=False)
    files = _fill(tmp_path / "i2s")
    assert run(["cache", "clear", *chosen]) == 0
    assert capsys.readouterr().err == f"empty: {', '.join(removed)}\n"
    assert {name for name, file in files.items() if not file.exists()} == set(removed)
    assert run(["cache", "info", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {name for name, one in told.items() if one["entries"] == 0} == set(removed)


def test_a_folder_of_answers_that_is_named_is_listed_and_cleared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    AnswerCache(tmp_path / "mine").put(KEY, Answer("x", Finish.STOP))
    chosen = ["--set", f"answer_cache={tmp_path / 'mine'}"]
    assert run(["cache", "info", "--json", *chosen]) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    assert (answers["entries"], answers["used"], answers["place"]) == (1, True, str(tmp_path / "mine"))
    assert run(["cache", "clear", "answers", *chosen]) == 0
    assert AnswerCache(tmp_path / "mine").get(KEY) is None


def test_a_kind_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cache", "clear", "datasets"]) == 2
    assert "'datasets' is not one of" in capsys.readouterr().err


def test_evaluations_use_the_caches_unless_settings_say_no() -> None:
    ordinary = Settings.load(environ={})
    assert (ordinary.render_cache, ordinary.score_cache) == ("yes", "yes")
    assert ordinary.answer_cache == "no"
    off = open_caches(Settings(render_cache="no", score_cache="no"))
    assert (off.renders, off.scores) == (None, None)


@pytest.mark.parametrize(
    "wrong", ["render_cache=maybe", "score_cache=on", "render_cache_bytes=-1", "score_cache_bytes=much"]
)
def test_a_wrong_value_is_named(wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cache", "info", "--set", wrong]) == 2
    assert wrong.partition("=")[0] in capsys.readouterr().err


def test_a_file_of_the_working_folder_cannot_say_where_answers_are_taken_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in ('evaluation_caches = "caches"', 'answer_cache = "caches"', '[evaluate]\ncache = "caches"'):
        (tmp_path / "i2s.toml").write_text(f"{line}\n")
        assert run(["cache", "info"]) == 2
        assert "cache" in capsys.readouterr().err
    (tmp_path / "i2s.toml").write_text('answer_cache = "yes"\n[evaluate]\ncache = "answers"\n')
    assert run(["cache", "info"]) == 0
