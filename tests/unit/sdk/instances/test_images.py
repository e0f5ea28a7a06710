"""Pictures are PNG, JPEG or WebP within bounds, or a fault of the data; no other decoder is ever tried."""

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from i2s_sdk.data.check import check
from i2s_sdk.errors import DataError
from i2s_sdk.instances.images import MAX_JPEG_SCANS, ImageFaultError, decode_image, read_header, require_whole
from i2s_sdk.instances.instance import Instance
from i2s_sdk.instances.references import require_decodable_reference, require_usable_references
from i2s_sdk.report.images import shrunk
from i2s_sdk.run.caches import FolderEntries

EPS = b"""%!PS-Adobe-3.0 EPSF-3.0
%%BoundingBox: 0 0 2000 2000
%%EndComments
showpage
%%EOF
"""
LARGE = (400, 300)
INSTANCE = '{"id": "a", "task": "latex", "subset": "s", "image": "a.png"}\n'


def encoded(form: str, size: tuple[int, int] = (64, 48), **options: object) -> bytes:
    out = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(out, form, **options)
    return out.getvalue()


@pytest.fixture
def no_ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in the place of Ghostscript that says whether it was started."""
    started = tmp_path / "started"
    program = tmp_path / "bin" / "gs"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {started}\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", None, raising=False)
    return started


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_the_three_formats_are_read(form: str) -> None:
    raw = encoded(form)
    assert decode_image(raw).size == (64, 48)
    assert (require_whole(raw).width, read_header(io.BytesIO(raw)).height) == (64, 48)


@pytest.mark.parametrize("form", ["GIF", "BMP", "TIFF", "PPM", "ICO", "PDF", "EPS"])
def test_no_other_format_is_read(form: str) -> None:
    for read in (decode_image, require_whole, read_header):
        with pytest.raises(ImageFaultError, match="not an image in PNG, JPEG or WebP"):
            read(encoded(form))


def test_a_document_of_another_kind_starts_no_program(no_ghostscript: Path, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(EPS)
    (tmp_path / "instances.jsonl").write_text(INSTANCE)
    assert "not an image in PNG, JPEG or WebP" in check(tmp_path).faults[0].message
    assert shrunk(EPS, (100, 100)) is None
    assert not no_ghostscript.exists()


def test_a_picture_of_too_many_pixels_is_not_decoded() -> None:
    raw = encoded("PNG", (100, 100))
    for read in (decode_image, require_whole, read_header):
        with pytest.raises(ImageFaultError, match="100 x 100 pixels, more than 9999 in all"):
            read(raw, 9999)


def test_a_jpeg_of_very_many_scans_is_not_decoded() -> None:
    raw = encoded("JPEG", progressive=True)
    cut = raw.rindex(b"\xff\xda")
    bomb = raw[:-2] + raw[cut:-2] * (MAX_JPEG_SCANS + 1) + raw[-2:]
    with pytest.raises(ImageFaultError, match="scans, more than 100"):
        decode_image(bomb)
    decode_image(raw)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_picture_that_is_cut_off_is_damaged(form: str) -> None:
    raw = encoded(form)
    with pytest.raises(ImageFaultError, match="damaged"):
        decode_image(raw[: len(raw) // 2])


@pytest.mark.parametrize("form", ["PNG", "WEBP"])
def test_most_cut_pictures_show_before_their_pixels_are_decoded(form: str) -> None:
    raw = encoded(form)
    with pytest.raises(ImageFaultError, match="damaged"):
        require_whole(raw[: len(raw) // 2])


@given(st.binary(max_size=80), st.sampled_from(["PNG", "JPEG", "WEBP"]), st.data())
def test_any_bytes_are_a_picture_or_a_fault(noise: bytes, form: str, data: st.DataObject) -> None:
    raw = encoded(form, (8, 8))
    at = data.draw(st.integers(0, len(raw)))
    for content in (noise, raw[:at], raw[:at] + noise + raw[at:], raw[:at] + noise + raw[at + len(noise) :]):
        for read in (decode_image, require_whole, read_header):
            try:
                read(content)
            except ImageFaultError as error:
                assert str(error)


@pytest.mark.parametrize("raw", [b"", b"not an image", EPS, encoded("GIF"), encoded("PNG")[:-20]])
def test_a_reference_that_is_no_picture_is_named(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(raw)
    instance = Instance("a", "latex", "s", path)
    with pytest.raises(DataError, match=r"a\.png: the reference .* dataset validate"):
        require_usable_references([instance])
    with pytest.raises(DataError, match=r"a\.png: the reference"):
        require_decodable_reference(instance)


@pytest.mark.parametrize(("kept", "size", "times"), [(True, LARGE, 1), (False, LARGE, 3), (True, (8, 8), 3)])
def test_a_large_reference_is_decoded_once_if_that_can_be_noted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, kept: bool, size: tuple[int, int], times: int
) -> None:
    decoded = []
    notes = FolderEntries(tmp_path / "cache", 1 << 20) if kept else None

    def counted(content: bytes, most_pixels: int) -> Image.Image:
        decoded.append(content)
        return decode_image(content, most_pixels)

    monkeypatch.setattr("i2s_sdk.instances.references.decode_image", counted)
    path = tmp_path / "a.png"
    path.write_bytes(encoded("PNG", size))
    instance = Instance("a", "latex", "s", path)
    for _ in range(3):
        require_decodable_reference(instance, notes=notes)
    assert len(decoded) == times
    with pytest.raises(DataError, match=r"a\.png: the reference has .* pixels"):
        require_decodable_reference(instance, most_pixels=1, notes=notes)
    path.write_bytes(encoded("PNG", size)[:-20])
    decoded.clear()
    for _ in range(2):  # a fault is not noted
        with pytest.raises(DataError, match=r"a\.png: the reference"):
            require_decodable_reference(instance, notes=notes)
    assert len(decoded) == 2


def test_other_pictures_of_the_inputs_are_looked_at_too(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.png" for name in ("image", "style")} | {"document": tmp_path / "a.pdf"}
    paths["image"].write_bytes(encoded("PNG"))
    paths["style"].write_bytes(encoded("PNG")[:-20])
    instance = Instance("a", "chart", "s", paths["image"], files=paths)
    assert instance.images == (paths["image"], paths["style"])
    with pytest.raises(DataError, match=r"style\.png: "):
        require_usable_references([instance])
    with pytest.raises(DataError, match=r"style\.png: "):
        require_decodable_reference(instance)
