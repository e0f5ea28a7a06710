"""``i2s-sdk merge``."""

from __future__ import annotations

import json
import sys

import click

from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say

_LISTED = 20


@click.command("merge", short_help="Put the shards of a run together.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--out", required=True, metavar="FOLDER", help="Folder of the whole run, new or empty.")
@click.option("--fail-on-error", metavar="N|SHARE", help="As of evaluate.  [I2S_FAIL_ON_ERROR; 1%]")
@json_option
def command(runs: tuple[str, ...], out: str, fail_on_error: str | None, as_json: bool) -> int:
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
        say(json.dumps(document, indent=2))
    else:
        print_summary(result.summary, result.unavailable, sys.stdout)
        say(f"Report: {shown(result.report)}")
    if result.missing:
        more = len(result.missing) - _LISTED
        named = "\n".join(f"  {one}" for one in result.missing[:_LISTED])
        tail = f"\n  and {more} more" if more > 0 else ""
        say(f"{len(result.missing)} instances are in no shard:\n{named}{tail}", err=True)
    return 0 if covered else BELOW_COVERAGE
