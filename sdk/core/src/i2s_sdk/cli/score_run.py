"""``i2s-sdk score-run``."""

from __future__ import annotations

import sys
from typing import Any

import click

from i2s_client.service_table import DOCUMENTS, METRICS
from i2s_sdk.cli.evaluate import tell_result
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.stage import data_option, fail_on_error_option, jobs_option, run_argument


@click.command("score-run", short_help="Third stage of a run: score, report.")
@run_argument
@data_option
@jobs_option
@fail_on_error_option
@json_option
@settings_options_for(METRICS, DOCUMENTS)
def command(run: str, **given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Compare the renderings that a run has with their references, and write tables and a report.

    Neither the model nor a renderer is needed.

    \b
    Example:
      i2s-sdk score-run runs/gpt-4o
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, jobs=given["jobs"], fail_on_error=given["fail_on_error"])
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.run.stages import score_run

    with ProgressLine(sys.stderr, ["samples"]) as progress, interruptible(run, settings, progress):
        result = score_run(run, data=given["data"], settings=settings, on_progress=progress.show_run)
    return tell_result(result, settings, given["as_json"])
