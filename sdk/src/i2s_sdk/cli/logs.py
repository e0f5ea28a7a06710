"""``i2s-sdk logs``."""

from __future__ import annotations

import codecs

import click

from i2s_sdk.cli.terminal import say


@click.command("logs", short_help="Print the logs of what is up.")
@click.argument("name", required=False, metavar="[SERVICE]")
@click.option("--lines", type=click.IntRange(1), default=100, show_default=True, help="Of each service.")
@click.option("--follow", is_flag=True, help="Go on until Ctrl-C; needs SERVICE.")
def command(name: str | None, lines: int, follow: bool) -> None:
    """Print the end of the logs of services that `i2s-sdk up` has started.

    \b
    Examples:
      i2s-sdk logs
      i2s-sdk logs render-latex --lines 20 --follow
    """  # noqa: D301 - \b is for click
    if follow and name is None:
        raise click.UsageError("--follow needs the name of a service")
    from i2s_sdk.stack.lifecycle import service_log, status_names

    for one in (name,) if name else status_names():
        if name is None:
            say(f"== {one}")
        decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
        for piece in service_log(one, lines, follow=follow):
            say(decoder.decode(piece), nl=False)
