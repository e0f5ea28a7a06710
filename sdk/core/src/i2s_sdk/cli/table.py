"""``i2s-sdk table``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.requirements import check_requirements, parse_requirements, require_options, tell_failed
from i2s_sdk.cli.runs_argument import runs_argument
from i2s_sdk.cli.terminal import say


@click.command("table", short_help="Print runs in the tables of the paper.")
@runs_argument
@click.option(
    "--format",
    "kind",
    type=click.Choice(["terminal", "markdown", "latex"]),
    default="terminal",
    help="Of the output.",
)
@click.option("--published", is_flag=True, help="Put the rows of the paper among them.")
@click.option(
    "--mean",
    type=click.Choice(["all", "rendered"]),
    default="all",
    help="In tables of tasks: over all scored samples (a failed rendering counts 0), or the rendered ones.",
)
@click.option("--by-difficulty", is_flag=True, help="Values of each difficulty in place of the tables.")
@click.option("--intervals", is_flag=True, help="Put 95 % intervals beside the values (in --json always).")
@require_options
@json_option
def command(
    runs: tuple[str, ...],
    kind: str,
    published: bool,
    mean: str,
    by_difficulty: bool,
    intervals: bool,
    requirements: tuple[str, ...],
    junit: Path | None,
    as_json: bool,
) -> int:
    """Print runs beside each other, laid out as Table 2 and Tables A2 to A4 of the paper.

    \b
    Examples:
      i2s-sdk table runs/answers
      i2s-sdk table runs/answers-helm --published
      i2s-sdk table runs/a runs/b --format latex > tables.tex
      i2s-sdk table runs/a runs/b --by-difficulty
      i2s-sdk table runs/both
      i2s-sdk table runs/a --require "ems>=0.8" --require "latex/equation:rendered>=0.9" --junit ci.xml
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report.paper_tables import table
    from i2s_sdk.report.tables import latex, markdown, print_table

    if published and mean == "rendered":
        raise click.UsageError("--published: the paper has no means over rendered samples; use --mean all")
    if by_difficulty and (published or mean == "rendered"):
        raise click.UsageError("--by-difficulty goes with neither --published nor --mean rendered")
    required = parse_requirements(requirements)
    if by_difficulty:
        from i2s_sdk.report.analyses import difficulty_tables

        found = difficulty_tables(runs)
    else:
        found = table(runs, published=published, rendered_only=mean == "rendered")
    checks = []
    if required or junit is not None:
        from i2s_sdk.run.storage.reader import read_run
        from i2s_sdk.stats.aggregate import summarize_run

        summaries = {run: summarize_run(read_run(run)) for run in runs}
        checks = check_requirements(required, summaries, junit)
    if as_json:
        tables = [one.to_json() for one in found]
        document = {"tables": tables, "requirements": [one.to_json() for one in checks]}
        say(json.dumps(document if required else tables, indent=2))
    elif kind == "terminal":
        for one in found:
            print_table(one, sys.stdout, intervals=intervals)
    else:
        write = latex if kind == "latex" else markdown
        say("\n".join(write(one, intervals=intervals) for one in found), nl=False)
    return tell_failed(checks)
