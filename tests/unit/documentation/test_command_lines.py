"""The command lines of the documentation have commands, options and choices that exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from i2s_sdk.cli.main import group

ROOT = Path(__file__).resolve().parents[3]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
#: Ends a command in a line of a shell.
ENDS = {"|", ">", ">>", "<", ";", "&", "&&", "||"}


def lines_of(text: str) -> Iterator[str]:
    """The lines of shell blocks and of indented blocks, those that a backslash continues as one line."""
    shell = "".join(re.findall(r"^```sh\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL))
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    indented = "".join(line + "\n" for line in plain.splitlines() if line.startswith("    "))
    yield from re.sub(r"\\\n\s*", " ", shell + indented).splitlines()


def words_of(line: str) -> list[str]:
    """The words after i2s-sdk in a line, without variables before it; none of another command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # a text with an apostrophe
        return []
    while words and re.fullmatch(r"\w+=.*", words[0]):
        words.pop(0)
    if not words or Path(words[0]).name != "i2s-sdk":
        return []
    end = next((place for place, word in enumerate(words) if word in ENDS), len(words))
    return words[1:end]


def documented(page: Path) -> list[list[str]]:
    """The words of each command line of i2s-sdk on a page."""
    return [words for line in lines_of(page.read_text(encoding="utf-8")) if (words := words_of(line))]


def check(words: Sequence[str]) -> None:
    """Find the command of a line and parse its options.

    Raises:
        click.UsageError: It has an option or a choice that does not exist.
        UnknownNameError: There is no such command.
    """
    command: click.Command = group
    context = click.Context(group, **group.context_settings)  # click keeps the first --help that it makes
    rest = list(words)
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
        found = command.get_command(context, rest.pop(0))
        assert found is not None
        command, context = found, click.Context(found, parent=context)
    values, _, _ = command.make_parser(context).parse_args(rest)
    for parameter in command.params:
        given = values.get(parameter.name or "")
        if isinstance(parameter, click.Option) and isinstance(parameter.type, click.Choice) and given:
            for value in given if isinstance(given, list) else [given]:
                parameter.type.convert(value, parameter, context)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_and_options_exist(page: Path) -> None:
    for words in documented(page):
        check(words)


@pytest.mark.parametrize("page", ["study", "faq", "index"])
def test_pages_for_beginners_have_commands(page: str) -> None:
    assert len(documented(ROOT / "docs" / f"{page}.md")) >= 10


@pytest.mark.parametrize(
    "line",
    ["i2s-sdk evaluate --modle oracle", "i2s-sdk table RUN --format html", "A=1 i2s-sdk compare --n=1 A"],
)
def test_an_option_that_does_not_exist_is_noticed(line: str) -> None:
    with pytest.raises(click.UsageError):
        check(words_of(line))
