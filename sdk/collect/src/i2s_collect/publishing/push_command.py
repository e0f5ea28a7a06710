"""``i2s-sdk dataset push``: uploads a published data set."""

from __future__ import annotations

import json
from pathlib import Path

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say


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
def command(folder: Path, name: str, tag: str, public: bool, yes: bool, dry_run: bool, as_json: bool) -> None:
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
