"""How far two images differ."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from benchmarks.harness.images import image_difference


def test_the_difference_of_images_is_that_of_the_channel_that_differs_most(tmp_path: Path) -> None:
    for name, colour in (("a", (0, 0, 0)), ("b", (2, 8, 4))):
        Image.new("RGB", (2, 2), colour).save(tmp_path / f"{name}.png")
    Image.new("RGB", (2, 3)).save(tmp_path / "c.png")
    assert image_difference(tmp_path / "a.png", tmp_path / "b.png") == 8.0
    assert image_difference(tmp_path / "a.png", tmp_path / "c.png") is None
