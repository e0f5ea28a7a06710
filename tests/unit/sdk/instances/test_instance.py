"""What an instance holds."""

from __future__ import annotations

import itertools
import re

from i2s_sdk.instances.instance import Content

DIFFERENT = (
    Content(structure="$x$"),
    Content(structure="$y$"),
    Content(text="$x$"),
    Content(target="$x$"),
    Content(target=["$x$"]),
    Content(structure="$x$", text="x"),
    Content(site={"index.html": b"$x$"}),
    Content(site={"index.html": b"$y$"}),
    Content(site={"page.html": b"$x$"}),
    Content(structure="\ud800"),
)


def test_contents_of_different_targets_have_different_digests() -> None:
    assert all(re.fullmatch("[0-9a-f]{64}", one.target_sha256) for one in DIFFERENT)
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert one.target_sha256 != other.target_sha256


def test_pictures_inputs_and_the_order_of_keys_are_no_part_of_the_target() -> None:
    one = Content(b"a", target={"a": 1, "b": [2]}, site={"x": b"1", "y": b"2"}, inputs={"q": 1})
    other = Content(b"b", target={"b": [2], "a": 1}, site={"y": b"2", "x": b"1"})
    assert one.target_sha256 == other.target_sha256


def test_without_a_target_there_is_no_digest() -> None:
    assert Content(b"picture", inputs={"question": "what?"}).target_sha256 == ""
