"""``i2s-sdk agreement``: how far metrics agree with people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.completion import complete_files
from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import print_rows, say_json

if TYPE_CHECKING:
    from i2s_sdk.stats.correlations import Estimate

_NUMBERS = ("Pearson", "95 %", "Spearman", "95 %", "Kendall", "95 %", "pairs alike", "95 %", "n")


@click.command("agreement", short_help="Show which metrics agree with people.")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar="CSV...",
    type=click.Path(path_type=Path),
    shell_complete=complete_files,
)
@click.option("--human", default="human", metavar="COLUMN", help="Scores of people.  [default: human]")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="COLUMN",
    help="Only this metric; may be repeated.  [default: every column of numbers]",
)
@click.option("--system", metavar="COLUMN", help="Names of systems.  [default: system, if there is one]")
@json_option
def agreement_command(
    files: tuple[Path, ...], human: str, metrics: tuple[str, ...], system: str | None, as_json: bool
) -> None:
    """Print how far each metric agrees with scores of people, over all lines and for each system.

    The first line of a CSV file names the columns: "human" has the scores of people; "system", which may be
    missing, what made the image; "id" a name, which is not read; every other column of numbers is a metric.
    An empty cell is a missing value. Of each metric Pearson's, Spearman's and Kendall's (tau-b) correlations
    are printed, and the share of pairs of lines with different scores of people that it orders alike, where a
    tie of the metric is half (0.5 is chance), each with its 95 % interval by the bootstrap over lines. If
    less is better in a metric, correlations are below 0 and the share below 0.5.

    For a run on ScImage, human-scores and report do this with the files that ScImage publishes.

    The exit code is 2 if a file cannot be read, lacks a column, or has a cell that is no number.

    \b
    Examples:
      i2s-sdk agreement ratings.csv
      i2s-sdk agreement ratings.csv --human rating --metric ems --metric ssim
      i2s-sdk agreement ratings.csv --system model --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report import figures
    from i2s_sdk.stats.ratings import agreement

    agreed = agreement(files, human=human, metrics=metrics, system=system)
    if as_json:
        say_json({"human": human, "systems": [system_agreement.to_json() for system_agreement in agreed]})
        return

    def cells(estimate: Estimate, *, signed: bool = True) -> tuple[str, str]:
        shown = figures.signed if signed else figures.value
        ends = estimate.interval
        return shown(estimate.value), f"{shown(ends[0])} to {shown(ends[1])}" if ends else ""

    for group in agreed:
        rows = [
            (
                metric.metric,
                *cells(metric.agreement.pearson),
                *cells(metric.agreement.spearman),
                *cells(metric.agreement.kendall),
                *cells(metric.agreement.accuracy, signed=False),
                str(metric.agreement.n),
            )
            for metric in group.metrics
        ]
        print_rows(group.system or "all lines", ("metric",), _NUMBERS, rows)
