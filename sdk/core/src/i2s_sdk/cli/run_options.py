"""Options of the commands that begin a run, and what they say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_sdk.cli.completion import (
    complete_data,
    complete_difficulties,
    complete_files,
    complete_models,
    complete_subsets,
    complete_tasks,
)
from i2s_sdk.cli.options import profile_option
from i2s_sdk.cli.terminal import say

if TYPE_CHECKING:
    from i2s_sdk.run.failures import FailureReason
    from i2s_sdk.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

#: Names of the parameters that ``run_options`` adds and that choose instances.
_CHOICE = ("tasks", "subsets", "difficulties", "samples", "limit", "seed", "shard")

#: Names of instances that a message shows.
MOST_NAMES = 5

_MOST_REASONS = 5  # that are shown


def run_options(command: F) -> F:
    """Add the options that say what a run is: data, model, profile, folder and choice of instances."""
    return _with_options(
        command,
        click.option(
            "--model",
            default="oracle",
            metavar="NAME",
            shell_complete=complete_models,
            help="One of those above.  [default: oracle]",
        ),
    )


class _ModelName(click.ParamType[str]):
    """Name of a model; in a variable, several stand in lines of their own, since names may have spaces."""

    name = "model"
    envvar_list_splitter = "\n"


def runs_options(command: F) -> F:
    """Add the options that say what the runs of several models are; see ``run_options``."""
    return _with_options(
        command,
        click.option(
            "--model",
            "models",
            multiple=True,
            type=_ModelName(),
            shell_complete=complete_models,
            metavar="NAME",
            help="One of those above; may be repeated.  [default: oracle]",
        ),
    )


def _with_options(command: F, model: Callable[[F], F]) -> F:
    options = (
        click.option(
            "--data",
            metavar="DATA",
            shell_complete=complete_data,
            help="Folder, or hf:OWNER/NAME.  [default: the bundled examples]",
        ),
        model,
        profile_option,
        click.option("--prompts", metavar="FILE", help="Own prompts in place of those of the tasks (TOML)."),
        click.option(
            "--out",
            metavar="FOLDER",
            shell_complete=complete_files,
            help="Run folder, or its URL (s3://…).  [default: runs/DATA-MODEL-PROFILE]",
        ),
        click.option(
            "--task",
            "tasks",
            multiple=True,
            metavar="T",
            shell_complete=complete_tasks,
            help="Only this task; may be repeated.",
        ),
        click.option(
            "--subset",
            "subsets",
            multiple=True,
            metavar="S",
            shell_complete=complete_subsets,
            help="Only this subset; the same.",
        ),
        click.option(
            "--difficulty",
            "difficulties",
            multiple=True,
            metavar="D",
            shell_complete=complete_difficulties,
            help="Only this difficulty; the same.",
        ),
        click.option(
            "--sample-id", "samples", multiple=True, metavar="ID", help="Only this instance; the same."
        ),
        click.option("--limit", type=int, metavar="N", help="Only N instances: the first."),
        click.option("--seed", type=int, metavar="N", help="With --limit: a choice, the same for a seed."),
        click.option("--shard", metavar="I/N", help="Only one of N parts, such as 1/3."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def chosen_instances(given: dict[str, Any]) -> dict[str, Any]:
    """Take the parameters that choose instances, and return them as ``evaluate`` has them."""
    return {name: given.pop(name) for name in _CHOICE}


def run_folder(given: Mapping[str, Any], settings: Settings) -> Path | str:
    """Return the folder of a run, or its URL; if none was given, the same for the same command.

    Args:
        given: The parameters.
        settings: Settings with the profile.
    """
    from i2s_sdk.run.storage.interface import is_url

    if given["out"]:
        return given["out"] if is_url(given["out"]) else Path(given["out"])
    return default_folder(given["data"], given["model"], str(settings.profile), given["shard"])


def default_folder(data: str | None, model: str, profile: str, shard: str | None = None) -> Path:
    """Return the folder of a run that was given none: the same for the same command."""
    source = "examples" if not data else data if data.startswith("hf:") else Path(data).resolve().name
    parts = (source, model, profile, *([f"shard {shard}"] if shard else []))
    return Path("runs") / "-".join(re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)


def tell_unanswered(calls: Mapping[str, int]) -> None:
    """Say which calls of earlier starts may have been billed without an answer, if there are any."""
    count = sum(calls.values())
    if count:
        names = ", ".join(list(calls)[:MOST_NAMES]) + (", …" if len(calls) > MOST_NAMES else "")
        what = "1 call of the model was" if count == 1 else f"{count} calls of the model were"
        say(
            f"{what} in flight when an earlier start was stopped, and may have been billed: {names}", err=True
        )


def tell_failures(failures: Sequence[FailureReason]) -> None:
    """Say why samples have no score, the most frequent reasons, if there are any."""
    for one in failures[:_MOST_REASONS]:
        what = f"{one.count} {one.outcome}{', such as' if one.count > 1 else ''}"
        say(f"  {what}: {' '.join(one.message.split())}", err=True)
    if len(failures) > _MOST_REASONS:
        say(f"  and {sum(one.count for one in failures[_MOST_REASONS:])} for other reasons", err=True)
