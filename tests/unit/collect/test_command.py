"""``i2s-sdk collect`` says in one line what is wrong, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_sdk.cli.main import run

WINDOW = ["--from", "2026-10-01", "--until", "2026-10-31"]


@pytest.fixture(autouse=True)
def no_contact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("I2S_CONTACT", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["github-pages", *WINDOW], 2, "--contact"),
        (["github-pages", *WINDOW, "--contact", "ann"], 2, "--contact"),
        (["github-page", *WINDOW, "--offline"], 2, "github-pages"),
        (["music", "--from", "2026-10-02", "--until", "2026-10-01", "--offline"], 2, "is after --until"),
        (["music", "--from", "2026-10-02", "--until", "2999-10-01", "--offline"], 2, "is not over yet"),
        (["music", "--from", "October", "--until", "2999-10-01"], 2, "October"),
        (["music", *WINDOW, "--offline", "--thresholds", "nowhere.json"], 2, "nowhere.json"),
        (["music", *WINDOW, "--offline"], 1, "was never asked for, and the collection is offline"),
    ],
)
def test_what_cannot_be_collected_is_said_in_one_line(
    words: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["collect", *words, "--into", str(tmp_path / "set")]) == code
    told = capsys.readouterr().err
    assert said in told
    assert "Traceback" not in told


def test_a_folder_of_another_collection_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["collect", "music", *WINDOW, "--offline", "--into", str(tmp_path)]
    assert run(words) == 1
    capsys.readouterr()
    assert run([*words, "--seed", "7"]) == 2
    assert "was begun with seed 0, not 7; name another folder" in capsys.readouterr().err


def test_a_data_set_that_was_not_collected_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine"
    (mine / "references").mkdir(parents=True)
    (mine / "references" / "a.png").write_bytes(b"a picture of mine")
    (mine / "instances.jsonl").write_text("{}\n")
    assert run(["collect", "music", *WINDOW, "--offline", "--into", str(mine)]) == 2
    assert "is a data set that was not collected; name another folder" in capsys.readouterr().err
    assert sorted(path.name for path in mine.rglob("*")) == ["a.png", "instances.jsonl", "references"]
