"""Conversions by the pandoc of this machine, for tests and benchmarks of scorers that ask for them."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from i2s_sdk.scoring.scorer import Conversion, ConvertingScorer, Scorable


@cache
def as_html(conversion: Conversion) -> str | None:
    """Return what pandoc makes of a text, or None if it fails."""
    command = ["pandoc", "--sandbox", "-f", conversion.format, "-t", "html"]
    ended = subprocess.run(
        command, input=conversion.text.encode(), capture_output=True, check=False, timeout=60
    )
    return ended.stdout.decode() if ended.returncode == 0 else None


def completed(scorer: ConvertingScorer, sample: Scorable) -> Scorable:
    """Return a sample with everything converted that its scorer asks for."""
    while wanted := scorer.conversions(sample):
        found: Mapping[str, str | None] = {one.key: as_html(one) for one in wanted}
        sample = replace(sample, conversions={**sample.conversions, **found})
    return sample
