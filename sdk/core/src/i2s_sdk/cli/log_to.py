"""The option ``--log-to``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import I2SError

if TYPE_CHECKING:
    from i2s_sdk.report.experiment_logs import Destination
    from i2s_sdk.run.storage.interface import PathOrUrl

F = TypeVar("F", bound=Callable[..., Any])


def log_to_option(command: F) -> F:
    """Add ``--log-to``."""
    return click.option(
        "--log-to",
        "log_to",
        multiple=True,
        metavar="WHERE",
        help="Send values of the run to wandb:PROJECT, mlflow:URI or hub:OWNER/NAME; may be repeated.",
    )(command)


def parse_destinations(texts: Sequence[str]) -> list[Destination]:
    """Return the destinations of ``--log-to``.

    Raises:
        UsageError: One of them is none, or its client is not installed.
    """
    if not texts:
        return []
    from i2s_sdk.report.experiment_logs import Destination

    return [Destination.parse(one) for one in texts]


def log_runs(runs: Iterable[PathOrUrl], destinations: Sequence[Destination]) -> int:
    """Send the values of finished runs, say where they are, and return the exit code.

    What cannot be sent is said in one line with the command that sends it later; the runs are kept.
    """
    code = 0
    for run in runs if destinations else ():
        from i2s_sdk.report.experiment_logs import log_run

        for one in destinations:
            try:
                say(f"{run} is logged to {one}: {log_run(run, one)}", err=True)
            except I2SError as error:
                say(
                    f"{error.message}; the run is kept, try again with: i2s-sdk log-run {run} --to {one}",
                    err=True,
                )
                code = max(code, error.exit_code)
    return code
