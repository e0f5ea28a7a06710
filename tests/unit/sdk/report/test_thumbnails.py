"""Small copies of large pictures."""

import hashlib
from pathlib import Path

from PIL import Image

from i2s_sdk.report.pictures import beside
from i2s_sdk.report.thumbnails import HEIGHT, WIDTH
from i2s_sdk.runlog.folder import picture_name
from i2s_sdk.runlog.local import LocalStorage


def _kept(folder: Path, size: tuple[int, int]) -> str:
    digest = hashlib.sha256(repr(size).encode()).hexdigest()
    path = folder / picture_name(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "red").save(path)
    return digest


def _shown(folder: Path, *digests: str) -> dict[str, str]:
    """Return the name of what is shown of each picture of a run."""
    run = LocalStorage(folder)
    return {digest: entry[0] for digest, entry in beside(run, dict.fromkeys(digests, run)).entries.items()}


def test_a_large_picture_gets_a_copy_that_fits_and_a_small_one_none(tmp_path: Path) -> None:
    large, small = _kept(tmp_path, (1920, 1080)), _kept(tmp_path, (300, 100))
    shown = _shown(tmp_path, large, small)
    assert shown[small] == picture_name(small)
    assert shown[large].startswith("thumbnails/")
    with Image.open(tmp_path / shown[large]) as copy:
        assert copy.size == (960, 540)
        assert copy.width <= WIDTH
        assert copy.height <= HEIGHT


def test_a_copy_is_made_once(tmp_path: Path) -> None:
    large = _kept(tmp_path, (1920, 1080))
    shown = _shown(tmp_path, large)
    (tmp_path / shown[large]).write_bytes(b"as it was")
    assert _shown(tmp_path, large) == shown
    assert (tmp_path / shown[large]).read_bytes() == b"as it was"


def test_a_picture_that_cannot_be_read_is_not_shown(tmp_path: Path) -> None:
    digest = _kept(tmp_path, (10, 10))
    (tmp_path / picture_name(digest)).write_bytes(b"no picture")
    assert _shown(tmp_path, digest, "ab" * 32) == {}


def test_a_report_of_several_runs_takes_the_copy_of_a_run(tmp_path: Path) -> None:
    large = _kept(tmp_path / "run", (1920, 1080))
    name = _shown(tmp_path / "run", large)[large]
    (tmp_path / "run" / name).write_bytes(b"as the run has it")
    report = LocalStorage(tmp_path / "report")
    entry = beside(report, {large: LocalStorage(tmp_path / "run")}).entries[large]
    assert entry == (name, picture_name(large), 1920, 1080)
    assert (tmp_path / "report" / name).read_bytes() == b"as the run has it"
