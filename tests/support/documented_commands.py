"""The commands in the indented blocks of a page of the docs, each with its continuation lines."""

from __future__ import annotations

from collections.abc import Sequence

_INDENT = "    "


def commands_of(page: str) -> list[str]:
    """Return the commands of a page that begin with kubectl, without what a comment says of them.

    A quote that is still open, or a backslash at the end, continues a command on the next line.
    """
    found: list[str] = []
    open_command = ""
    for line in page.splitlines():
        if not line.startswith(_INDENT):
            open_command = ""
            continue
        text = line.removeprefix(_INDENT)
        if open_command:
            open_command += "\n" + text
        elif text.startswith("kubectl "):
            open_command = text.partition("  #")[0].rstrip()
        if open_command and open_command.count("'") % 2 == 0 and not open_command.endswith("\\"):
            found.append(open_command)
            open_command = ""
    return found


def command_with(commands: Sequence[str], *words: str) -> str:
    """Return the only command that contains all of some texts."""
    (command,) = (one for one in commands if all(word in one for word in words))
    return command
