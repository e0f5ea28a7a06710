"""``i2s-sdk render``: a command for each engine."""

from __future__ import annotations

import click

from i2s_sdk.cli.main import LazyGroup

#: Engines in the order in which people need them.
ENGINES = ("latex", "html", "lilypond", "python")


@click.group(
    "render",
    cls=LazyGroup,
    modules={name: f"i2s_sdk.cli.render_{name}" for name in ENGINES},
    kind="engine",
    short_help="Render code to a PNG.",
)
def command() -> None:
    """Render untrusted code in the jail of its engine.

    Without a picture the exit code is 1 and nothing is written.

    \b
    Examples:
      i2s-sdk render latex formula.tex -o formula.png
      i2s-sdk render html site/ -o page.png --viewport 1280x720
      i2s-sdk render lilypond tune.ly -o tune.png
      i2s-sdk render python plot.py -o plot.png
    """  # noqa: D301 - \b is for click
