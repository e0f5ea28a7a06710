"""``i2s-sdk metrics``."""

from __future__ import annotations

import json
import math

import click

from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.terminal import say
from i2s_sdk.service_table import METRICS


@click.command("metrics", short_help="List the metrics.")
@json_option
@settings_options_for(METRICS)
def command(as_json: bool, **given: str | bool | None) -> int:
    """List what the metric service can compute, and what it cannot and why.

    \b
    Example:
      i2s-sdk metrics --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given)
    from i2s_sdk.single.score import metrics

    found = metrics(settings=settings)
    if as_json:
        document = [
            {
                "name": one.name,
                "profiles": [str(profile) for profile in one.profiles],
                "version": one.version,
                "summary": one.summary,
                "source": one.source,
                "direction": one.direction.name.lower(),
                "lower_bound": _bound(one.lower_bound),
                "upper_bound": _bound(one.upper_bound),
                "symmetric": one.symmetric,
                "parts": list(one.parts),
                "available": one.available,
                "unavailable_reason": one.unavailable_reason,
            }
            for one in found
        ]
        say(json.dumps({"metrics": document}, indent=2))
        return 0
    for one in found:
        state = f"version {one.version}" if one.available else f"unavailable: {one.unavailable_reason}"
        say(f"{one.name:<8} {'/'.join(one.profiles):<12} {state}\n         {one.summary}")
    return 0


def _bound(number: float) -> float | None:
    """Return a bound as JSON can have it: null where there is none."""
    return number if math.isfinite(number) else None
