"""``i2s-sdk cache``."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.evaluation.caches.opening import RENDERS, SCORES, open_caches, open_entries
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
        name: str(tmp_path / "i2s" / name) for name in (RENDERS, SCORES)
    }
    assert told["renders"]["most_bytes"] == 4 * 2**30


def test_evaluations_use_the_caches_unless_settings_say_no() -> None:
    ordinary = Settings.load(environ={})
    assert (ordinary.render_cache, ordinary.score_cache) == ("yes", "yes")
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
    (tmp_path / "i2s.toml").write_text('evaluation_caches = "caches"\n')
    assert run(["cache", "info"]) == 2
    assert "evaluation_caches" in capsys.readouterr().err
