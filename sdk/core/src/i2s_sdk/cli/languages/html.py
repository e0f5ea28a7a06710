"""``i2s-sdk render html``."""

from __future__ import annotations

from pathlib import Path

import click

from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options_for
from i2s_sdk.cli.render import (
    out_option,
    print_result,
    read_bytes,
    require_out,
    size_of,
    window_settings,
    write_file,
)
from i2s_wire.renderers import RENDER_HTML


@click.command("html", short_help="A web site, static or for Jekyll.")
@click.argument("site")
@out_option
@window_settings
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
@settings_options_for(RENDER_HTML.name)
def html_command(
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
    Without an image the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render html site/ -o page.png
      i2s-sdk render html page.html -o page.png --viewport 390x844 --scale 2 --full-page
      i2s-sdk render html answer.json -o page.png --text page.txt --elements interactive --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    require_out(out, as_json)
    width, height = size_of(viewport)
    from i2s_sdk.single.languages.html import Given, render_html, site_of_answer
    from i2s_sdk.tasks.webpage import WebpageTask
    from i2s_wire.render.options import ElementQuery, SiteBuild, SiteOptions, WindowOptions

    query = ElementQuery("" if elements == "interactive" else elements) if elements else None
    source: Given = site
    if site == "-":
        source = site_of_answer(read_bytes(site), WebpageTask(settings.profile), Path("-"))
    result = render_html(
        source,
        entry_path=entry,
        window=WindowOptions(width, height, scale, full_page),
        options=SiteOptions(want_text=True, elements=query, build=SiteBuild[build.upper()]),
        settings=settings,
    )
    if text is not None and result.rendering.site is not None:
        write_file("--text", text, result.rendering.site.text.encode("utf-8", "replace"))
    return print_result(result, out, as_json)
