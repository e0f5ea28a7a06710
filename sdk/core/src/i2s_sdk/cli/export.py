"""``i2s-sdk export``."""

from __future__ import annotations

import json

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say


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
def command(run: str, file: str, kind: str | None, as_json: bool) -> None:
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
