"""Where compiled code is kept, and what a service without the rights of root begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from i2s_metrics.functional.compiled import copy_compiled


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    """A folder with compiled code, beside a source."""
    folder = tmp_path / "source" / "digest"
    (folder / "ems").mkdir(parents=True)
    (folder / "ems" / "tree.nbi").write_bytes(b"index")
    return folder


def test_a_new_folder_begins_with_what_was_compiled_beside_the_source(beside: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "digest"
    copy_compiled(beside, folder)
    assert (folder / "ems" / "tree.nbi").read_bytes() == b"index"
    assert list(folder.parent.iterdir()) == [folder]


def test_what_a_folder_holds_already_stays(beside: Path, tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "digest"
    folder.mkdir(parents=True)
    copy_compiled(beside, folder)
    assert list(folder.iterdir()) == []


def test_without_compiled_code_nothing_is_made(tmp_path: Path) -> None:
    copy_compiled(tmp_path / "none", tmp_path / "cache" / "digest")
    assert not (tmp_path / "cache").exists()
