"""Small copies of large images."""

import hashlib
from pathlib import Path
from unittest.mock import patch

import pytest
from PIL import Image

from i2s_sdk.report.images import HEIGHT, WIDTH, beside
from i2s_sdk.run.caches import FolderEntries
from i2s_sdk.run.storage.folder import image_name
from i2s_sdk.run.storage.local import LocalStorage


def _kept(folder: Path, size: tuple[int, int]) -> str:
    digest = hashlib.sha256(repr(size).encode()).hexdigest()
    path = folder / image_name(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "red").save(path)
    return digest


def _shown(folder: Path, *digests: str) -> dict[str, str]:
    """Return the name of what is shown of each image of a run."""
    run = LocalStorage(folder)
    return {digest: entry[0] for digest, entry in beside(run, dict.fromkeys(digests, run)).entries.items()}


def test_a_large_picture_gets_a_copy_that_fits_and_a_small_one_none(tmp_path: Path) -> None:
    large, small = _kept(tmp_path, (1920, 1080)), _kept(tmp_path, (300, 100))
    shown = _shown(tmp_path, large, small)
    assert shown[small] == image_name(small)
    assert shown[large].startswith("thumbnails/")
    with Image.open(tmp_path / shown[large]) as copy:
        assert copy.size == (960, 540)
        assert copy.width <= WIDTH
        assert copy.height <= HEIGHT


def test_a_wide_picture_of_few_pixels_is_shown_as_it_is(tmp_path: Path) -> None:
    wide = _kept(tmp_path, (2000, 400))
    assert _shown(tmp_path, wide) == {wide: image_name(wide)}


def test_a_copy_shows_what_the_picture_shows(tmp_path: Path) -> None:
    large = _kept(tmp_path, (2000, 1500))
    with Image.open(tmp_path / image_name(large)) as picture:
        picture.paste("blue", (0, 0, 1000, 1500))
        picture.save(tmp_path / image_name(large))
    with Image.open(tmp_path / _shown(tmp_path, large)[large]) as copy:
        assert copy.size == (960, 720)
        (left, right) = (copy.getpixel((at, 360)) for at in (240, 720))
    assert left == pytest.approx((0, 0, 255), abs=3)
    assert right == pytest.approx((255, 0, 0), abs=3)


def test_a_copy_is_kept_for_another_run_with_the_same_picture(tmp_path: Path) -> None:
    kept = FolderEntries(tmp_path / "cache", 10_000_000)
    large = _kept(tmp_path / "one", (1920, 1080))
    one, other = LocalStorage(tmp_path / "one"), LocalStorage(tmp_path / "other")
    name = beside(one, {large: one}, kept).entries[large][0]
    (tmp_path / "other" / image_name(large)).parent.mkdir(parents=True)
    (tmp_path / "other" / image_name(large)).write_bytes((tmp_path / "one" / image_name(large)).read_bytes())
    with patch("i2s_sdk.report.images.quick_copy", side_effect=AssertionError("made again")):
        assert beside(other, {large: other}, kept).entries[large][0] == name
    assert (tmp_path / "other" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()


def test_a_copy_is_made_once(tmp_path: Path) -> None:
    large = _kept(tmp_path, (1920, 1080))
    shown = _shown(tmp_path, large)
    (tmp_path / shown[large]).write_bytes(b"as it was")
    assert _shown(tmp_path, large) == shown
    assert (tmp_path / shown[large]).read_bytes() == b"as it was"


def test_a_picture_that_cannot_be_read_is_not_shown(tmp_path: Path) -> None:
    digest = _kept(tmp_path, (10, 10))
    (tmp_path / image_name(digest)).write_bytes(b"no picture")
    assert _shown(tmp_path, digest, "ab" * 32) == {}


def test_a_report_of_several_runs_takes_the_copy_of_a_run(tmp_path: Path) -> None:
    large = _kept(tmp_path / "run", (1920, 1080))
    name = _shown(tmp_path / "run", large)[large]
    (tmp_path / "run" / name).write_bytes(b"as the run has it")
    report = LocalStorage(tmp_path / "report")
    entry = beside(report, {large: LocalStorage(tmp_path / "run")}).entries[large]
    assert entry == (name, image_name(large), 1920, 1080)
    assert (tmp_path / "report" / name).read_bytes() == b"as the run has it"
