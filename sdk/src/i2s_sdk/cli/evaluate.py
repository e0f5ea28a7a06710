"""``i2s-sdk evaluate``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from i2s_sdk.cli.file_defaults import options_from_file
from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.model_options import chosen_options, model_options
from i2s_sdk.cli.options import json_option, load_settings, settings_options
from i2s_sdk.cli.run_options import chosen_instances, run_folder, run_options, tell_failures, tell_unanswered
from i2s_sdk.cli.terminal import say
from i2s_sdk.errors import UsageError

if TYPE_CHECKING:
    from i2s_sdk.evaluation.dry_run import DryRun
    from i2s_sdk.evaluation.finalize import RunResult
    from i2s_sdk.evaluation.predictions import PredictionsResult
    from i2s_sdk.settings import Settings


@click.command(
    "evaluate",
    context_settings={"auto_envvar_prefix": "I2S_EVALUATE"},
    short_help="Evaluate a model on a data set.",
)
@run_options
@click.option("--jobs", metavar="N", help="Samples in a stage.  [I2S_JOBS; twice the slots of its service]")
@click.option(
    "--fail-on-error",
    metavar="N|SHARE",
    help="Samples that may stay without a score for reasons of ours.  [I2S_FAIL_ON_ERROR; 1%]",
)
@click.option(
    "--predictions",
    metavar="FOLDER",
    help="Score texts that tools have written, SUBSET/SYSTEM/ID.md or ID.md, instead of asking a model.",
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="S",
    help="With --predictions: only this system; may be repeated.",
)
@click.option("--dry-run", is_flag=True, help="Only count images, calls, tokens and cost.")
@model_options
@json_option
@options_from_file
@settings_options
def command(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Render a model's answers, score them, and write tables and a report.

    The same command goes on where it was stopped; nothing that is finished is done again. Only the
    renderers are started that the data set needs; samples of one that is not installed have no score.

    \b
    Examples:
      i2s-sdk evaluate
      i2s-sdk evaluate --data my-set --model replay:answers.jsonl --profile helm --out runs/answers-helm
      i2s-sdk evaluate --task latex --limit 4 --json
      i2s-sdk evaluate --model openai/my-model --base-url http://127.0.0.1:8000/v1
      i2s-sdk evaluate --model anthropic/claude-sonnet-4-5 --limit 100 --seed 1 --dry-run
      i2s-sdk evaluate --data my-documents --predictions outputs --out runs/outputs

    \b
    Models:
      oracle                  the ground truth: the upper bound
      baseline/ocr            reads the words of the picture; needs no network
      baseline/pdftotext      the text of a PDF document, by poppler's program
      baseline/blank, baseline/constant, baseline/shuffled
                              look at nothing: what a metric gives for no knowledge
      openai/NAME             OpenAI, or any server of its protocol with --base-url
      anthropic/NAME, google/NAME, hf/NAME, inspect/PROVIDER/NAME
      command:PROGRAM         your own program
      replay:PATH             completions recorded before: JSON lines, a run, or folders of HELM
    """  # noqa: D301 - \b is for click
    settings = load_settings(
        given, profile=given["profile"], jobs=given["jobs"], fail_on_error=given["fail_on_error"]
    )
    if given["predictions"] is not None:
        return _evaluate_predictions(given, settings)
    if given["systems"]:
        raise UsageError("--system chooses among the systems of --predictions, which is not given")
    options = chosen_options(
        {name: value for name, value in given.items() if name.startswith("model_")}, settings
    )
    folder = run_folder(given, settings)
    choice: dict[str, Any] = chosen_instances(given)
    data, model = given["data"], given["model"]
    if given["dry_run"]:
        from i2s_sdk.evaluation.dry_run import dry_run

        counted = dry_run(data, model, out=folder, options=options, settings=settings, **choice)
        return _tell_counts(counted, given["as_json"])
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import Progress
    from i2s_sdk.evaluation.evaluate import evaluate
    from i2s_sdk.models import open_model

    with (
        Progress(sys.stderr, ("answers", "renderings", "samples")) as progress,
        interruptible(folder, settings, progress),
    ):
        result = evaluate(
            data,
            open_model(model, options),
            out=folder,
            settings=settings,
            on_progress=progress.show_run,
            **choice,
        )
    return tell_result(result, settings, given["as_json"])


def _evaluate_predictions(given: dict[str, Any], settings: Settings) -> int:
    """Score the predictions of a folder, print what came out, and return the exit code."""
    source = click.get_current_context().get_parameter_source("model")
    if source is not click.core.ParameterSource.DEFAULT or given["dry_run"]:
        raise UsageError("--predictions asks no model: leave out --model and --dry-run")
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import Progress
    from i2s_sdk.evaluation.predictions import evaluate_predictions

    folder = run_folder({**given, "model": f"predictions {Path(given['predictions']).name}"}, settings)
    with (
        Progress(sys.stderr, ("samples",)) as progress,
        interruptible(folder, settings, progress),
    ):
        result = evaluate_predictions(
            given["data"],
            given["predictions"],
            out=folder,
            systems=given["systems"],
            settings=settings,
            on_progress=progress.show_run,
            **chosen_instances(given),
        )
    return _tell_predictions(result, settings, given["as_json"])


def _tell_predictions(result: PredictionsResult, settings: Settings, as_json: bool) -> int:
    from i2s_sdk.report import print_leaderboard
    from i2s_sdk.runlog.storage import shown

    if result.report is None:
        (run,) = result.runs.values()
        return tell_result(run, settings, as_json)
    if as_json:
        runs = {system: _document(run) for system, run in result.runs.items()}
        say(json.dumps({**result.report.to_json(), "covered": result.covered, "runs": runs}, indent=2))
        codes = [_tell_coverage(run, settings) for run in result.runs.values()]
        return max(codes)
    codes = [tell_result(run, settings, as_json=False) for run in result.runs.values()]
    print_leaderboard(result.report.standings, sys.stdout, result.report.tables)
    say(f"Report of all: {shown(result.report.path)}")
    return max(codes)


def tell_result(result: RunResult, settings: Settings, as_json: bool) -> int:
    """Print what came out of a run, and return the exit code."""
    from i2s_sdk.report import print_summary
    from i2s_sdk.runlog.storage import shown

    if as_json:
        say(json.dumps(_document(result), indent=2))
    else:
        print_summary(result.summary, result.unavailable, sys.stdout)
        if str(result.spending):
            say(f"Model: {result.spending}")
        say(f"Report: {shown(result.report)}")
    return _tell_coverage(result, settings)


def _document(result: RunResult) -> dict[str, Any]:
    return {
        "run": str(result.folder),
        "report": str(result.report),
        "covered": result.covered,
        **result.summary.to_json(),
        "unavailable": dict(result.unavailable),
        "unanswered_calls": dict(result.unanswered_calls),
    }


def _tell_coverage(result: RunResult, settings: Settings) -> int:
    """Say which samples have no score, and return the exit code."""
    tell_failures(result.failures)
    tell_unanswered(result.unanswered_calls)
    if result.covered:
        return 0
    say(
        f"{result.summary.failures} of {result.summary.planned} samples have no score, more than "
        f"--fail-on-error {settings.fail_on_error}; the same command tries them again",
        err=True,
    )
    return BELOW_COVERAGE


def _tell_counts(counted: DryRun, as_json: bool) -> int:
    """Print what a run would ask for."""
    found = counted.estimate
    if as_json:
        document = {
            "samples": counted.samples,
            "answered": counted.answered,
            "images": found.images,
            "calls": found.calls,
            "tokens_in": found.tokens_in,
            "tokens_out_at_most": found.tokens_out,
            "cost_at_most": found.cost,
        }
        say(json.dumps(document, indent=2))
        return 0
    kept = f", {counted.answered} of them answered in the run folder" if counted.answered else ""
    cost = "not known" if found.cost is None else f"at most ${found.cost:.2f}"
    say(f"samples     {counted.samples}{kept}")
    say(f"images      {found.images}")
    say(f"calls       {found.calls}")
    say(f"tokens in   about {found.tokens_in}")
    say(f"tokens out  at most {found.tokens_out}")
    say(f"cost        {cost}")
    return 0
