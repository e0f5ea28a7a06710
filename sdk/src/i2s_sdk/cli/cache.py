"""``i2s-sdk cache``."""

from __future__ import annotations

import json
from typing import Any

import click

from i2s_sdk.cli.options import json_option, load_settings, settings_options
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import WriteError


@click.group("cache", short_help="Show or empty what evaluations keep between runs.")
def command() -> None:
    """Show or empty the caches of evaluations: answers of renderers, and values of metrics.

    \b
    Examples:
      i2s-sdk cache info
      i2s-sdk cache clear
    """  # noqa: D301 - \b is for click


@command.command("info", short_help="Say where the caches lie and how large they are.")
@json_option
@settings_options
def info(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Say where the caches lie, how many entries they have, how large they are and may become.

    \b
    Examples:
      i2s-sdk cache info
      i2s-sdk cache info --set evaluation_caches=s3://my-bucket/caches --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.evaluation.caches.opening import cache_states

    states = cache_states(load_settings(given))
    if given["as_json"]:
        say(json.dumps({one.name: one.to_json() for one in states}, indent=2))
        return 0
    for one in states:
        bound = "no bound of ours" if one.most_bytes is None else f"at most {_mebibytes(one.most_bytes)}"
        use = "" if one.used else "; not used"
        size = f"{one.size.entries} entries, {_mebibytes(one.size.bytes)}"
        say(f"{one.name:<8} {size} ({bound}{use}): {one.place}")
    return 0


@command.command("clear", short_help="Remove everything that the caches hold.")
@settings_options
def clear(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Remove everything that the caches hold. Runs keep their pictures and values.

    \b
    Examples:
      i2s-sdk cache clear
      i2s-sdk cache clear --set evaluation_caches=s3://my-bucket/caches
    """  # noqa: D301 - \b is for click
    from i2s_sdk.evaluation.caches.opening import RENDERS, SCORES, open_entries, place_of

    settings = load_settings(given)
    for name in (RENDERS, SCORES):
        try:
            open_entries(settings, name).clear()
        except OSError as error:
            raise WriteError(place_of(settings, name), error) from None
    say("the caches are empty", err=True)
    return 0


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"
