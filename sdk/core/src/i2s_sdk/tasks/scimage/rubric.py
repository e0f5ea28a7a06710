"""The rubric for judge models: the criteria by which people judge ScImage, in words of our own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from i2s_sdk.tasks.rubric import Rubric
from i2s_sdk.tasks.scimage.scorer import NAME

#: Criteria of the people who judged in the benchmark: 1 to 5 in halves, and 0 without a figure.
CRITERIA = ("correctness", "relevance", "scientific")


def _prompt(detail: Mapping[str, Any]) -> str:
    of_scorer = detail.get(NAME)
    return str(of_scorer.get("prompt", "")) if isinstance(of_scorer, Mapping) else ""


RUBRIC = Rubric(
    text=files(__package__).joinpath("rubric.txt").read_text("utf-8"),
    criteria=CRITERIA,
    lowest=1.0,
    highest=5.0,
    step=0.5,
    prompt=_prompt,
)
