"""``i2s-sdk render latex``."""

from __future__ import annotations

import click

from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options_for
from i2s_sdk.cli.render import out_option, page_settings, print_result, read_text, require_out
from i2s_wire.renderers import RENDER_LATEX


@click.command("latex", short_help="A LaTeX document or fragment.")
@click.argument("file")
@out_option
@profile_option
@click.option("--repair/--no-repair", default=True, help="Mend a fragment that the engine refuses.")
@click.option(
    "--engine",
    type=click.Choice(["pdflatex", "lualatex", "xelatex"]),
    metavar="E",
    help="pdflatex, lualatex or xelatex, of those that the renderer has.  [default: pdflatex]",
)
@page_settings(200)
@json_option
@settings_options_for(RENDER_LATEX.name)
def latex_command(
    file: str,
    out: str | None,
    profile: str | None,
    repair: bool,
    engine: str | None,
    dpi: float | None,
    page: int,
    whole_page: bool,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Render FILE ("-" is standard input) in its sandbox.

    A file with a \\documentclass is rendered as it is. Anything else is taken as the answer of a model: it
    is read as a run reads it, gets the preamble of the profile, and what the engine refuses is repaired.
    Without an image the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render latex paper.tex -o paper.png --whole-page
      echo '\\[ e^{i\\pi} + 1 = 0 \\]' | i2s-sdk render latex - -o formula.png
      i2s-sdk render latex table.tex -o table.png --profile helm --json
      i2s-sdk render latex chinese.tex -o chinese.png --engine xelatex
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    require_out(out, as_json)
    source = read_text(file)
    from i2s_sdk.single.languages.latex import render_latex

    result = render_latex(
        source, repair=repair, dpi=dpi, page=page, whole_page=whole_page, engine=engine, settings=settings
    )
    return print_result(result, out, as_json)
