"""``i2s-sdk dataset publish`` and ``i2s-sdk dataset push``: the published form of a collected data set."""

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
def publish_command(
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


@click.command("push", short_help="Upload a published data set to the Hub of Hugging Face.")
@click.argument("folder", metavar="PUB", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", required=True, metavar="OWNER/NAME", help="Name of the data set on the Hub.")
@click.option("--tag", default="", metavar="TAG", help="Tag of the revision, such as 2026-10; must be new.")
@click.option(
    "--public", is_flag=True, help="Make a new repository visible to everybody; else it is private."
)
@click.option("--yes", is_flag=True, help="Upload. Without this option nothing is sent.")
@click.option("--dry-run", is_flag=True, help="Say what would be sent; the default.")
@json_option
def push_command(
    folder: Path, name: str, tag: str, public: bool, yes: bool, dry_run: bool, as_json: bool
) -> None:
    """Upload PUB, which `dataset publish` has written, to the Hub of Hugging Face.

    Without --yes the files are listed and nothing is sent. The token is read by the package huggingface_hub
    (HF_TOKEN, or `hf auth login`); HF_ENDPOINT names another Hub.

    \b
    Examples:
      i2s-sdk dataset push published --name me/pages --tag 2026-10
      i2s-sdk dataset push published --name me/pages --tag 2026-10 --yes
    """  # noqa: D301
    from i2s_collect.publishing.push import plan_upload, upload

    if yes and dry_run:
        raise click.UsageError("--yes and --dry-run exclude each other")
    planned = plan_upload(folder, name, tag, public=public)
    url = upload(folder, planned) if yes else ""
    if as_json:
        say(json.dumps({**planned.as_json(), "url": url}, indent=2))
        return
    for path, size in planned.files.items():
        say(f"{size:12d}  {path}")
    where = f"{name}, {'public' if public else 'private'} if new" + (f", tag {tag}" if tag else "")
    if yes:
        say(f"uploaded to {where}: {url}")
    else:
        say(f"{len(planned.files)} files would be uploaded to {where}; nothing was sent. --yes uploads them.")
