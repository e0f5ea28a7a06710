"""``i2s-sdk generate``."""

from __future__ import annotations

import sys
from typing import Any

import click

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.cli.file_defaults import options_from_file
from i2s_sdk.cli.grouped_help import GroupedCommand
from i2s_sdk.cli.model_options import chosen_options, model_options
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.run_options import chosen_instances, run_folder, run_options
from i2s_sdk.cli.stage import fail_on_error_option, tell_stage


@click.command(
    "generate",
    cls=GroupedCommand,
    context_settings={"auto_envvar_prefix": "I2S_GENERATE"},
    short_help="First stage of a run: ask a model.",
)
@run_options
@fail_on_error_option
@model_options
@json_option
@options_from_file
@settings_options_for(DOCUMENTS)
def command(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Ask a model for its answers and keep them in a run folder; no service is needed.

    The models are those of i2s-sdk evaluate, and so are the options. Go on with i2s-sdk render-run and
    i2s-sdk score-run, or with i2s-sdk evaluate and the same options.

    \b
    Examples:
      i2s-sdk generate --model openai/gpt-4o --out runs/gpt-4o
      i2s-sdk generate --data my-set --model 'command:./my-model --fast' --shard 1/3 --out runs/mine-1
    """  # noqa: D301 - \b is for click
    settings = load_settings(
        given, profile=given["profile"], prompts=given["prompts"], fail_on_error=given["fail_on_error"]
    )
    options = chosen_options(
        {name: value for name, value in given.items() if name.startswith("model_")}, settings
    )
    folder = run_folder(given, settings)
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.models import open_model
    from i2s_sdk.run.stages import generate

    with ProgressLine(sys.stderr, ["answers"]) as progress, interruptible(folder, settings, progress):
        result = generate(
            given["data"],
            open_model(given["model"], options),
            out=folder,
            settings=settings,
            on_progress=progress.show_run,
            **chosen_instances(given),
        )
    return tell_stage(result, "an answer", settings, given["as_json"])
