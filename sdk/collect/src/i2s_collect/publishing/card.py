"""The data card of a published data set: README.md with its front matter."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, StrictUndefined

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(
    name: str,
    source: str,
    window: tuple[str, str],
    counts: Mapping[str, Mapping[str, int]],
    summary: Mapping[str, Any],
    thresholds: Mapping[str, Any],
    canary: str,
    published: str,
) -> str:
    """Return the card.

    Args:
        name: Name of the data set.
        source: Name of the source.
        window: First and last day of first publication of the instances.
        counts: Counts of each subset: "published", "recipes" and "held back".
        summary: Summary of the collection: what was dropped and why.
        thresholds: Thresholds of difficulties, by subset.
        canary: A text that stands nowhere else, for finding the data set in training data.
        published: Day of publication.
    """
    # It is Markdown, so nothing is escaped; names come from the options and closed lists of this program.
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)  # noqa: S701
    template = environment.from_string(files(__package__).joinpath("card.md").read_text(encoding="utf-8"))
    total = sum(one["published"] for one in counts.values())
    return template.render(
        name=name,
        source=source,
        window=window,
        counts=counts,
        dropped=sorted(summary.get("dropped", {}).items()),
        thresholds=json.dumps(thresholds, indent=2, sort_keys=True),
        canary=canary,
        published=published,
        size=next((text for most, text in _SIZES if total < most), "100K<n<1M"),
    )
