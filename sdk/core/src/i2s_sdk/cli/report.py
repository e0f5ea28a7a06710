"""``i2s-sdk report``."""

from __future__ import annotations

import json

import click

from i2s_sdk.cli.completion import complete_files
from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.runs_argument import all_runs
from i2s_sdk.cli.terminal import say


@click.command("report", short_help="Write the report of one run or several.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", shell_complete=complete_files)
@click.option("--out", metavar="PATH", help="Folder, or file.  [default: the folder of the only run]")
@click.option("--single-file", is_flag=True, help="One file with the pictures in it, shrunk.")
@click.option("--serve", is_flag=True, help="Serve it to a browser on this machine, with live progress.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="With --serve.  [default: a free one]",
)
@json_option
def command(
    runs: tuple[str, ...], out: str | None, single_file: bool, serve: bool, port: int, as_json: bool
) -> None:
    """Write a page of tables, charts and all samples, which works offline.

    A folder of runs, as an evaluation of several models leaves it, stands for all of them; their report is
    written into it.

    With several runs it has a leaderboard, and compares every two of them sample by sample (of more than
    four, the first with each other one).

    \b
    Examples:
      i2s-sdk report runs/answers
      i2s-sdk report runs/answers --single-file --out answers.html
      i2s-sdk report runs/before runs/after --out runs/before-and-after
      i2s-sdk report runs/both
      i2s-sdk report runs/answers --serve
    """  # noqa: D301 - \b is for click
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
        say(json.dumps(written.to_json(), indent=2))
        return
    for notice in written.notices:
        say(f"note: {notice}", err=True)
    say(f"Report: {shown(written.path)}")


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
