"""The file that says where a service is: written at once, and taken for nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from i2s_chassis.server.announcement import Announcement, remove, write

HERE = Announcement("render-latex", "127.0.0.1:7710", None, "127.0.0.1:1", 42)


def test_it_survives_its_file(tmp_path: Path) -> None:
    write(tmp_path / "here", HERE)
    assert Announcement.from_json((tmp_path / "here").read_text()) == HERE
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_it_is_removed_by_its_process_alone(tmp_path: Path) -> None:
    write(tmp_path / "here", HERE)
    remove(tmp_path / "here", 43)
    assert (tmp_path / "here").exists()
    remove(tmp_path / "here", 42)
    remove(tmp_path / "here", 42)
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    "change",
    [{"pid": "42"}, {"pid": True}, {"address": None}, {"service": 1}, {"health_address": []}, {"more": 1}],
)
def test_anything_else_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no announcement"):
        Announcement.from_json(json.dumps({**json.loads(HERE.to_json()), **change}))


@pytest.mark.parametrize("text", ["[]", "{}", "7"])
def test_what_is_no_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no announcement"):
        Announcement.from_json(text)
