"""The options that a model is asked with, as a fact of a run and as words of a command."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from i2s_sdk.models.decoding import FLAGS, chosen
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.prompts import DECODING

#: The fact of a run: words of the command line, quoted as a shell has them.
ASKED_WITH = "options"

#: The fact of a run: the most tokens of a completion.
MAX_TOKENS = "max tokens"

_MAX_TOKENS_FLAG = "--max-tokens"

#: Beginnings of settings that decide what tasks ask.
_OF_TASKS = ("sobench_", "readoc_")


def asked_with(options: ModelOptions | None, settings: Settings) -> str:
    """Return the options of a run beside its data, model and instances; of files only the names.

    Args:
        options: The options of the calls; None for a model that is not called.
        settings: The settings of the run.
    """
    words = [] if options is None else _of_model(options)
    if settings.prompts is not None:
        words += ["--prompts", settings.prompts.name]
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name.startswith(_OF_TASKS) and value is not None and value != one.default:
            words += ["--set", f"{one.name}={value.name if isinstance(value, Path) else value}"]
    return shlex.join(words)


def max_tokens_of(about: Mapping[str, str]) -> int | None:
    """Return the most tokens of a completion by the facts of a run; None if they do not say.

    Earlier versions kept the option alone, if it was not the default.
    """
    words = shlex.split(about.get(ASKED_WITH, ""))
    options = dict(pairwise(words))
    value = about.get(MAX_TOKENS, options.get(_MAX_TOKENS_FLAG, ""))
    return int(value) if value.isdecimal() else None


def _of_model(options: ModelOptions) -> list[str]:
    words: list[str] = []
    if options.base_url is not None:
        words += ["--base-url", _without_user(options.base_url)]
    if options.temperature_chosen:
        words += ["--temperature", "none" if options.temperature is None else f"{options.temperature:g}"]
    if options.max_tokens != DECODING.max_tokens:
        words += [_MAX_TOKENS_FLAG, str(options.max_tokens)]
    for name, value in chosen(options).items():
        for one in value if isinstance(value, list) else [value]:
            words += [FLAGS[name], json.dumps(one) if isinstance(one, dict) else str(one)]
    return words + (["--repeats", str(options.repeats)] if options.repeats > 1 else [])


def _without_user(address: str) -> str:
    """Return an address without name and password."""
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
