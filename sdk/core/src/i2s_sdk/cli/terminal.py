"""What commands print: the one place where text goes to standard output and standard error."""

from __future__ import annotations

import click

from i2s_sdk.visible import visible


def say(text: str, *, err: bool = False, nl: bool = True) -> None:
    """Print a text, with control characters of data and servers as escapes.

    Args:
        text: Text of one or more lines.
        err: Whether it goes to standard error.
        nl: Whether a line feed follows.
    """
    click.echo(visible(text), err=err, nl=nl)
