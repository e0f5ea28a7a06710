"""``i2s-sdk completion``, and what options of commands complete to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem, get_completion_class

from i2s_sdk.cli.terminal import say

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_PROGRAM, _VARIABLE = "i2s-sdk", "_I2S_SDK_COMPLETE"
_PATHS = ("replay:",)


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_command(shell: str) -> None:
    """Print the script that completes commands, options, and names of models, tasks, subsets and files.

    \b
    Examples:
      eval "$(i2s-sdk completion bash)"
      i2s-sdk completion fish > ~/.config/fish/completions/i2s-sdk.fish
    """  # noqa: D301 - \b is for click
    from i2s_sdk.cli.main import group

    kind = get_completion_class(shell)
    assert kind is not None
    # Made without asking the shell for its version, so that the script can be written to a file anywhere.
    complete = kind(group, {}, _PROGRAM, _VARIABLE)
    say(complete.source_template % complete.source_vars())


def _items(names: Iterable[str], typed: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(typed)]


def complete_tasks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names of tasks."""
    from i2s_sdk.tasks.registry import SPECS

    return _items(SPECS, incomplete)


def complete_subsets(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the subsets of the data set of the command, else of the chosen or all tasks."""
    return _items(sorted({one for one, _ in _parts(ctx)} or _subsets_of_tasks(ctx)), incomplete)


def complete_difficulties(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the difficulties of the data set of the command, else those of the benchmark."""
    return _items(sorted({one for _, one in _parts(ctx)} - {""}) or ("easy", "medium", "hard"), incomplete)


def complete_models(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the models that have a name, the beginnings of other names, and files after "replay:"."""
    from i2s_sdk.models.registry import MODELS, packaged_models

    for prefix in _PATHS:
        if incomplete.startswith(prefix):
            return _files(prefix, incomplete.removeprefix(prefix))
    own = (form for form in MODELS if not form.startswith("FILE"))  # which begins as its user has called it
    forms = (*own, *(f"{packaged_model}/NAME" for packaged_model in packaged_models()))
    beginnings = (
        form.split("NAME")[0].split("PROVIDER")[0].split("PROGRAM")[0].split("PATH")[0] for form in forms
    )
    return _items(beginnings, incomplete)


def complete_data(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return files and folders, or names of the Hub after "hf:"."""
    if incomplete.startswith("hf:"):
        return _items(("hf:i2s", "hf:image2struct"), incomplete)
    return complete_files(ctx, param, incomplete)


def complete_files(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the mark by which the shell completes names of files and folders itself."""
    return [CompletionItem(incomplete, type="file")]


def _files(prefix: str, typed: str) -> list[CompletionItem]:
    """Return files and folders that begin with what was typed after a prefix."""
    from pathlib import Path

    folder, _, start = typed.rpartition("/")
    base = Path(folder + "/") if "/" in typed else Path()
    try:
        paths = sorted(path for path in base.iterdir() if path.name.startswith(start))
    except OSError:
        return []
    lead = f"{folder}/" if "/" in typed else ""
    return [CompletionItem(f"{prefix}{lead}{path.name}{'/' if path.is_dir() else ''}") for path in paths]


def _parts(ctx: click.Context) -> set[tuple[str, str]]:
    """Return subset and difficulty of the instances of ``--data``; nothing if it is not a folder here."""
    from pathlib import Path

    from i2s_sdk.data.folder import read_folder
    from i2s_sdk.data.locations import examples_folder
    from i2s_sdk.errors import I2SError

    data = ctx.params.get("data")
    tasks = ctx.params.get("tasks") or ()
    if isinstance(data, str) and data.startswith("hf:"):
        return set()
    try:
        folder = Path(data) if data else examples_folder()
        instances = read_folder(folder).instances
    except (I2SError, OSError):
        return set()
    return {
        (instance.subset, instance.difficulty)
        for instance in instances
        if not tasks or instance.task in tasks
    }


def _subsets_of_tasks(ctx: click.Context) -> set[str]:
    from i2s_sdk.tasks.registry import BUILT_IN

    tasks = ctx.params.get("tasks") or BUILT_IN
    specs = (BUILT_IN[task] for task in tasks if task in BUILT_IN)
    return {subset for spec in specs for subset in (*spec.subsets, *spec.wild_subsets)}
