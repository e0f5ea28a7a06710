import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from i2s_metrics.errors import BadImageError
from i2s_metrics.images import decode

MANY = 1_000_000
RNG = np.random.default_rng(0)
COLOURS = RNG.integers(0, 256, (9, 13, 3), dtype=np.uint8)


@pytest.mark.parametrize(("kind", "options"), [("PNG", {}), ("WEBP", {"lossless": True})])
def test_lossless_files_come_back_as_they_were(encode, kind, options):
    assert (decode(encode(COLOURS, kind, **options), MANY) == COLOURS).all()


def test_jpeg_is_read_as_pillow_reads_it(encode):
    data = encode(COLOURS, "JPEG")
    assert (decode(data, MANY) == np.array(Image.open(io.BytesIO(data)))).all()


@pytest.mark.parametrize("kind", ["GIF", "BMP", "TIFF", "PPM"])
def test_other_formats_are_refused(encode, kind):
    with pytest.raises(BadImageError, match="PNG, JPEG and WEBP"):
        decode(encode(COLOURS, kind), MANY)


def test_alpha_is_dropped_and_not_composited(encode):
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[..., 0] = 200
    assert (decode(encode(pixels), MANY) == [200, 0, 0]).all()


def test_palettes_are_looked_up(encode):
    picture = Image.new("P", (2, 1))
    picture.putpalette([10, 20, 30, 40, 50, 60])
    picture.putdata([0, 1])
    assert decode(encode(picture, transparency=0), MANY).tolist() == [[[10, 20, 30], [40, 50, 60]]]


def test_16_bit_greys_are_clipped_at_255(raw_png):
    rows = b"\0" + np.array([0, 100, 255, 256, 65535], ">u2").tobytes()
    assert decode(raw_png(5, 1, 16, 0, rows), MANY)[0, :, 0].tolist() == [0, 100, 255, 255, 255]


def test_16_bit_colours_keep_their_high_byte(raw_png):
    rows = b"\0" + np.array([0, 255, 256, 65535, 300, 40000], ">u2").tobytes()
    assert decode(raw_png(2, 1, 16, 2, rows), MANY).tolist() == [[[0, 0, 1], [255, 1, 156]]]


def test_of_an_animation_the_first_frame_is_read(encode):
    frames = [Image.new("RGB", (3, 2), colour) for colour in ("red", "blue")]
    data = encode(frames[0], "WEBP", save_all=True, append_images=frames[1:], lossless=True)
    assert (decode(data, MANY) == [255, 0, 0]).all()


@pytest.mark.parametrize("size", [(100_000, 100_000), (10_000, 9_000), (1001, 1000), (2**31 - 1, 1)])
def test_too_many_pixels_are_refused_by_the_header(raw_png, size):
    # There are no pixels behind this header, so that decoding would say something else.
    with pytest.raises(BadImageError, match="pixels"):
        decode(raw_png(*size, 8, 2, b""), MANY)


def test_as_many_pixels_as_allowed_are_read(encode):
    assert decode(encode(COLOURS), 9 * 13).shape == (9, 13, 3)
    with pytest.raises(BadImageError, match="13x9 is 117 pixels"):
        decode(encode(COLOURS), 9 * 13 - 1)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_truncated_files_are_bad(encode, kind):
    data = encode(RNG.integers(0, 256, (99, 99, 3), dtype=np.uint8), kind)
    for length in (0, 1, 20, len(data) // 2):
        with pytest.raises(BadImageError):
            decode(data[:length], MANY)


@given(st.sampled_from(["PNG", "JPEG", "WEBP"]), st.data())
def test_damaged_files_are_bad_or_pictures_and_nothing_else(encode, kind, data):
    damaged = bytearray(encode(COLOURS, kind))
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        pixels = decode(bytes(damaged), MANY)
    except BadImageError:
        return
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 3


def progressive(more):
    """A progressive JPEG that repeats its last scan."""
    output = io.BytesIO()
    Image.new("RGB", (64, 48), (200, 10, 40)).save(output, "JPEG", progressive=True)
    whole = output.getvalue()
    return whole[:-2] + whole[whole.rindex(b"\xff\xda") : -2] * more + whole[-2:]


def test_a_progressive_jpeg_as_encoders_write_it_is_read():
    assert decode(progressive(0), MANY).shape == (48, 64, 3)


@pytest.mark.parametrize("more", [101, 20_000])
def test_a_jpeg_of_many_scans_is_refused_before_it_is_decoded(more, monkeypatch):
    monkeypatch.setattr(Image, "open", None)
    with pytest.raises(BadImageError, match=r"more than 100 scans .--max-jpeg-scans"):
        decode(progressive(more), MANY)
