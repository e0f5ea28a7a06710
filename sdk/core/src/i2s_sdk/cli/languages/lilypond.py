"""``i2s-sdk render lilypond``."""

from __future__ import annotations

import click

from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options_for
from i2s_sdk.cli.render import out_option, page_settings, print_result, read_text, require_out
from i2s_wire.renderers import RENDER_LILYPOND


@click.command("lilypond", short_help="A LilyPond score.")
@click.argument("file")
@out_option
@profile_option
@click.option("--repair/--no-repair", default=True, help="Try older versions of the syntax.")
@page_settings(101)
@click.option(
    "--backend",
    type=click.Choice(["ghostscript", "cairo"]),
    help="What draws the pages. Default: ghostscript, as in the benchmark; cairo gives other pixels.",
)
@json_option
@settings_options_for(RENDER_LILYPOND.name)
def lilypond_command(
    file: str,
    out: str | None,
    profile: str | None,
    repair: bool,
    dpi: float | None,
    page: int,
    whole_page: bool,
    backend: str | None,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Render FILE ("-" is standard input) with LilyPond in its jail.

    FILE is a score, or the answer of a model that holds one. A score without \\version is taken as current
    syntax; if that has no image it is converted from older versions (profile paper). Profile helm wants a
    \\version and a single page. Without an image the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render lilypond tune.ly -o tune.png
      i2s-sdk render lilypond suite.ly -o page2.png --page 2 --whole-page --dpi 200
      i2s-sdk render lilypond tune.ly -o tune.png --backend cairo
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    require_out(out, as_json)
    source = read_text(file)
    from i2s_sdk.single.languages.lilypond import render_lilypond

    result = render_lilypond(
        source,
        repair=repair,
        dpi=dpi,
        page=page,
        whole_page=whole_page,
        backend=backend,
        settings=settings,
    )
    return print_result(result, out, as_json)
