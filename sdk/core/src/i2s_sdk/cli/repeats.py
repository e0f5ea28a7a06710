"""``i2s-sdk repeats``."""

from __future__ import annotations

import json

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.printed_rows import print_rows
from i2s_sdk.cli.runs_argument import runs_argument
from i2s_sdk.cli.terminal import say


@click.command("repeats", short_help="Show how repeated runs of a model vary.")
@runs_argument
@click.option("--threshold", type=float, metavar="X", help="Least value of the main metric that passes.")
@json_option
def command(runs: tuple[str, ...], threshold: float | None, as_json: bool) -> None:
    """Print the variance within and between instances, and pass@k, of several runs of one model.

    "within" is the standard deviation of the values of one instance between runs, "between" that of
    instances. pass@k is the share of instances of which at least one of k answers is usable, or, with
    --threshold, reaches a value of the main metric.

    \b
    Examples:
      i2s-sdk evaluate --model openai/my-model --temperature 0.7 --repeats 4 --out runs/four
      i2s-sdk repeats runs/four/openai-* --threshold 0.9
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report.analyses import repeated_runs

    found = repeated_runs(runs, threshold=threshold)
    if as_json:
        say(json.dumps([one.to_json() for one in found], indent=2))
        return
    from i2s_sdk.report import figures
    from i2s_sdk.report.view import metric_word

    rows = [
        (
            one.task,
            metric_word(one.task, one.metric),
            figures.value(one.mean.value),
            figures.interval(one.mean),
            figures.value(one.within**0.5),
            figures.value(None if one.between is None else one.between**0.5),
            str(one.mean.n),
            *(
                figures.value(one.pass_at[k].value) if k in one.pass_at else ""
                for k in range(1, one.runs + 1)
            ),
        )
        for one in found
    ]
    numbers = [
        "mean",
        "95 % interval",
        "within",
        "between",
        "n",
        *(f"pass@{k + 1}" for k in range(len(runs))),
    ]
    print_rows("", ("task", "metric"), numbers, rows)
