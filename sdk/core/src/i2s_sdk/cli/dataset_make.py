"""``i2s-sdk dataset make``: items of a benchmark made anew from sites."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from i2s_client.service_table import RENDER_HTML
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.terminal import say
from i2s_sdk.visible import visible_line


@click.group("make", short_help="Make new items of a benchmark.")
def command() -> None:
    """Make a data set of new items, whose gold answers are known by construction.

    \b
    Examples:
      i2s-sdk dataset make visualwebbench shop.tar.gz --out items
    """  # noqa: D301 - \b is for click


@command.command("visualwebbench", short_help="From web sites, drawn by the page renderer.")
@click.argument("sites", nargs=-1, required=True, metavar="SITE…")
@click.option(
    "--out", required=True, metavar="DIR", help="Folder of the data set; must not exist, or be empty."
)
@click.option(
    "--seed", type=int, default=0, metavar="N", help="Decides which elements are taken.  [default: 0]"
)
@click.option(
    "--per-page",
    type=click.IntRange(1),
    default=2,
    metavar="N",
    help="The most items of a page and a task.  [default: 2]",
)
@click.option(
    "--pages",
    "most_pages",
    type=click.IntRange(1),
    default=50,
    metavar="N",
    help="The most pages of a site.  [default: 50]",
)
@click.option("--licence", default="", metavar="L", help="Of the sites, such as CC0-1.0.")
@json_option
@settings_options_for(RENDER_HTML)
def visualwebbench(
    sites: tuple[str, ...],
    out: str,
    seed: int,
    per_page: int,
    most_pages: int,
    licence: str,
    as_json: bool,
    **given: str | bool | None,
) -> None:
    """Draw the pages of each SITE at 1280 x 1024 pixels and make items of VisualWebBench of them.

    SITE is a folder, an archive (.zip, .tar.gz) or an HTML document. What would be ambiguous is refused:
    elements that are hidden, covered or cut off, and texts that stand on the page twice. The reasons are
    counted. The same sites, renderer and seed give the same data set.

    \b
    Examples:
      i2s-sdk dataset make visualwebbench shop.tar.gz museum/ --out items --seed 7
      i2s-sdk evaluate --data items --model baseline/ocr
    """  # noqa: D301
    from i2s_sdk.single.web_items import make_visualwebbench

    made = make_visualwebbench(
        sites,
        out,
        seed=seed,
        per_page=per_page,
        most_pages=most_pages,
        licence=licence,
        settings=load_settings(given),
    )
    if as_json:
        say(json.dumps(asdict(made), indent=2))
        return
    for task, count in made.items.items():
        say(f"{task}: {count}")
    for reason, count in sorted(made.refused.items()):
        say(visible_line(f"refused, {reason}: {count}"), err=True)
    say(f"{out}: {sum(made.items.values())} instances of {made.pages} pages")
