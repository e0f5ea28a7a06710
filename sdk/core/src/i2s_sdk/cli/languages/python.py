"""``i2s-sdk render python``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click

from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.render import files_in, out_option, print_result, read_text, require_out, write_file
from i2s_wire.renderers import RENDER_PYTHON


@click.command("python", short_help="A Python program that draws figures.")
@click.argument("file")
@out_option
@click.option("--dpi", type=float, metavar="DPI", help="Resolution.  [default: that of the program]")
@click.option("--figure", type=int, metavar="N", help="Figure to show, counted from 1.  [default: the last]")
@click.option("--beside", metavar="FOLDER", help="Files that the program reads, by their paths in FOLDER.")
@click.option("--repair/--no-repair", default=True, help="Repair a program that draws nothing.")
@click.option("--objects", metavar="FILE", help="Write the objects of the figure there, as JSON.")
@json_option
@settings_options_for(RENDER_PYTHON.name)
def python_command(
    file: str,
    out: str | None,
    dpi: float | None,
    figure: int | None,
    beside: str | None,
    objects: str | None,
    repair: bool,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Run the program FILE ("-" is standard input) in its jail, and take the figure that it draws.

    FILE is a program, or the answer of a model that holds one. What it shows, saves or leaves open counts; of
    several figures the last one is taken. Without an image the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render python plot.py -o plot.png
      i2s-sdk render python plot.py -o plot.png --beside data/ --objects plot.json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given)
    require_out(out, as_json)
    program = read_text(file)
    files = files_in(Path(beside)) if beside is not None else {}
    from i2s_sdk.single.languages.python import render_python

    result = render_python(
        program,
        files=files,
        dpi=dpi,
        figure=figure,
        want_objects=objects is not None,
        repair=repair,
        settings=settings,
    )
    figures = result.rendering.figures
    if objects is not None and figures:
        write_file("--objects", objects, json.dumps(asdict(figures[0]), indent=2).encode())
    return print_result(result, out, as_json)
