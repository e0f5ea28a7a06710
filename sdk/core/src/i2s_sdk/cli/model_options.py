"""Options of models that are called over a wire or as a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_sdk.errors import UsageError

if TYPE_CHECKING:
    from i2s_sdk.models.options import Batching, ModelOptions
    from i2s_sdk.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

_NONE = "none"

#: The answer cache of the user; a folder of that name is ./answers.
_ANSWERS = "answers"


def _number_or_none(context: click.Context, option: click.Parameter, value: str | None) -> float | str | None:
    if value is None or value == _NONE:
        return value
    try:
        return float(value)
    except ValueError:
        raise click.BadParameter(f"{value!r} is neither a number nor {_NONE}", context, option) from None


def model_options(command: F) -> F:
    """Add the options of called models; they reach the command as ``model_*`` parameters."""
    options = (
        click.option("--base-url", "model_base_url", metavar="URL", help="Server of the model."),
        click.option(
            "--key-env", "model_key_env", metavar="NAME", help="Environment variable that holds its key."
        ),
        click.option(
            "--temperature",
            "model_temperature",
            callback=_number_or_none,
            metavar="T|none",
            help="none leaves it to the server.  [default: the task's, else 0]",
        ),
        click.option(
            "--max-tokens",
            "model_max_tokens",
            type=click.IntRange(min=1),
            metavar="N",
            help="Of an answer.  [default: 2000]",
        ),
        click.option(
            "--top-p",
            "model_top_p",
            type=float,
            metavar="P",
            help="Draw from the most probable tokens only; with --temperature.",
        ),
        click.option(
            "--model-seed",
            "model_seed",
            type=int,
            metavar="N",
            help="Seed of its draws, for servers that take one.",
        ),
        click.option(
            "--stop",
            "model_stop",
            multiple=True,
            metavar="TEXT",
            help="Text at which an answer ends; may be repeated.",
        ),
        click.option(
            "--reasoning-effort",
            "model_reasoning_effort",
            metavar="WORD",
            help="How much it thinks, in the words of its server, such as low or high.",
        ),
        click.option(
            "--extra-body",
            "model_extra_body",
            metavar="JSON",
            help="Further fields of each request, such as '{\"chat_template_kwargs\": {}}'.",
        ),
        click.option(
            "--model-jobs",
            "model_concurrency",
            type=click.IntRange(min=1),
            metavar="N",
            help="Calls of the model in flight at most.  [default: 16]",
        ),
        click.option(
            "--timeout",
            "model_call_seconds",
            type=float,
            metavar="SECONDS",
            help="Until a call without an answer is repeated, by a server that works on several at once.  "
            "[default: 300]",
        ),
        click.option(
            "--retry-seconds",
            "model_retry_seconds",
            type=float,
            metavar="SECONDS",
            help="For all attempts of a call of the model together.  [default: 900]",
        ),
        click.option(
            "--no-preflight",
            "model_no_preflight",
            is_flag=True,
            help="Begin without asking the server a small question first.",
        ),
        click.option(
            "--batch",
            "model_batch",
            is_flag=True,
            help="Ask by the batch API of the vendor (openai, anthropic): cheaper, answered within hours.",
        ),
        click.option(
            "--batch-size",
            "model_batch_size",
            type=click.IntRange(min=1),
            metavar="N",
            help="Questions of a batch at most.  [default: 1000]",
        ),
        click.option(
            "--cache",
            "model_cache",
            metavar="answers|FOLDER",
            help="Take answers of earlier runs: of the user's caches, of a folder.  [I2S_ANSWER_CACHE; none]",
        ),
        click.option(
            "--prices",
            "model_prices",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Prices in place of the bundled ones.",
        ),
        click.option(
            "--budget",
            "model_cost",
            type=float,
            metavar="USD",
            help="Make no more calls once those of this command have cost so much.",
        ),
        click.option(
            "--token-budget",
            "model_tokens",
            type=int,
            metavar="N",
            help="The same by tokens read and written.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def chosen_options(given: Mapping[str, object], settings: Settings) -> ModelOptions:
    """Return what the parameters that ``model_options`` added say, and the settings of completions.

    Raises:
        UsageError: A value does not fit.
    """
    from i2s_sdk.models.options import Budget, options_from, parse_extra_body

    fields: dict[str, Any] = {
        name.removeprefix("model_"): value for name, value in given.items() if value is not None
    }
    if fields.get("temperature") == _NONE:
        fields["temperature"] = None
    fields["preflight"] = not fields.pop("no_preflight", False)
    fields["batching"] = _batching(fields.pop("batch", False), fields.pop("batch_size", None))
    fields["budget"] = Budget(fields.pop("cost", None), fields.pop("tokens", None))
    if "extra_body" in fields:
        fields["extra_body"] = parse_extra_body(fields["extra_body"])
    if "cache" in fields:
        fields["cache"] = _cache(fields["cache"])
    return replace(options_from(settings), **fields)


def _cache(chosen: str) -> Path | None:
    """Return the folder of the answer cache that ``--cache`` names; None for none."""
    from i2s_sdk.models.options import default_cache_folder

    if chosen == _NONE:
        return None
    return default_cache_folder() if chosen == _ANSWERS else Path(chosen)


def _batching(chosen: bool, size: int | None) -> Batching | None:
    """Return how batches are made; None if none are.

    Raises:
        UsageError: There is a size without batches.
    """
    from i2s_sdk.models.options import Batching

    if not chosen:
        if size is not None:
            raise UsageError("--batch-size needs --batch")
        return None
    return Batching() if size is None else Batching(requests=size)
