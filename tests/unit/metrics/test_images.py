import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from i2s_metrics.images import count_scans

MANY = 1000
NOISE = np.random.default_rng(1).integers(0, 256, (40, 50, 3), dtype=np.uint8)


def jpeg(**options):
    output = io.BytesIO()
    Image.fromarray(NOISE).save(output, "JPEG", **options)
    return output.getvalue()


def test_a_baseline_file_has_one_scan():
    assert count_scans(jpeg(), MANY) == 1
    assert count_scans(jpeg(restart_marker_rows=1), MANY) == 1


def test_scans_of_a_progressive_file_are_counted():
    whole = jpeg(progressive=True)
    scans = whole.count(b"\xff\xda")
    assert count_scans(whole, MANY) == scans > 5
    last = whole[whole.rindex(b"\xff\xda") : -2]
    assert count_scans(whole[:-2] + last * 30 + whole[-2:], MANY) == scans + 30


def test_counting_stops_beyond_the_most():
    whole = jpeg(progressive=True)
    assert count_scans(whole, 3) == 4


def test_what_looks_like_a_scan_within_a_segment_is_none():
    whole = jpeg()
    comment = b"\xff\xfe" + (2 + 40).to_bytes(2) + b"\xff\xda" * 20
    assert count_scans(whole[:2] + comment + whole[2:], MANY) == 1
    assert count_scans(whole + whole * 5, MANY) == 1  # behind the end


@pytest.mark.parametrize(
    "invalid", [b"\xff\x05", b"\xff\x01", b"\xff\xbf", b"\xff\x00", b"\xff\xd3", b"\xff\xff"]
)
def test_scans_do_not_hide_behind_an_invalid_marker(invalid):
    whole = jpeg(progressive=True)
    last = whole[whole.rindex(b"\xff\xda") : -2]
    hidden = whole[:-2] + (invalid + b"\x7f\x7f" + last) * 30 + whole[-2:]
    assert count_scans(hidden, MANY) == count_scans(whole, MANY) + 30


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x89PNG\xff\xda", b"RIFF"])
def test_other_files_have_none(data):
    assert count_scans(data, MANY) == 0


@given(st.binary(max_size=300))
def test_any_bytes_are_counted_to_an_end(data):
    assert 0 <= count_scans(b"\xff\xd8" + data, MANY) <= 150
