"""Texts, pictures and columns as training frameworks have them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.errors import UsageError
from i2s_training.batch_reward import column_of
from i2s_training.batch_values import reference_of, text_of


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("a", "a"),
        ([{"role": "assistant", "content": "a"}], "a"),
        ([{"content": "no"}, {"content": [{"type": "text", "text": "a"}, {"type": "image"}, 7]}], "a"),
        ([{"role": "assistant", "content": None, "tool_calls": []}], ""),
    ],
)
def test_the_text_is_that_of_the_last_message(completion: object, text: str) -> None:
    assert text_of(completion) == text


@pytest.mark.parametrize("completion", [None, 7, [], [{"role": "assistant"}], {"content": "a"}])
def test_what_is_no_completion_is_refused(completion: object) -> None:
    with pytest.raises(UsageError, match="a completion must be"):
        text_of(completion)


def test_pictures_are_taken_in_each_form() -> None:
    assert reference_of(b"png") == b"png"
    assert reference_of({"bytes": b"png", "path": "a.png"}) == b"png"
    assert reference_of({"bytes": None, "path": "a.png"}) == "a.png"
    assert reference_of([Path("a.png"), Path("b.png")]) == Path("a.png")
    encoded = reference_of(Image.new("RGB", (2, 2)))
    assert isinstance(encoded, bytes)
    assert encoded.startswith(b"\x89PNG")


@pytest.mark.parametrize("picture", [None, 7, [], {"bytes": None, "path": None}, [[None]]])
def test_what_is_no_picture_is_refused(picture: object) -> None:
    with pytest.raises(UsageError, match="a picture must be"):
        reference_of(picture)


def test_a_column_has_a_value_for_each_completion() -> None:
    assert column_of({}, "task", 2, "latex") == ["latex", "latex"]
    assert column_of({"task": [None, "music"]}, "task", 2, "latex") == ["latex", "music"]
    with pytest.raises(UsageError, match="'task': a column has 1 values for 2 completions"):
        column_of({"task": ["latex"]}, "task", 2)
