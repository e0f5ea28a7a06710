"""The options of a run as facts."""

from __future__ import annotations

import pytest

from i2s_sdk.models.asked_with import ASKED_WITH, MAX_TOKENS, max_tokens_of


@pytest.mark.parametrize(
    ("about", "limit"),
    [
        ({MAX_TOKENS: "2000"}, 2000),
        ({MAX_TOKENS: "700", ASKED_WITH: "--max-tokens 700"}, 700),
        ({ASKED_WITH: "--base-url 'http://a b' --max-tokens 512 --seed 1"}, 512),  # an earlier version
        ({ASKED_WITH: "--seed 1"}, None),
        ({ASKED_WITH: "--stop --max-tokens"}, None),
        ({MAX_TOKENS: "many"}, None),
        ({}, None),
    ],
)
def test_the_most_tokens_are_those_that_a_run_says(about: dict[str, str], limit: int | None) -> None:
    assert max_tokens_of(about) == limit
