"""``i2s-sdk metrics``."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from i2s_client.service_table import METRICS
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.terminal import say

if TYPE_CHECKING:
    from i2s_wire.metrics.profile import Profile


@click.command("metrics", short_help="List the metrics.")
@json_option
@settings_options_for(METRICS)
def command(as_json: bool, **given: str | bool | None) -> int:
    """List what the metric service can compute, what it cannot and why, and the metrics of each task.

    \b
    Example:
      i2s-sdk metrics --json
      i2s-sdk metrics --set profile=helm
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
        say(json.dumps({"metrics": document, "tasks": _tasks(settings.profile)}, indent=2))
        return 0
    for one in found:
        state = f"version {one.version}" if one.available else f"unavailable: {one.unavailable_reason}"
        say(f"{one.name:<8} {'/'.join(one.profiles):<12} {state}\n         {one.summary}")
    say(f"\nMetrics of each task, profile {settings.profile}, the main one with a star:")
    for task, has in _tasks(settings.profile).items():
        names = (f"{name}*" if name == has["main"] else name for name in (*has["metrics"], *has["averages"]))
        say(f"  {task}: {', '.join(names)}")
    return 0


def _tasks(profile: Profile) -> dict[str, dict[str, Any]]:
    """Return the metrics of each task, with the scorer that computes them, and its averages."""
    from i2s_sdk.tasks.metrics import image_metric, image_metrics, scorers_of
    from i2s_sdk.tasks.registry import SPECS, open_task

    found: dict[str, dict[str, Any]] = {}
    for name, spec in SPECS.usable().items():
        task = open_task(name, profile)
        images = map(image_metric, image_metrics(task))
        metrics = {one.name: {"by": METRICS, "aggregate": str(one.aggregate)} for one in images}
        for one in scorers_of(task):
            by = f"{one.name} {one.version}"
            metrics |= {own.name: {"by": by, "aggregate": str(own.aggregate)} for own in one.metrics}
        averages = {one.name: list(one.of) for one in spec.averages if not metrics.keys().isdisjoint(one.of)}
        found[name] = {"main": spec.main_metric, "metrics": metrics, "averages": averages}
    return found


def _bound(number: float) -> float | None:
    """Return a bound as JSON can have it: null if there is none."""
    return number if math.isfinite(number) else None
