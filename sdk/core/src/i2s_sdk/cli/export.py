"""``i2s-sdk export``, ``merge`` and ``log-run``: stored runs for other programs, shards as one run."""

from __future__ import annotations

import json
import sys

import click

from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.options import json_option, log_runs, parse_destinations, runs_argument
from i2s_sdk.cli.terminal import say, say_json


@click.command("export", short_help="Write the records of a run as a table.")
@click.argument("run", metavar="RUN")
@click.option("-o", "--out", "file", required=True, metavar="FILE", help="Is written whole or not at all.")
@click.option(
    "--format",
    "kind",
    metavar="F",
    help="parquet, csv or jsonl.  [default: by the ending of FILE]",
)
@json_option
def export_command(run: str, file: str, kind: str | None, as_json: bool) -> None:
    """Write the records of a run as a table: one row a sample, in the order of the data set.

    Every format has the same columns. Parquet needs the package pyarrow, which the extra `parquet` has.

    \b
    Examples:
      i2s-sdk export runs/answers -o answers.parquet
      i2s-sdk export runs/answers --format csv -o answers.txt
    """  # noqa: D301 - \b is for click
    from i2s_sdk.run.export import export

    number = export(run, file, kind)
    if as_json:
        say(json.dumps({"file": file, "rows": number}))
    else:
        say(f"{file}: {number} rows")


_LISTED = 20


@click.command("merge", short_help="Put the shards of a run together.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--out", required=True, metavar="FOLDER", help="Folder of the whole run, new or empty.")
@click.option("--fail-on-error", metavar="N|SHARE", help="As of evaluate.  [I2S_FAIL_ON_ERROR; 1%]")
@json_option
def merge_command(runs: tuple[str, ...], out: str, fail_on_error: str | None, as_json: bool) -> int:
    """Put the folders of shards together into one run, with the numbers of the run in one piece.

    Shards of other options, and an instance that two hold, are refused. Instances that no shard holds are
    named; the run is written all the same, and `i2s-sdk evaluate --out FOLDER` without --shard goes on
    with it. The exit code is 3 if too many samples have no score.

    \b
    Examples:
      i2s-sdk evaluate --model oracle --shard 1/2 --out runs/part-1
      i2s-sdk evaluate --model oracle --shard 2/2 --out runs/part-2
      i2s-sdk merge runs/part-1 runs/part-2 --out runs/whole
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report import print_summary
    from i2s_sdk.run.merge import merge
    from i2s_sdk.run.storage.interface import shown
    from i2s_sdk.settings import Settings

    settings = Settings.load({"fail_on_error": fail_on_error})
    result = merge(runs, out, settings)
    covered = result.summary.failures <= settings.failures_allowed(result.summary.planned)
    if as_json:
        document = {
            "run": str(result.folder),
            "report": str(result.report),
            "covered": covered,
            "missing": list(result.missing),
            **result.summary.to_json(),
            "unavailable": dict(result.unavailable),
        }
        say_json(document)
    else:
        print_summary(result.summary, result.unavailable, sys.stdout)
        say(f"Report: {shown(result.report)}")
    if result.missing:
        more = len(result.missing) - _LISTED
        named = "\n".join(f"  {one}" for one in result.missing[:_LISTED])
        tail = f"\n  and {more} more" if more > 0 else ""
        say(f"{len(result.missing)} instances are in no shard:\n{named}{tail}", err=True)
    return 0 if covered else BELOW_COVERAGE


@click.command("log-run", short_help="Send runs to Weights & Biases, MLflow or the Hub.")
@runs_argument
@click.option(
    "--to",
    "destinations",
    multiple=True,
    required=True,
    metavar="WHERE",
    help="wandb:[ENTITY/]PROJECT, mlflow:TRACKING_URI or hub:OWNER/NAME; may be repeated.",
)
@click.option(
    "--samples",
    is_flag=True,
    help="Send a table of the samples too, with answers and images (wandb, mlflow).",
)
def log_run_command(runs: tuple[str, ...], destinations: tuple[str, ...], samples: bool) -> int:
    """Send options and values of finished runs, and with --samples a table of their samples.

    The clients of the services do it, with their own variables, such as WANDB_API_KEY, WANDB_MODE=offline,
    MLFLOW_TRACKING_TOKEN and HF_TOKEN. A new data set of the Hub is private. i2s-sdk evaluate --log-to does
    the same when its run is finished.

    \b
    Examples:
      i2s-sdk log-run runs/answers --to wandb:my-project
      i2s-sdk log-run runs/answers --to mlflow:http://127.0.0.1:5000 --to hub:me/results
      i2s-sdk log-run runs/answers --to wandb:my-project --samples
    """  # noqa: D301 - \b is for click
    return log_runs(runs, parse_destinations(destinations), samples=samples)
