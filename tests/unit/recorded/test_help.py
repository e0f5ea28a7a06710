"""Commands, options, defaults and variables are those of the recorded help."""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import re
import sys
from collections.abc import Iterator

import click
import pytest
from current_recordings import COLUMNS, compare_text

from i2s_sdk.cli.main import group

SERVICES = ("documents", "metrics", "render-html", "render-latex", "render-lilypond", "render-python")


def sections(command: click.Command, parent: click.Context | None, name: str) -> Iterator[str]:
    """Yield the help of a command of the SDK and of its commands."""
    context = click.Context(
        command, parent=parent, info_name=name, terminal_width=COLUMNS, **command.context_settings
    )
    yield f"### {context.command_path}\n\n{command.get_help(context)}\n"
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            found = command.get_command(context, inner)
            assert found is not None
            yield from sections(found, context, inner)


def service_help(service: str, *words: str) -> str:
    """Return the help that the program of a service prints, with a word for the number of processors."""
    (program,) = importlib.metadata.entry_points(group="console_scripts", name=f"i2s-{service}")
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("COLUMNS", str(COLUMNS))
        patch.setattr(sys, "argv", [f"i2s-{service}", *words, "--help"])
        with pytest.raises(SystemExit) as ended:
            program.load()()
    assert ended.value.code in (None, 0)
    by_processors = r"((?:Jobs that run at once|networks that compute on processors)\.\s+Default:\s+)[1-9]\d*"
    return re.sub(by_processors, r"\1PROCESSORS", printed.getvalue())


def test_the_commands_of_the_sdk_say_what_they_said() -> None:
    compare_text("help/i2s-sdk.txt", "\n".join(sections(group, None, "i2s-sdk")))


@pytest.mark.parametrize("service", SERVICES)
def test_the_commands_of_a_service_say_what_they_said(service: str) -> None:
    whole = service_help(service)
    commands = re.findall(r"^    ([a-z]+) ", whole, re.MULTILINE)
    assert "serve" in commands
    serve = service_help(service, "serve")
    pages = [f"### i2s-{service}", whole, f"### i2s-{service} serve", serve]
    for command in commands:
        if command != "serve":
            # Most of its lines are those of settings that serve has too.
            own = set(serve.splitlines())
            lines = (line for line in service_help(service, command).splitlines() if line not in own)
            pages += [f"### i2s-{service} {command}", *lines]
    compare_text(f"help/i2s-{service}.txt", "\n".join(pages) + "\n")
