"""``i2s-sdk table``."""

from __future__ import annotations

import json
import sys

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say


@click.command("table", short_help="Print runs in the tables of the paper.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
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
@click.option("--intervals", is_flag=True, help="Put 95 % intervals beside the values (in --json always).")
@json_option
def command(
    runs: tuple[str, ...], kind: str, published: bool, mean: str, intervals: bool, as_json: bool
) -> None:
    """Print runs beside each other, laid out as Table 2 and Tables A2 to A4 of the paper.

    \b
    Examples:
      i2s-sdk table runs/answers
      i2s-sdk table runs/answers-helm --published
      i2s-sdk table runs/a runs/b --format latex > tables.tex
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report.paper_tables import table
    from i2s_sdk.report.table_formats import latex, markdown, print_table

    if published and mean == "rendered":
        raise click.UsageError("--published: the paper has no means over rendered samples; use --mean all")
    found = table(runs, published=published, rendered_only=mean == "rendered")
    if as_json:
        say(json.dumps([one.to_json() for one in found], indent=2))
    elif kind == "terminal":
        for one in found:
            print_table(one, sys.stdout, intervals=intervals)
    else:
        write = latex if kind == "latex" else markdown
        say("\n".join(write(one, intervals=intervals) for one in found), nl=False)
