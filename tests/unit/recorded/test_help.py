"""Commands, options, defaults and variables are those of the recorded help."""

from __future__ import annotations

import json
import os
import re
import subprocess
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


#: Prints the pages of a program: its own, then that of each command.
_PAGES = """
import contextlib, importlib.metadata, io, json, re, sys

name = sys.argv[1]
(program,) = importlib.metadata.entry_points(group="console_scripts", name=name)

def page(*words):
    sys.argv = [name, *words, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        program.load()()
    return printed.getvalue()

whole = page()
pages = {name: whole}
for command in re.findall(r"^    ([a-z]+) ", whole, re.MULTILINE):
    pages[f"{name} {command}"] = page(command)
print(json.dumps(pages))
"""


def service_pages(service: str) -> dict[str, str]:
    """Return the help of the program of a service and of its commands, by what a user types.

    A word stands for the number of processors, and the user has another home than that of the tests.
    """
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "HOME": "/nonexistent"}
    for variable in ("XDG_CACHE_HOME", "TORCH_HOME"):
        environment.pop(variable, None)
    words = [sys.executable, "-c", _PAGES, f"i2s-{service}"]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    by_processors = r"((?:Jobs that run at once|networks that compute on processors)\.\s+Default:\s+)[1-9]\d*"
    pages = json.loads(done.stdout)
    return {name: re.sub(by_processors, r"\1PROCESSORS", page) for name, page in pages.items()}


def test_the_commands_of_the_sdk_say_what_they_said() -> None:
    compare_text("help/i2s-sdk.txt", "\n".join(sections(group, None, "i2s-sdk")))


@pytest.mark.parametrize("service", SERVICES)
def test_the_commands_of_a_service_say_what_they_said(service: str) -> None:
    pages = service_pages(service)
    serve = pages[f"i2s-{service} serve"]
    lines = list[str]()
    for name, page in pages.items():
        # Most lines of the other commands are those of settings that serve has too.
        own = set(serve.splitlines()) if page != serve else set()
        lines += [f"### {name}", *(line for line in page.splitlines() if line not in own or not line)]
    compare_text(f"help/i2s-{service}.txt", "\n".join(lines) + "\n")
