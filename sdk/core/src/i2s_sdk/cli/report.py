"""``i2s-sdk report`` and ``table``: the page and the tables of stored runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from i2s_sdk.cli.completion import complete_files
from i2s_sdk.cli.options import (
    all_runs,
    check_requirements,
    json_option,
    parse_requirements,
    require_options,
    runs_argument,
    tell_failed,
)
from i2s_sdk.cli.terminal import say, say_json


@click.command("report", short_help="Write the report of one run or several.")
@click.argument("runs", nargs=-1, metavar="RUN...", shell_complete=complete_files)
@click.option("--out", metavar="PATH", help="Folder, or file.  [default: the folder of the only run]")
@click.option(
    "--all",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="An index of all runs below a folder, with links to their reports, in place of a report.",
)
@click.option("--single-file", is_flag=True, help="One file with the images in it, shrunk.")
@click.option("--serve", is_flag=True, help="Serve it to a browser on this machine, with live progress.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="With --serve.  [default: a free one]",
)
@json_option
def report_command(
    runs: tuple[str, ...],
    out: str | None,
    folder: Path | None,
    single_file: bool,
    serve: bool,
    port: int,
    as_json: bool,
) -> None:
    """Write a page of tables, charts and all samples, which works offline.

    A folder of runs, as an evaluation of several models leaves it, stands for all of them; their report is
    written into it.

    An index of many runs shows data, model, date and the main value of each task, sorted as the reader
    wants: the page of a folder that a server shows.

    With several runs it has a leaderboard, and compares every two of them sample by sample (of more than
    four, the first with each other one).

    \b
    Examples:
      i2s-sdk report runs/answers
      i2s-sdk report runs/answers --single-file --out answers.html
      i2s-sdk report runs/before runs/after --out runs/before-and-after
      i2s-sdk report runs/both
      i2s-sdk report runs/answers --serve
      i2s-sdk report --all runs
    """  # noqa: D301 - \b is for click
    if folder is not None:
        if runs or serve or single_file:
            raise click.UsageError("--all goes with --out and --json alone")
        _index(folder, out, as_json=as_json)
        return
    if not runs:
        raise click.UsageError("Missing argument 'RUN...', or --all with a folder of runs")
    if serve and (out or single_file or as_json):
        raise click.UsageError("--serve goes with none of --out, --single-file and --json")
    named, runs = runs, all_runs(runs)
    if serve:
        _serve(runs, port)
        return
    if out is None and not single_file and len(named) == 1 < len(runs):
        out = named[0]
    from i2s_sdk.report import write_report
    from i2s_sdk.run.storage.interface import shown

    written = write_report(runs, out, single_file=single_file)
    if as_json:
        say_json(written.to_json())
        return
    for notice in written.notices:
        say(f"note: {notice}", err=True)
    say(f"Report: {shown(written.path)}")


def _index(folder: Path, out: str | None, *, as_json: bool) -> None:
    from i2s_sdk.report.runs_index import write_index

    index = write_index(folder, Path(out) if out is not None else None)
    if as_json:
        say_json(index.to_json())
        return
    for notice in index.notices:
        say(f"note: {notice}", err=True)
    say(f"Index of {len(index.runs)} runs: {index.path}")


def _serve(runs: tuple[str, ...], port: int) -> None:
    from i2s_sdk.report.serving import serve_report

    def show(address: str) -> None:
        say(f"{address} (Ctrl-C ends it)", err=True)

    try:
        serve_report(runs, port=port, on_ready=show)
    except KeyboardInterrupt:
        say("stopped", err=True)
    except OSError as error:
        raise click.ClickException(f"port {port}: {error.strerror}") from None


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
def table_command(
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

        paper_tables = difficulty_tables(runs)
    else:
        paper_tables = table(runs, published=published, rendered_only=mean == "rendered")
    checks = []
    if required or junit is not None:
        from i2s_sdk.run.storage.folder import read_run
        from i2s_sdk.stats.aggregate import summarize_run

        summaries = {run: summarize_run(read_run(run)) for run in runs}
        checks = check_requirements(required, summaries, junit)
    if as_json:
        tables = [one.to_json() for one in paper_tables]
        document = {"tables": tables, "requirements": [check.to_json() for check in checks]}
        say_json(document if required else tables)
    elif kind == "terminal":
        for paper_table in paper_tables:
            print_table(paper_table, sys.stdout, intervals=intervals)
    else:
        write = latex if kind == "latex" else markdown
        say("\n".join(write(one, intervals=intervals) for one in paper_tables), nl=False)
    return tell_failed(checks)
