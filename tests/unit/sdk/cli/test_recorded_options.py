"""Commands and options of version 0.1.0 are still there: scripts that use them go on to work."""

from __future__ import annotations

import click

from i2s_sdk.cli.main import group
from recorded import lost, recorded_json


def options(command: click.Command) -> dict[str, object]:
    """Return the names of a command's parameters with the choices that each permits; and its commands."""
    found: dict[str, object] = {}
    for parameter in command.params:
        choices = parameter.type.choices if isinstance(parameter.type, click.Choice) else ()
        about = {"choices": {str(choice): True for choice in choices}, "nargs": parameter.nargs}
        names = (*parameter.opts, *parameter.secondary_opts)
        found.update({name if name.startswith("-") else name.upper(): about for name in names})
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            found[name] = options(inner)
    return found


def test_no_command_option_or_choice_is_gone() -> None:
    assert list(lost(recorded_json("options.json"), options(group))) == []
