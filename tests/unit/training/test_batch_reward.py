"""Texts, images and columns as training frameworks have them."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from i2s_sdk.errors import UsageError
from i2s_training.batch_reward import RewardShaping, column_of, reference_of, text_of


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


SHARES = st.floats(0.0, 1.0)


@given(value=SHARES, floor=st.floats(0.0, 0.99))
def test_the_floor_is_subtracted(value: float, floor: float) -> None:
    assert RewardShaping(floor).reward(value, "latex") == pytest.approx(value - floor)


@given(floor=st.floats(0.0, 0.9), span=st.floats(0.05, 1.0))
def test_normalized_rewards_are_0_at_the_floor_and_1_at_the_ceiling(floor: float, span: float) -> None:
    shaping = RewardShaping(floor, floor + span, normalize=True)
    assert shaping.reward(floor, "latex") == 0.0
    assert shaping.reward(floor + span, "latex") == pytest.approx(1.0)
    assert shaping.reward(floor + span / 2, "latex") == pytest.approx(0.5)


@given(pair=st.tuples(SHARES, SHARES), floor=st.floats(0.0, 0.9), normalize=st.booleans())
def test_a_better_value_has_no_lower_reward(pair: tuple[float, float], floor: float, normalize: bool) -> None:
    shaping = RewardShaping(floor, normalize=normalize, transform=lambda value: max(value, 0.0) ** 2)
    low, high = (shaping.reward(one, "latex") for one in sorted(pair))
    assert low <= high


def test_each_task_and_each_instance_may_have_a_floor_and_ceiling_of_its_own() -> None:
    shaping = RewardShaping({"latex": 0.66}, {"webpage": 0.9}, normalize=True)
    assert shaping.reward(0.83, "latex") == pytest.approx(0.5)
    assert shaping.reward(0.9, "webpage") == pytest.approx(1.0)
    assert shaping.reward(0.5, "music") == pytest.approx(0.5)
    assert shaping.reward(0.83, "latex", 0.8, 0.86) == pytest.approx(0.5)


def test_transform_comes_last_and_must_return_a_number() -> None:
    assert RewardShaping(0.5, transform=lambda value: 10 * value).reward(0.75, "latex") == 2.5
    for wrong in (math.nan, math.inf, None, "0.5"):
        shaping = RewardShaping(transform=lambda value, answer=wrong: answer)
        with pytest.raises(UsageError, match="finite number"):
            shaping.reward(0.5, "latex")


@pytest.mark.parametrize(
    ("floor", "ceiling"), [(1.0, 1.0), (0.9, 0.3), (math.nan, 1.0), ({"latex": 1.0}, 1.0), (0.0, {"x": 0.0})]
)
def test_a_floor_that_is_not_below_the_ceiling_is_refused(floor: object, ceiling: object) -> None:
    with pytest.raises(UsageError, match="floor"):
        RewardShaping(floor, ceiling)


def test_a_fault_of_the_bounds_of_an_instance_is_named() -> None:
    shaping = RewardShaping(0.2)
    assert shaping.fault("latex", 0.3) == ""
    assert "must be below the ceiling, which is 0.25" in shaping.fault("latex", 0.3, 0.25)
    assert "finite" in shaping.fault("latex", math.nan)
    assert "finite" in shaping.fault("latex", "0.3")


@given(value=SHARES, least=st.sampled_from([0.0, 0.01, 0.02]))
def test_a_clipped_reward_is_at_least_that_of_its_kind(value: float, least: float) -> None:
    reward = RewardShaping(0.5, normalize=True, clip=True).reward(value, "latex", least=least)
    assert reward == max(2.0 * value - 1.0, least)
