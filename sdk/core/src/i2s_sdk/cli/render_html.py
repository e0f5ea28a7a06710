"""``i2s-sdk render html``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from i2s_client.service_table import RENDER_HTML
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options_for
from i2s_sdk.cli.rendered import out_option, print_result, read_bytes, require_out, write_file

if TYPE_CHECKING:
    from i2s_sdk.settings import Settings
    from i2s_sdk.single.render import RenderedSource

_VIEWPORT = re.compile(r"(\d{1,5})x(\d{1,5})")


@click.command("html", short_help="A web site, static or for Jekyll.")
@click.argument("site")
@out_option
@click.option("--viewport", default="1920x1080", metavar="WxH", help="In CSS pixels.  [default: 1920x1080]")
@click.option(
    "--scale", type=float, default=1.0, metavar="N", help="Device pixels per CSS pixel.  [default: 1]"
)
@click.option("--full-page", is_flag=True, help="Take the whole page instead of the viewport.")
@click.option("--entry", default="", metavar="PATH", help="Page to show.  [default: the index page]")
@click.option("--text", metavar="FILE", help="Write the text of the page there.")
@click.option(
    "--elements", metavar="CSS", help='With --json: elements that match; "interactive" for those to click.'
)
@click.option(
    "--build",
    type=click.Choice(["auto", "jekyll", "static"]),
    default="auto",
    help="Whether Jekyll runs; auto: where it would change something.",
)
@profile_option
@json_option
@settings_options_for(RENDER_HTML)
def command(
    site: str,
    out: str | None,
    viewport: str,
    scale: float,
    full_page: bool,
    entry: str,
    text: str | None,
    elements: str | None,
    build: str,
    profile: str | None,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Render SITE with Chromium in its jail, without a network.

    SITE is a folder, an archive (.zip, .tar.gz), an HTML document, or the answer of a model as the prompt
    asks for it ("-" reads one from standard input).
    Without a picture the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render html site/ -o page.png
      i2s-sdk render html page.html -o page.png --viewport 390x844 --scale 2 --full-page
      i2s-sdk render html answer.json -o page.png --text page.txt --elements interactive --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    require_out(out, as_json)
    size = _VIEWPORT.fullmatch(viewport)
    if size is None:
        raise click.UsageError(f"--viewport {viewport}: must be WIDTHxHEIGHT, such as 1280x720")
    result = _render(site, (int(size[1]), int(size[2])), scale, full_page, entry, elements, build, settings)
    if text is not None and result.rendering.site is not None:
        write_file("--text", text, result.rendering.site.text.encode("utf-8", "replace"))
    return print_result(result, out, as_json)


def _render(
    site: str,
    size: tuple[int, int],
    scale: float,
    full_page: bool,
    entry: str,
    elements: str | None,
    build: str,
    settings: Settings,
) -> RenderedSource:
    from pathlib import Path

    from i2s_sdk.single.render import Given, render_html, site_of_answer
    from i2s_sdk.tasks.webpage import WebpageTask
    from i2s_wire.render.options import ElementQuery, SiteBuild, SiteOptions, WindowOptions

    query = ElementQuery("" if elements == "interactive" else elements) if elements else None
    given: Given = site
    if site == "-":
        given = site_of_answer(read_bytes(site), WebpageTask(settings.profile), Path("-"))
    return render_html(
        given,
        entry_path=entry,
        window=WindowOptions(*size, scale, full_page),
        options=SiteOptions(want_text=True, elements=query, build=SiteBuild[build.upper()]),
        settings=settings,
    )
