"""``i2s-sdk correlations``."""

from __future__ import annotations

import json

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.printed_rows import print_rows
from i2s_sdk.cli.runs_argument import runs_argument
from i2s_sdk.cli.terminal import say

_NUMBERS = ("Pearson", "Spearman", "95 % interval", "Kendall", "n")


@click.command("correlations", short_help="Show how the metrics go together.")
@runs_argument
@json_option
def command(runs: tuple[str, ...], as_json: bool) -> None:
    """Print the correlation of every metric with every other one, as Table A1 of the paper.

    The usable samples of all runs are taken together; wild subsets are left out. Correlations are Pearson's,
    Spearman's (with its 95 % interval) and Kendall's tau-b.

    \b
    Examples:
      i2s-sdk correlations runs/answers
      i2s-sdk correlations runs/a runs/b --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report import figures
    from i2s_sdk.report.analyses import metric_correlations

    found = metric_correlations(runs)
    if as_json:
        plain = {task: [one.to_json() for one in of_task] for task, of_task in found.items()}
        say(json.dumps(plain, indent=2))
        return
    for task, of_task in found.items():
        rows = []
        for one in of_task:
            ends = one.ranks.spearman_interval
            rows.append(
                (
                    one.first,
                    one.second,
                    figures.signed(one.pearson),
                    figures.signed(one.ranks.spearman),
                    f"{figures.signed(ends[0])} to {figures.signed(ends[1])}" if ends else "",
                    figures.signed(one.ranks.kendall),
                    str(one.ranks.n),
                )
            )
        print_rows(f"{task}, usable samples", ("metric", "metric"), _NUMBERS, rows)
