"""What the commands of single stages have in common."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.run_options import tell_failures, tell_unanswered
from i2s_sdk.cli.terminal import say

if TYPE_CHECKING:
    from i2s_sdk.run.stages import StageResult
    from i2s_sdk.settings import Settings

run_argument = click.argument("run")
data_option = click.option("--data", metavar="DATA", help="Data set, where it has moved since.")
jobs_option = click.option(
    "--jobs", metavar="N", help="Samples at once.  [I2S_JOBS; twice the slots of the service]"
)
fail_on_error_option = click.option(
    "--fail-on-error",
    metavar="N|SHARE",
    help="Samples that may be missing for reasons of ours.  [I2S_FAIL_ON_ERROR; 1%]",
)


def tell_stage(result: StageResult, what: str, settings: Settings, as_json: bool) -> int:
    """Print how far a stage came, and return the exit code.

    Args:
        result: What the stage returned.
        what: What a sample has after it, for people.
        settings: Settings with the failures that are allowed.
        as_json: Whether as one document.
    """
    if as_json:
        document = {
            "run": str(result.folder),
            "planned": result.planned,
            "done": result.done,
            "covered": result.covered,
            "unanswered_calls": dict(result.unanswered_calls),
        }
        say(json.dumps(document, indent=2))
    else:
        say(f"{result.done} of {result.planned} samples have {what}: {result.folder}")
    tell_failures(result.failures)
    tell_unanswered(result.unanswered_calls)
    if result.covered:
        return 0
    missing = result.planned - result.done
    say(
        f"{missing} of {result.planned} samples are missing, more than --fail-on-error "
        f"{settings.fail_on_error}; the same command tries again",
        err=True,
    )
    return BELOW_COVERAGE
