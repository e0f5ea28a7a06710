"""``i2s-sdk dataset publish``: a collected data set in the form in which it is published."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say


@click.command("publish", short_help="Write a collected data set as it is published.")
@click.argument("folder", metavar="DIR", type=Path)
@click.option("--out", required=True, metavar="PUB", type=Path, help="Folder; must not exist, or be empty.")
@click.option("--name", required=True, metavar="OWNER/NAME", help="Of the published data set.")
@click.option(
    "--day", type=click.DateTime(["%Y-%m-%d"]), metavar="DATE", help="Of publication.  [default: today, UTC]"
)
@click.option("--withdrawn", type=Path, metavar="FILE", help="Lines of ids that must not be published.")
@json_option
def command(
    folder: Path, out: Path, name: str, day: datetime | None, withdrawn: Path | None, as_json: bool
) -> None:
    """Write the data set DIR, which collect has made, to PUB: Parquet files, a data card, croissant.json.

    Nothing is sent anywhere. Instances whose licence does not permit it are in recipes.jsonl, without their
    files. About a tenth of the instances is held back; only their SHA-256 is written.

    \b
    Examples:
      i2s-sdk dataset publish pages-2026-10 --out published --name me/pages-2026-10
    """  # noqa: D301
    from i2s_collect.harm.withdrawn import read_withdrawn
    from i2s_collect.publishing.publish import publish

    done = publish(
        folder,
        out,
        name,
        day=(day or datetime.now(UTC)).date(),
        withdrawn=read_withdrawn(withdrawn) if withdrawn else frozenset(),
    )
    if as_json:
        say(json.dumps({"counts": done.counts, "canary": done.canary, "files": done.files}, indent=2))
        return
    for subset, one in done.counts.items():
        shown = ", ".join(f"{count} {what}" for what, count in one.items())
        say(f"{subset}: {shown}")
    say(f"{out}: {len(done.files)} files; look at README.md before you give them to anybody")
