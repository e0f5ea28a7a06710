"""``i2s-sdk generate``, ``render-run`` and ``score-run``: the stages of a run, each by itself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from i2s_client.service_table import DOCUMENTS, METRICS, RENDERERS
from i2s_sdk.cli.evaluate import tell_result
from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.options import (
    json_option,
    load_settings,
    name_options,
    scorer_option,
    settings_options_for,
)
from i2s_sdk.cli.run_options import (
    GroupedCommand,
    chosen_instances,
    chosen_options,
    model_options,
    options_from_file,
    run_folder,
    run_options,
    tell_failures,
    tell_unanswered,
)
from i2s_sdk.cli.terminal import say, say_json

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


def tell_stage(result: StageResult, words: str, settings: Settings, as_json: bool) -> int:
    """Print how far a stage came, and return the exit code.

    Args:
        result: What the stage returned.
        words: What a sample has after it, for people.
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
        say_json(document)
    else:
        say(f"{result.done} of {result.planned} samples have {words}: {result.folder}")
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


@click.command(
    "generate",
    cls=GroupedCommand,
    context_settings={"auto_envvar_prefix": "I2S_GENERATE"},
    short_help="First stage of a run: ask a model.",
)
@run_options
@fail_on_error_option
@name_options
@model_options
@json_option
@options_from_file
@settings_options_for(DOCUMENTS)
def generate_command(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Ask a model for its answers and keep them in a run folder; no service is needed.

    The models are those of i2s-sdk evaluate, and so are the options. Go on with i2s-sdk render-run and
    i2s-sdk score-run, or with i2s-sdk evaluate and the same options.

    \b
    Examples:
      i2s-sdk generate --model openai/gpt-4o --out runs/gpt-4o
      i2s-sdk generate --data my-set --model 'command:./my-model --fast' --shard 1/3 --out runs/mine-1
    """  # noqa: D301 - \b is for click
    settings = load_settings(
        given,
        profile=given["profile"],
        prompts=given["prompts"],
        fail_on_error=given["fail_on_error"],
        label=given["label"],
        note=given["note"],
    )
    options = chosen_options(given, settings)
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


@click.command("render-run", short_help="Second stage of a run: render.")
@run_argument
@data_option
@jobs_option
@fail_on_error_option
@name_options
@json_option
@settings_options_for(*RENDERERS)
def render_run_command(run: str, **given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Render the answers that a run has, with repairs; neither the model nor the metric service is needed.

    What the run is stands in its folder, which i2s-sdk generate or i2s-sdk evaluate has begun.

    \b
    Example:
      i2s-sdk render-run runs/gpt-4o
    """  # noqa: D301 - \b is for click
    settings = load_settings(
        given,
        jobs=given["jobs"],
        fail_on_error=given["fail_on_error"],
        label=given["label"],
        note=given["note"],
    )
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.run.stages import render_run

    with ProgressLine(sys.stderr, ["renderings"]) as progress, interruptible(run, settings, progress):
        result = render_run(run, data=given["data"], settings=settings, on_progress=progress.show_run)
    return tell_stage(result, "been rendered", settings, given["as_json"])


@click.command("score-run", short_help="Third stage of a run: score, report.")
@run_argument
@data_option
@jobs_option
@fail_on_error_option
@scorer_option
@name_options
@json_option
@settings_options_for(METRICS, DOCUMENTS)
def score_run_command(run: str, **given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Compare the renderings that a run has with their references, and write tables and a report.

    Neither the model nor a renderer is needed.

    \b
    Example:
      i2s-sdk score-run runs/gpt-4o
      i2s-sdk score-run runs/gpt-4o --scorer my.py:score
    """  # noqa: D301 - \b is for click
    settings = load_settings(
        given,
        jobs=given["jobs"],
        fail_on_error=given["fail_on_error"],
        label=given["label"],
        note=given["note"],
    )
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.run.stages import score_run

    with ProgressLine(sys.stderr, ["samples"]) as progress, interruptible(run, settings, progress):
        result = score_run(
            run,
            data=given["data"],
            settings=settings,
            on_progress=progress.show_run,
            scorers=given["scorers"],
        )
    return tell_result(result, settings, given["as_json"])
