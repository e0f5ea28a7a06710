"""``i2s-sdk down``."""

from __future__ import annotations

import click

from i2s_sdk.cli.terminal import say


@click.command("down", short_help="End what up has started.")
def command() -> None:
    """End the services that `i2s-sdk up` has started, and remove all that is theirs.

    That is logs, containers and networks, and what services that were killed have left in the temporary
    folder. Running jobs are given time to finish. Services that `i2s-sdk up` is starting at the moment are
    ended too. If nothing is up, no service is ended.

    \b
    Examples:
      i2s-sdk down
    """  # noqa: D301 - \b is for click
    from i2s_sdk.stack.lifecycle import down

    say(down().value)
