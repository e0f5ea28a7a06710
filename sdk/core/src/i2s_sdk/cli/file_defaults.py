"""Options of a command from its table of the configuration file.

::

    jobs = 8                         # settings, for every command

    [evaluate]                       # options of one command, by the names of their flags
    model = "openai/gpt-4o"
    task = ["latex", "webpage"]
    max-tokens = 4000

A program, an address or a base URL only counts in a file that ``--config`` or I2S_CONFIG names; see
:mod:`i2s_sdk.working_folder`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any, TypeVar

import click

from i2s_sdk.errors import SettingsError

F = TypeVar("F", bound=Callable[..., Any])


def options_from_file(command: F) -> F:
    """Let a command, which has ``--config`` already, take its options from its table of that file."""
    for option in command.__click_params__:  # type: ignore[attr-defined]
        if option.name == "config":
            option.callback, option.is_eager = _read_table, True
    return command


def _read_table(context: click.Context, option: click.Parameter, config: str | None) -> str | None:
    """Take what the configuration file says of this command as its defaults.

    Raises:
        SettingsError: The file cannot be read, or a key is no option of the command.
    """
    from i2s_sdk.settings_sources import command_tables

    name = context.command.name or ""
    path, tables = command_tables(config)
    table = tables.get(name, {})
    known = {_flag(one): one for one in context.command.params if isinstance(one, click.Option)}
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        flag = key.replace("_", "-")
        if flag not in known or flag in ("config", "help"):
            close = difflib.get_close_matches(flag, known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise SettingsError(f"{path}: [{name}] has no option {key!r}{meant}")
        defaults[known[flag].name or ""] = _as_given(known[flag], value)
    context.default_map = {**defaults, **(context.default_map or {})}
    return config


def _flag(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-")


def _as_given(option: click.Option, value: object) -> object:
    """Return a value of the file as it would be typed; a list for an option that may be repeated."""
    if option.multiple:
        return [str(one) for one in value] if isinstance(value, list) else [str(value)]
    return value if isinstance(value, bool) else str(value)
