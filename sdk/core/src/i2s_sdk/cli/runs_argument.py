"""The argument ``RUN...`` of commands that read runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from i2s_sdk.cli.completion import complete_files

F = TypeVar("F", bound=Callable[..., Any])


def runs_argument(command: F) -> F:
    """Add the argument ``RUN...``; see ``all_runs``."""
    return click.argument(
        "runs",
        nargs=-1,
        required=True,
        metavar="RUN...",
        callback=lambda _, __, names: all_runs(names),
        shell_complete=complete_files,
    )(command)


def all_runs(names: Sequence[str]) -> tuple[str, ...]:
    """Return runs; a folder of runs, as an evaluation of several models leaves it, stands for all of them."""
    return tuple(run for name in names for run in _runs_in(name))


def _runs_in(name: str) -> list[str]:
    """Return the runs that a folder holds, by name; what is a run itself, or no folder, as it is."""
    from i2s_sdk.run.storage.folder import MANIFEST

    folder = Path(name)
    if not folder.is_dir() or (folder / MANIFEST).exists():
        return [name]
    found = sorted(str(one.parent) for one in folder.glob(f"*/{MANIFEST}"))
    return found or [name]
