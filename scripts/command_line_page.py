"""The page of the documentation site about the command line, made of the help of its commands."""

from __future__ import annotations

import click

from i2s_sdk.cli.main import COMMANDS, group

_HEAD = """# Command line

This page has the help of every command. Everything here is a function of the same name in Python:
`i2s_sdk.evaluate`, `score`, `metrics`, `doctor`; `render LANGUAGE` is `i2s_sdk.render_LANGUAGE` or `render`,
`render-run` is `i2s_sdk.render_run`, `evaluate --dry-run` is `i2s_sdk.dry_run`.

Settings come from flags, then the environment, then the configuration file: each `[I2S_NAME]` below is a
variable, and `name` in lower case is the key of the TOML file. With `--json` standard output holds one JSON
document and nothing else; progress and remarks go to standard error.

Every option of `evaluate` and `generate` can stand in a table of the configuration file under the name of its
flag, or in a variable such as `I2S_EVALUATE_MODEL`:

```toml
jobs = 8                          # a setting, for every command

[evaluate]
model = "openai/gpt-4o"
task = ["latex", "webpage"]
max-tokens = 4000
```

The configuration file is the one that `--config` or `I2S_CONFIG` names, else `i2s.toml` of the working
folder. The latter may have come with somebody's download, so it may name no program
(`model = "command:…"`), no model in a folder of this machine (`hf/PATH`, `inspect/vllm/PATH`), no address of
a service or store, no base URL, key variable or certificate; the command ends with one line that names the
key. A file of your own may say all that once it is named:
`--config ./i2s.toml`.

Control characters of data, servers and logs are printed as escapes such as `\\x1b`, so that nothing steers
the terminal.

Completion of commands, options, models, tasks, subsets, difficulties and files:
`eval "$(i2s-sdk completion bash)"`; zsh and fish the same.

Exit codes:

- 0: complete.
- 1: a fault. A service cannot be started or does not answer. `render` has no image, `score` lacks a value
  or a prediction, `doctor` found something bad.
- 2: used wrongly. An option, a name, a file, a data set or a run folder does not fit.
- 3: more samples than `--fail-on-error` allows have no score, for reasons that are ours and not the model's;
  or a value is not what `--require` states.
- 130: interrupted by Ctrl-C or SIGTERM; what is finished is kept.
"""


def page() -> str:
    """Return the whole page."""
    root = click.Context(group, info_name="i2s-sdk", terminal_width=100, **group.context_settings)
    parts = [_HEAD, _section(group, root)]
    for name in COMMANDS:
        parts += _sections(group.get_command(root, name), root, name)
    return "\n".join(parts)


def _sections(command: click.Command | None, parent: click.Context, name: str) -> list[str]:
    assert command is not None
    context = click.Context(command, parent=parent, info_name=name)
    parts = [_section(command, context)]
    if isinstance(command, click.Group):
        for inner in command.list_commands(context):
            parts += _sections(command.get_command(context, inner), context, inner)
    return parts


def _section(command: click.Command, context: click.Context) -> str:
    return f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
