"""A folder that cannot be written is one line, exit code 2, and found out before a model is called."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from i2s_sdk.cli.main import run
from i2s_sdk.errors import WriteError
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.local import LocalStorage
from i2s_sdk.settings import Settings
from run_folders import write_run_to_judge
from small_disk import small_disk
from tiny_formulas import write_tiny_formulas

MIB = 1024 * 1024

#: Bytes that hold the lines of calls and no answer.
SMALL = 256 * 1024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MiB."""
    with small_disk(tmp_path / "disk", 2 * MIB) as folder:
        yield folder


def _fill(disk: Path, left: int = 0) -> None:
    """Fill a disk but for so many bytes."""
    with pytest.raises(OSError, match="No space left"):
        (disk / "filler").write_bytes(bytes(4 * MIB))
    os.truncate(disk / "filler", (disk / "filler").stat().st_size - left)


def _under_a_file(tmp_path: Path) -> Path:
    (tmp_path / "file").write_text("not a folder")
    return tmp_path / "file" / "run"


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """The file in which the program of ``_model`` notes that it was called."""
    return tmp_path / "calls"


def _model(tmp_path: Path, calls: Path) -> str:
    """Return the name of a model with long answers that notes each call."""
    program = tmp_path / "program.py"
    program.write_text(f"open({str(calls)!r}, 'a').write('x')\nprint('y' * 3_000_000)\n")
    return f"command:{sys.executable} {program} {{image}}"


def _ask(command: str, tmp_path: Path, out: Path, models: Sequence[str]) -> int:
    """Run a command that asks models about three formulas, and return its exit code."""
    data = tmp_path / "data"
    if not data.exists():
        write_tiny_formulas(data, 3)
    named = [word for model in models for word in ("--model", model)]
    long = ["--set", "completion_characters=4000000"]
    return run([command, "--data", str(data), *named, "--out", str(out), *long])


def _generate(tmp_path: Path, out: Path, calls: Path) -> int:
    return _ask("generate", tmp_path, out, [_model(tmp_path, calls)])


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


@pytest.mark.parametrize("models", [1, 2])
@pytest.mark.parametrize("where", ["/proc/run", "under a file", "a file", "full disk", "nearly full disk"])
def test_an_evaluation_that_cannot_be_kept_is_one_line_and_no_call(
    where: str, models: int, tmp_path: Path, disk: Path, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even the small question before a run is asked."""
    under = _under_a_file(tmp_path)
    places = {"under a file": under, "a file": under.parent}
    out = disk / "run" if "disk" in where else places.get(where, Path(where))
    _fill(disk, SMALL if "nearly" in where else 0)
    asked = [f"{_model(tmp_path, calls)}{' again' * at}" for at in range(models)]
    assert _ask("evaluate", tmp_path, out, asked) == 2
    _is_one_line_of_error(capsys.readouterr().err, out)
    assert not calls.exists()


@pytest.mark.parametrize("left", [0, SMALL])
def test_judgements_that_cannot_be_kept_are_one_line_and_no_call(
    left: int, tmp_path: Path, disk: Path, calls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judged = write_run_to_judge(disk / "run", 2)
    _fill(disk, left)
    for _ in range(2):
        assert run(["judge", str(judged), "--model", _model(tmp_path, calls)]) == 2
        _is_one_line_of_error(capsys.readouterr().err, disk)
    assert not calls.exists()
    (disk / "filler").unlink()
    run(["judge", str(judged), "--model", _model(tmp_path, calls)])
    assert calls.exists(), "it is the disk that kept the model from being asked"


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
            folder.put_image(bytes(3 * MIB))


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
