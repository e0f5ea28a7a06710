"""What a report shows of a chart beside its images: the elements that only one of the figures has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from i2s_sdk.tasks.chart.scorer import NAME
from i2s_sdk.tasks.view import Panel, Shown, TextPanel


def view(shown: Shown) -> tuple[Panel, ...]:
    """Return the texts and marks that are missing or added, a line each; nothing if there are none."""
    detail: Mapping[str, Sequence[str]] = shown.detail.get(NAME, {})
    lines = [f"{title}: {one}" for title, names in detail.items() for one in names]
    return (TextPanel("Elements without a match", "\n".join(lines)),) if lines else ()
