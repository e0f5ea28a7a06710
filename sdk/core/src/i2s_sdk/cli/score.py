"""``i2s-sdk score`` and ``metrics``: values of single answers, and the metrics that there are."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from i2s_client.service_table import DOCUMENTS, METRICS
from i2s_sdk.cli.main import FAULT, USAGE
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options_for
from i2s_sdk.cli.terminal import say, say_json
from i2s_sdk.visible import visible_line

if TYPE_CHECKING:
    from i2s_sdk.settings import Settings
    from i2s_sdk.single.lines import LineFault, LineScore
    from i2s_sdk.single.score import FolderScore, PairScore
    from i2s_wire.metrics.profile import Profile
    from i2s_wire.metrics.score import Score


@click.command("score", short_help="Compare images, or folders of them; score completions.")
@click.argument("reference", required=False)
@click.argument("prediction", required=False)
@click.option(
    "--task",
    metavar="T",
    help="Task whose rules apply: sizes of images; with --lines, reading and metrics.  [default: latex]",
)
@click.option(
    "--lines", is_flag=True, help="Score completions of standard input, for a task that needs no rendering."
)
@profile_option
@click.option("--metrics", metavar="NAME,…", help="Only these metrics.  [default: all that are available]")
@click.option(
    "--missing",
    type=click.Choice(["error", "skip", "zero"]),
    default="error",
    help="In folders, a reference without prediction: listed with exit code 1 (error), left out, or 0.",
)
@json_option
@settings_options_for(METRICS, DOCUMENTS)
def score_command(
    reference: str | None,
    prediction: str | None,
    task: str | None,
    lines: bool,
    profile: str | None,
    metrics: str | None,
    missing: str,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Compare the image PREDICTION with the image REFERENCE, or the images of two folders.

    Files of folders (PNG, JPEG, WebP) are matched by their name relative to the folder. An image and a
    folder: all images of the folder are predictions of that one.
    Images of different size are padded with white (latex, music) or the prediction is resized (webpage).
    The exit code is 1 if a metric has no value or a prediction is missing (see --missing).

    With --lines each line of standard input is a JSON object: id, completion, and inputs and target as in a
    data set. Each line of standard output is one too: id, usable, reason, structure, metrics, undefined,
    parts, outcome, repairs. A line that cannot be scored (a fault of the data) is answered with id, line and
    fault, and the exit code is 2.

    \b
    Examples:
      i2s-sdk score reference.png rendering.png
      i2s-sdk score page.png shot.png --task webpage --profile helm --metrics ems,ssim --json
      i2s-sdk score references/ renderings/ --missing zero
      i2s-sdk score --task T --lines < completions.jsonl > values.jsonl
    """  # noqa: D301 - \b is for click
    from i2s_sdk.tasks.registry import DEFAULT_TASK

    task = task or DEFAULT_TASK
    settings = load_settings(given, profile=profile)
    if lines:
        if reference is not None or metrics or missing != "error":
            raise click.UsageError("--lines takes completions from standard input, without other arguments")
        return _score_lines(task, settings)
    if reference is None or prediction is None:
        raise click.UsageError("REFERENCE and PREDICTION are needed, or --lines")
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.single.score import score
    from i2s_wire.metrics.score import Score

    names = [name.strip() for name in (metrics or "").split(",") if name.strip()]
    with ProgressLine(sys.stderr, ["pairs"]) as progress:
        result = score(
            reference,
            prediction,
            task=task,
            metrics=names,
            missing=missing,
            settings=settings,
            on_progress=lambda done, total: progress.show(
                {"pairs": done}, total, str(done) if done else None
            ),
        )
    if isinstance(result, Score):
        return _tell_pair(result, as_json)
    return _tell_folder(result, as_json)


def _score_lines(task: str, settings: Settings) -> int:
    from i2s_sdk.single.lines import score_lines

    faults: list[LineFault] = []

    def show(line: LineScore | LineFault) -> None:
        say(json.dumps(asdict(line)))

    def note(fault: LineFault) -> None:
        faults.append(fault)
        show(fault)

    count = score_lines(sys.stdin.buffer, task, settings=settings, on_score=show, on_fault=note)
    if not faults:
        return 0
    first = f"standard input:{faults[0].line}: {faults[0].fault}"
    summary = f"{len(faults)} of {count + len(faults)} lines cannot be scored; the first: {first}"
    say(visible_line(summary), err=True)
    return USAGE


def _tell_pair(result: Score, as_json: bool) -> int:
    if as_json:
        document = {
            **_values(result),
            "parts": {one.name: dict(one.parts) for one in result.results if one.parts},
            "versions": {one.name: one.version for one in result.results},
            "profile": str(result.profile),
            "width": result.width,
            "height": result.height,
        }
        say_json(document)
    else:
        for metric_result in result.results:
            shown = (
                f"{metric_result.value:.6f}"
                if metric_result.failure is None
                else f"no value: {metric_result.failure.message}"
            )
            say(f"{metric_result.name:<8} {shown}")
    return FAULT if result.failures else 0


def _values(result: Score) -> dict[str, Any]:
    failures = {
        name: {"kind": failure.kind.name, "message": failure.message}
        for name, failure in result.failures.items()
    }
    return {"metrics": result.values, "failures": failures}


def _tell_folder(result: FolderScore, as_json: bool) -> int:
    if as_json:
        document = {
            "metrics": result.values,
            "n": {name: mean.n for name, mean in result.means.items()},
            "pairs": [_pair(pair) for pair in result.pairs],
            "missing": list(result.missing),
            "unmatched": list(result.unmatched),
            "unavailable": dict(result.unavailable),
            "profile": str(result.profile),
            "complete": result.complete,
        }
        say_json(document)
    else:
        _say_folder(result)
    return 0 if result.complete else FAULT


def _pair(pair: PairScore) -> dict[str, Any]:
    if pair.score is None:
        return {"name": pair.name, "metrics": {}, "failures": {}, "error": pair.error and pair.error.message}
    return {"name": pair.name, **_values(pair.score), "error": None}


def _say_folder(result: FolderScore) -> None:
    for pair in result.pairs:
        if pair.score is None:
            say(f"{pair.name}: {pair.error.message if pair.error else 'no prediction: 0 in every metric'}")
            continue
        shown = [f"{name} {value:.4f}" for name, value in pair.score.values.items()]
        shown += [f"{name} has no value: {failure.message}" for name, failure in pair.score.failures.items()]
        say(f"{pair.name}: {', '.join(shown)}")
    for name, mean in result.means.items():
        value = "–" if mean.value is None else f"{mean.value:.6f}"
        say(f"mean {name:<8} {value}  (n={mean.n} of {len(result.pairs)})")
    for name, reason in result.unavailable.items():
        say(f"not computed: {name}: {reason}", err=True)
    for name in result.unmatched:
        say(f"no reference: {name} was not compared", err=True)
    for name in result.missing:
        say(f"no prediction: {name}", err=True)


@click.command("metrics", short_help="List the metrics.")
@json_option
@settings_options_for(METRICS)
def metrics_command(as_json: bool, **given: str | bool | None) -> int:
    """List what the metric service can compute, what it cannot and why, and the metrics of each task.

    \b
    Example:
      i2s-sdk metrics --json
      i2s-sdk metrics --set profile=helm
    """  # noqa: D301 - \b is for click
    settings = load_settings(given)
    from i2s_sdk.single.score import metrics

    described = metrics(settings=settings)
    if as_json:
        document = [
            {
                "name": metric_description.name,
                "profiles": [str(profile) for profile in metric_description.profiles],
                "version": metric_description.version,
                "summary": metric_description.summary,
                "source": metric_description.source,
                "direction": metric_description.direction.name.lower(),
                "lower_bound": _bound(metric_description.lower_bound),
                "upper_bound": _bound(metric_description.upper_bound),
                "symmetric": metric_description.symmetric,
                "parts": list(metric_description.parts),
                "available": metric_description.available,
                "unavailable_reason": metric_description.unavailable_reason,
            }
            for metric_description in described
        ]
        say_json({"metrics": document, "tasks": _tasks(settings.profile)})
        return 0
    for metric in described:
        state = (
            f"version {metric.version}" if metric.available else f"unavailable: {metric.unavailable_reason}"
        )
        say(f"{metric.name:<8} {'/'.join(metric.profiles):<12} {state}\n         {metric.summary}")
    say(f"\nMetrics of each task, profile {settings.profile}, the main one with a star:")
    for task, has in _tasks(settings.profile).items():
        names = (f"{name}*" if name == has["main"] else name for name in (*has["metrics"], *has["averages"]))
        say(f"  {task}: {', '.join(names)}")
    return 0


def _tasks(profile: Profile) -> dict[str, dict[str, Any]]:
    """Return the metrics of each task, with the scorer that computes them, and its averages."""
    from i2s_sdk.tasks.metrics import image_metric, image_metrics, scorers_of
    from i2s_sdk.tasks.registry import SPECS, open_task

    by_task: dict[str, dict[str, Any]] = {}
    for name, spec in SPECS.usable().items():
        task = open_task(name, profile)
        images = [image_metric(one, profile) for one in image_metrics(task)]
        metrics = {image.name: {"by": METRICS, "aggregate": str(image.aggregate)} for image in images}
        for scorer in scorers_of(task):
            by = f"{scorer.name} {scorer.version}"
            metrics |= {own.name: {"by": by, "aggregate": str(own.aggregate)} for own in scorer.metrics}
        averages = {
            average.name: list(average.of)
            for average in spec.averages
            if not metrics.keys().isdisjoint(average.of)
        }
        by_task[name] = {"main": spec.main_metric, "metrics": metrics, "averages": averages}
    return by_task


def _bound(number: float) -> float | None:
    """Return a bound as JSON can have it: null if there is none."""
    return number if math.isfinite(number) else None
