"""The options ``--require`` and ``--junit``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.terminal import say

if TYPE_CHECKING:
    from i2s_sdk.stats.aggregate import Summary
    from i2s_sdk.stats.requirements import Check, Requirement

F = TypeVar("F", bound=Callable[..., Any])


def require_options(command: F) -> F:
    """Add ``--require`` and ``--junit``."""
    require = click.option(
        "--require",
        "requirements",
        multiple=True,
        metavar="CONDITION",
        help="Exit with 3 unless [TASK[/SUBSET]:]METRIC>=VALUE holds, such as ems>=0.8; may be repeated.",
    )
    junit = click.option(
        "--junit",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write a JUnit file of what was required.",
    )
    return require(junit(command))


def parse_requirements(texts: Sequence[str]) -> list[Requirement]:
    """Return the requirements of ``--require``.

    Raises:
        UsageError: One of them is not of the form.
    """
    if not texts:
        return []
    from i2s_sdk.stats.requirements import Requirement

    return [Requirement.parse(one) for one in texts]


def check_requirements(
    requirements: Sequence[Requirement], runs: Mapping[str, Summary], junit: Path | None
) -> list[Check]:
    """Check runs, and write the JUnit file if there is to be one.

    Raises:
        UnknownNameError: Neither a task nor a run has a metric.
        WriteError: The file cannot be written.
    """
    from i2s_sdk.stats.requirements import check_runs, write_junit

    of_runs = {name for summary in runs.values() for one in summary.tasks.values() for name in one.values}
    for one in requirements:
        one.require_metric(of_runs)
    checks = check_runs(requirements, runs)
    if junit is not None:
        write_junit(junit, runs, checks)
    return checks


def tell_failed(checks: Sequence[Check]) -> int:
    """Say which requirements do not hold, and return the exit code."""
    failed = [one for one in checks if one.failure]
    for one in failed:
        say(f"required {one.requirement.text} of {one.run}: {one.failure}", err=True)
    return BELOW_COVERAGE if failed else 0
