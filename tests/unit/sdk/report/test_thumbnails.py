"""Small copies of large pictures."""

import hashlib
from pathlib import Path

from PIL import Image

from i2s_sdk.report.thumbnails import HEIGHT, WIDTH, make_thumbnails
from i2s_sdk.runs.folder import picture_name


def _kept(folder: Path, size: tuple[int, int]) -> str:
    digest = hashlib.sha256(repr(size).encode()).hexdigest()
    path = folder / picture_name(digest)
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, "red").save(path)
    return digest


def test_a_large_picture_gets_a_copy_that_fits_and_a_small_one_none(tmp_path: Path) -> None:
    large, small = _kept(tmp_path, (1920, 1080)), _kept(tmp_path, (300, 100))
    names = make_thumbnails(tmp_path, [large, small, large])
    assert list(names) == [large]
    with Image.open(tmp_path / names[large]) as copy:
        assert copy.size == (960, 540)
        assert copy.width <= WIDTH
        assert copy.height <= HEIGHT


def test_a_copy_is_made_once(tmp_path: Path) -> None:
    large = _kept(tmp_path, (1920, 1080))
    names = make_thumbnails(tmp_path, [large])
    (tmp_path / picture_name(large)).unlink()
    assert make_thumbnails(tmp_path, [large]) == names


def test_a_picture_that_cannot_be_read_has_none(tmp_path: Path) -> None:
    digest = _kept(tmp_path, (10, 10))
    (tmp_path / picture_name(digest)).write_bytes(b"no picture")
    assert make_thumbnails(tmp_path, [digest, "ab" * 32]) == {}
