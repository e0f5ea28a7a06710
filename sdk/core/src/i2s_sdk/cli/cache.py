"""``i2s-sdk cache``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from i2s_sdk.cli.options import json_option, load_settings, settings_options
from i2s_sdk.cli.terminal import say, say_json

if TYPE_CHECKING:
    from i2s_sdk.run.caches import CacheSize

#: The caches of evaluations, as i2s_sdk.run.caches names them.
_KINDS = ("answers", "renders", "scores", "reference-points")


@click.group("cache", short_help="Show or empty what evaluations keep between runs.")
def cache_command() -> None:
    """Show or empty the caches of evaluations.

    \b
    answers           answers of models, for later runs with --cache answers
    renders           answers of renderers
    scores            values of metrics
    reference-points  values of baselines and the oracle

    \b
    Examples:
      i2s-sdk cache info
      i2s-sdk cache clear
      i2s-sdk cache clear answers
    """  # noqa: D301 - \b is for click


@cache_command.command("info", short_help="Say where the caches lie, how large they are, and from when.")
@json_option
@settings_options
def info(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Say where the caches lie, how many entries they have, how large they are, and from when these are.

    The dates are those of the last use for renders and scores, and those of the answer for answers.

    \b
    Examples:
      i2s-sdk cache info
      i2s-sdk cache info --set answer_cache=my-answers
      i2s-sdk cache info --set evaluation_caches=s3://my-bucket/caches --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.run.caches import cache_states

    states = cache_states(load_settings(given))
    if given["as_json"]:
        say_json({cache_state.name: cache_state.to_json() for cache_state in states})
        return 0
    width = max(map(len, _KINDS))
    for state in states:
        bound = "no bound of ours" if state.most_bytes is None else f"at most {_mebibytes(state.most_bytes)}"
        use = "" if state.used else "; not used"
        entries = "1 entry" if state.size.entries == 1 else f"{state.size.entries} entries"
        size = f"{entries}, {_mebibytes(state.size.bytes)}{_dates(state.size)}"
        say(f"{state.name:<{width}} {size} ({bound}{use}): {state.place}")
    return 0


@cache_command.command("clear", short_help="Remove everything that the caches hold.")
@click.argument("kinds", nargs=-1, type=click.Choice(_KINDS), metavar="[KIND]...")
@settings_options
def clear(kinds: tuple[str, ...], **given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Remove everything that the caches hold, or those of some kinds.

    The kinds are answers, renders, scores and reference-points. Runs keep their answers, images and values,
    and batches under way are waited for all the same.

    \b
    Examples:
      i2s-sdk cache clear
      i2s-sdk cache clear answers
      i2s-sdk cache clear renders scores --set evaluation_caches=s3://my-bucket/caches
    """  # noqa: D301 - \b is for click
    from i2s_sdk.run.caches import clear_cache

    settings = load_settings(given)
    chosen = tuple(kind for kind in _KINDS if kind in kinds) or _KINDS
    for name in chosen:
        clear_cache(settings, name)
    say(f"empty: {', '.join(chosen)}", err=True)
    return 0


def _mebibytes(count: int) -> str:
    return f"{count / 2**20:.1f} MiB"


def _dates(size: CacheSize) -> str:
    """Return from when entries are, as days; empty if that is not known."""
    first, last = size.oldest.partition("T")[0], size.newest.partition("T")[0]
    if not first:
        return ""
    return f", of {first}" if first == last else f", of {first} to {last}"
