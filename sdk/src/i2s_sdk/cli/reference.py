"""The reference of the command line, made of the help of its commands.

``python -m i2s_sdk.cli.reference`` prints docs/cli.md.
"""

from __future__ import annotations

import click

from i2s_sdk.cli.main import COMMANDS, group

_HEAD = """# Command line

Made by `python -m i2s_sdk.cli.reference`; a test keeps it true. Everything here is a function of the same
name in Python: `i2s_sdk.evaluate`, `render`, `score`, `metrics`, `doctor`.

Settings come from flags, then the environment, then the configuration file: each `[I2S_NAME]` below is a
variable, and `name` in lower case is the key of the TOML file. With `--json` standard output holds one JSON
document and nothing else; progress and remarks go to standard error.

Exit codes:

- 0: complete.
- 1: a fault. A service cannot be started or does not answer. `render` has no picture, `score` lacks a value,
  `doctor` found something bad.
- 2: used wrongly. An option, a name, a file, a data set or a run folder does not fit.
- 3: more samples than `--fail-on-error` allows have no score, for reasons that are ours and not the model's.
- 130: interrupted by Ctrl-C or SIGTERM; what is finished is kept.
"""


def reference() -> str:
    """Return the whole page."""
    root = click.Context(group, info_name="i2s-sdk", terminal_width=100, **group.context_settings)
    parts = [_HEAD, _section(group, root)]
    for name in COMMANDS:
        command = group.get_command(root, name)
        parts.append(_section(command, click.Context(command, parent=root, info_name=name)))
    return "\n".join(parts)


def _section(command: click.Command, context: click.Context) -> str:
    return f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
