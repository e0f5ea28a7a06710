"""``i2s-sdk render-run``."""

from __future__ import annotations

import sys
from typing import Any

import click

from i2s_client.service_table import RENDERERS
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.stage import data_option, fail_on_error_option, jobs_option, run_argument, tell_stage


@click.command("render-run", short_help="Second stage of a run: render.")
@run_argument
@data_option
@jobs_option
@fail_on_error_option
@json_option
@settings_options_for(*RENDERERS)
def command(run: str, **given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Render the answers that a run has, with repairs; neither the model nor the metric service is needed.

    What the run is stands in its folder, which i2s-sdk generate or i2s-sdk evaluate has begun.

    \b
    Example:
      i2s-sdk render-run runs/gpt-4o
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, jobs=given["jobs"], fail_on_error=given["fail_on_error"])
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.run.stages import render_run

    with ProgressLine(sys.stderr, ["renderings"]) as progress, interruptible(run, settings, progress):
        result = render_run(run, data=given["data"], settings=settings, on_progress=progress.show_run)
    return tell_stage(result, "been rendered", settings, given["as_json"])
