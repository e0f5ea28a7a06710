"""A folder that cannot be written is one line, exit code 2, and found out before a model is called."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.errors import WriteError
from i2s_sdk.runlog.folder import RunFolder
from i2s_sdk.runlog.local import LocalStorage
from i2s_sdk.settings import Settings
from small_disk import small_disk
from tiny_formulas import write_tiny_formulas

MIB = 1024 * 1024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MiB."""
    with small_disk(tmp_path / "disk", 2 * MIB) as folder:
        yield folder


def _fill(disk: Path) -> None:
    with pytest.raises(OSError, match="No space left"):
        (disk / "filler").write_bytes(bytes(4 * MIB))


def _under_a_file(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("not a folder")
    return tmp_path / "file" / "run"


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """The file in which the program of ``_generate`` notes that it was called."""
    return tmp_path / "calls"


def _generate(tmp_path: Path, out: Path, calls: Path) -> int:
    data = tmp_path / "data"
    if not data.exists():
        write_tiny_formulas(data, 3)
    program = tmp_path / "program.py"
    program.write_text(f"open({str(calls)!r}, 'a').write('x')\nprint('y' * 3_000_000)\n")
    model = f"command:{sys.executable} {program} {{image}}"
    long = ["--set", "completion_characters=4000000"]
    return run(["generate", "--data", str(data), "--model", model, "--out", str(out), *long])


def _is_one_line_of_error(said: str, where: Path) -> None:
    (line,) = [line for line in said.splitlines() if line.startswith(("error", "Traceback", "  File"))]
    assert line.startswith("error: ")
    assert str(where) in line
    assert "cannot be written" in line


def test_a_full_disk_is_found_out_before_a_model_is_called(
    tmp_path: Path, disk: Path, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _fill(disk)
    for _ in range(2):
        assert _generate(tmp_path, disk / "run", calls) == 2
        _is_one_line_of_error(capsys.readouterr().err, disk)
    assert not calls.exists()


def test_a_start_after_the_disk_got_full_calls_no_model(
    tmp_path: Path, disk: Path, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first answers, of 3 MB each, do not fit; what is torn of them could be cut off."""
    assert _generate(tmp_path, disk / "run", calls) == 2
    _is_one_line_of_error(capsys.readouterr().err, disk)
    called = calls.read_text()
    assert called
    for _ in range(2):
        assert _generate(tmp_path, disk / "run", calls) == 2
        assert "free some space, and give the same command again" in capsys.readouterr().err
    assert calls.read_text() == called


@pytest.mark.parametrize("where", ["/proc/run", "/proc/self/run", "under a file", "a file"])
def test_a_place_where_no_folder_can_be_is_one_line_and_no_call(
    where: str, tmp_path: Path, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = _under_a_file(tmp_path)
    out = {"under a file": out, "a file": out.parent}.get(where, Path(where))
    assert _generate(tmp_path, out, calls) == 2
    _is_one_line_of_error(capsys.readouterr().err, out)
    assert not calls.exists()


@pytest.mark.parametrize("where", ["/proc/set", "under a file", "full disk"])
def test_a_data_set_that_cannot_be_begun_is_one_line(
    where: str, tmp_path: Path, disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = {"under a file": _under_a_file(tmp_path), "full disk": disk / "set"}.get(where, Path(where))
    _fill(disk)
    assert run(["dataset", "new", str(folder)]) == 2
    _is_one_line_of_error(capsys.readouterr().err, folder)
    assert not folder.exists()


def test_a_line_that_does_not_fit_is_named_with_its_file(disk: Path) -> None:
    with RunFolder.open(disk / "run") as folder:
        with pytest.raises(WriteError, match=r"calls\.jsonl: cannot be written: No space left"):
            folder.calls.append({"id": "a", "call": "x" * 3 * MIB})
        with pytest.raises(WriteError, match=r"pictures/.*\.png: cannot be written: No space left"):
            folder.put_picture(bytes(3 * MIB))


def test_the_space_that_is_tried_is_given_back(disk: Path) -> None:
    storage = LocalStorage(disk / "run")
    with storage.alone():
        for _ in range(5):
            storage.require_space(MIB)
        with pytest.raises(WriteError, match="No space left"):
            storage.require_space(3 * MIB)
        storage.require_space(MIB)
    assert [path for path in (disk / "run").rglob("*") if path.is_file()] == [disk / "run" / ".lock"]


def test_how_much_must_fit_is_a_setting(disk: Path) -> None:
    with pytest.raises(WriteError), RunFolder.open(disk / "a", Settings(free_bytes=3 * MIB)):
        pass
    _fill(disk)
    (disk / "filler").unlink()
    with RunFolder.open(disk / "b", Settings(free_bytes=0)):
        pass
