"""``i2s-sdk evaluate``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.options import (
    check_requirements,
    json_option,
    load_settings,
    log_runs,
    log_to_option,
    name_options,
    parse_destinations,
    parse_requirements,
    require_options,
    scorer_option,
    settings_options,
    tell_failed,
)
from i2s_sdk.cli.run_options import (
    GroupedCommand,
    chosen_instances,
    chosen_options,
    model_options,
    options_from_file,
    run_folder,
    runs_options,
    tell_failures,
    tell_unanswered,
)
from i2s_sdk.cli.terminal import say, say_json
from i2s_sdk.errors import UsageError

if TYPE_CHECKING:
    from i2s_sdk.models.options import ModelOptions
    from i2s_sdk.run.evaluate import SeveralResult
    from i2s_sdk.run.finalize import RunResult
    from i2s_sdk.run.plan import DryRun
    from i2s_sdk.run.storage.interface import PathOrUrl
    from i2s_sdk.settings import Settings
    from i2s_sdk.stats.requirements import Check


@click.command(
    "evaluate",
    cls=GroupedCommand,
    context_settings={"auto_envvar_prefix": "I2S_EVALUATE"},
    short_help="Evaluate a model on a data set.",
)
@runs_options
@name_options
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
@scorer_option
@click.option(
    "--no-reference-points", is_flag=True, help="Leave out baselines and oracle.  [I2S_REFERENCE_POINTS=no]"
)
@click.option("--no-render-cache", is_flag=True, help="Render everything anew.  [I2S_RENDER_CACHE=no]")
@click.option("--no-score-cache", is_flag=True, help="Compare all images anew.  [I2S_SCORE_CACHE=no]")
@require_options
@log_to_option
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Ask each model N times, a run each; needs --temperature. i2s-sdk repeats shows how they vary.",
)
@click.option(
    "--turns",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Show the model its rendering and let it correct its answer, N answers at most.  [default: 1]",
)
@click.option("--dry-run", is_flag=True, help="Only count images, calls, tokens and cost.")
@model_options
@json_option
@options_from_file
@settings_options
def evaluate_command(**given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Render a model's answers, score them, and write tables and a report.

    The same command goes on where it was stopped; nothing that is finished is done again. Only the
    renderers are started that the data set needs; samples of one that is not installed have no score.

    \b
    Examples:
      i2s-sdk evaluate
      i2s-sdk evaluate --data my-set --model replay:answers.jsonl --profile helm --out runs/answers-helm
      i2s-sdk evaluate --task latex --limit 4 --json
      i2s-sdk evaluate --model openai/gpt-4o --label "GPT-4o, short prompt" --out runs/short
      i2s-sdk evaluate --model openai/my-model --base-url http://127.0.0.1:8000/v1
      i2s-sdk evaluate --model openai/gpt-4o --model anthropic/claude-sonnet-4-5 --out runs/both
      i2s-sdk evaluate --model anthropic/claude-sonnet-4-5 --limit 100 --seed 1 --dry-run
      i2s-sdk evaluate --model openai/gpt-4o --prompts short.toml --prompts long.toml
      i2s-sdk evaluate --model my.py:model --scorer my.py:score
      i2s-sdk evaluate --model openai/gpt-4o --turns 3 --out runs/corrected
      i2s-sdk evaluate --data my-documents --predictions outputs --out runs/outputs

    \b
    Models:
      oracle                  the ground truth: the upper bound
      baseline/ocr            reads the words of the image; needs no network
      baseline/pdftotext      the text of a PDF document, by poppler's program
      baseline/blank, baseline/constant, baseline/shuffled
                              look at nothing: what a metric gives for no knowledge
      openai/NAME             OpenAI, or any server of its protocol with --base-url
      anthropic/NAME, google/NAME, hf/NAME, inspect/PROVIDER/NAME
      command:PROGRAM         your own program
      FILE.py:NAME            your own function in a Python file
      replay:PATH             completions recorded before: JSON lines, a run, or folders of HELM
    """  # noqa: D301 - \b is for click
    settings = load_settings(
        given,
        profile=given["profile"],
        prompts=given["prompts"][0] if len(given["prompts"]) == 1 else None,
        label=given["label"],
        note=given["note"],
        jobs=given["jobs"],
        fail_on_error=given["fail_on_error"],
        reference_points="no" if given["no_reference_points"] else None,
        render_cache="no" if given["no_render_cache"] else None,
        score_cache="no" if given["no_score_cache"] else None,
    )
    given["log_to"] = parse_destinations(given["log_to"])
    given["requirements"] = parse_requirements(given["requirements"])
    for requirement in given["requirements"]:
        requirement.require_metric()
    if given["predictions"] is not None:
        return _evaluate_predictions(given, settings)
    if given["systems"]:
        raise UsageError("--system chooses among the systems of --predictions, which is not given")
    options = chosen_options(given, settings)
    models = [model for model in given["models"] if model] or ["oracle"]
    prompts = given["prompts"] if len(given["prompts"]) > 1 else ()
    named = [*models, *(Path(prompt).stem for prompt in prompts)]
    folder = run_folder({**given, "model": " ".join(named)}, settings)
    choice: dict[str, Any] = chosen_instances(given)
    choice |= {"scorers": given["scorers"], "turns": given["turns"]}
    data = given["data"]
    if given["dry_run"]:
        if given["repeats"] > 1:
            raise UsageError("--dry-run counts one run of each model; leave out --repeats and multiply")
        if prompts:
            raise UsageError("--dry-run counts one variant; give one --prompts and add them up")
        return _dry_run(data, models, folder, options, settings, choice, as_json=given["as_json"])
    from i2s_sdk.cli.interruption import Journal, interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.run.evaluate import evaluate_several, model_runs, repeated_models

    opened = repeated_models(models, options, given["repeats"])
    journals = [Journal(run.name, run.out) for run in model_runs(opened, folder, prompts)]
    tell_services_up(settings)
    with (
        ProgressLine(sys.stderr, ("answers", "renderings", "samples")) as progress,
        interruptible(journals, settings, progress),
    ):
        result = evaluate_several(
            data,
            opened,
            out=folder,
            prompts=prompts,
            settings=settings,
            on_progress=progress.show_run,
            **choice,
        )
    return _tell_several(result, settings, given)


def tell_services_up(settings: Settings) -> None:
    """Say that services are used that this command has not started, maybe those of another installation."""
    from i2s_client.service_table import OWN_SERVICES
    from i2s_sdk.stack.services import address_of
    from i2s_sdk.stack.state import up_address

    if any(up_address(name) and not address_of(settings, name) for name in sorted(OWN_SERVICES)):
        say("uses the services that are up; `i2s-sdk status` shows them, `i2s-sdk down` ends them", err=True)


def _evaluate_predictions(given: dict[str, Any], settings: Settings) -> int:
    """Score the predictions of a folder, print what came out, and return the exit code."""
    source = click.get_current_context().get_parameter_source("models")
    if source is not click.core.ParameterSource.DEFAULT or given["dry_run"] or given["repeats"] > 1:
        raise UsageError("--predictions asks no model: leave out --model, --dry-run and --repeats")
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.run.evaluate import evaluate_predictions

    folder = run_folder({**given, "model": f"predictions {Path(given['predictions']).name}"}, settings)
    tell_services_up(settings)
    with (
        ProgressLine(sys.stderr, ("samples",)) as progress,
        interruptible((), settings, progress),  # no model is asked
    ):
        result = evaluate_predictions(
            given["data"],
            given["predictions"],
            out=folder,
            systems=given["systems"],
            settings=settings,
            on_progress=progress.show_run,
            scorers=given["scorers"],
            turns=given["turns"],
            **chosen_instances(given),
        )
    return _tell_several(result, settings, given)


def _tell_several(result: SeveralResult, settings: Settings, given: dict[str, Any]) -> int:
    """Print what came out of runs and whether it is what was required, and return the exit code."""
    as_json: bool = given["as_json"]
    from i2s_sdk.report import print_overview, print_turns
    from i2s_sdk.run.storage.interface import shown

    errors = list(result.errors.values())
    if not result.runs:
        raise errors[0]
    summaries = {name: run_result.summary for name, run_result in result.runs.items()}
    checks = check_requirements(given["requirements"], summaries, given["junit"])
    if result.report is None:
        (run,) = result.runs.values()
        code = max(tell_result(run, settings, as_json, checks), tell_failed(checks))
        logged = log_runs([run.folder], given["log_to"])
        return code or logged
    codes = [tell_failed(checks)] if checks else []
    codes += [i2s_error.exit_code for i2s_error in errors]
    if as_json:
        runs = {name: _document(run) for name, run in result.runs.items()}
        failed = {name: i2s_error.message for name, i2s_error in result.errors.items()}
        document = {**result.report.to_json(), "covered": result.covered, "runs": runs, "errors": failed}
        document["requirements"] = [check.to_json() for check in checks]
        say_json(document)
        codes += [_tell_coverage(run, settings) for run in result.runs.values()]
    else:
        report = result.report
        print_overview(report.overview, sys.stdout)
        print_turns(summaries, sys.stdout)
        for name, run in result.runs.items():
            if str(run.spending):
                say(f"{name}: {run.spending}")
            if run.failures or run.unanswered_calls or not run.covered:
                say(f"{name}:", err=True)
            codes.append(_tell_coverage(run, settings))
        if missing := dict.fromkeys(name for run in result.runs.values() for name in run.unavailable):
            say(f"Not computed: {', '.join(missing)} (`i2s-sdk metrics` says why)")
        for notice in report.notices:
            say(f"note: {notice}", err=True)
        say(f"Report, with all columns, subsets and samples: {shown(report.path)}")
    for name, error in result.errors.items():
        say(f"{name} could not be asked: {error.message}", err=True)
    logged = log_runs([run_result.folder for run_result in result.runs.values()], given["log_to"])
    return max(codes) or logged


def tell_result(result: RunResult, settings: Settings, as_json: bool, checks: Sequence[Check] = ()) -> int:
    """Print what came out of a run, and return the exit code."""
    from i2s_sdk.report import print_skills, print_summary
    from i2s_sdk.run.storage.interface import shown

    if as_json:
        required = {"requirements": [check.to_json() for check in checks]} if checks else {}
        say_json({**_document(result), **required})
    else:
        if result.label:
            say(f"{result.label}:")
        print_summary(result.summary, result.unavailable, sys.stdout)
        print_skills(result.skills, sys.stdout, result.skills_by_subset)
        if str(result.spending):
            say(f"Model: {result.spending}")
        say(f"Report: {shown(result.report)}")
    return _tell_coverage(result, settings)


def _document(result: RunResult) -> dict[str, Any]:
    from i2s_sdk.report.page import subset_skills_document

    return {
        "run": str(result.folder),
        "label": result.label,
        "report": str(result.report),
        "covered": result.covered,
        **result.summary.to_json(),
        "unavailable": dict(result.unavailable),
        "unanswered_calls": dict(result.unanswered_calls),
        "skill": {task: asdict(skill) for task, skill in result.skills.items()},
        "skill_by_subset": {
            task: subset_skills_document(of_task) for task, of_task in result.skills_by_subset.items()
        },
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


def _dry_run(
    data: str | None,
    models: list[str],
    out: PathOrUrl,
    options: ModelOptions,
    settings: Settings,
    choice: dict[str, Any],
    *,
    as_json: bool,
) -> int:
    """Print what the runs of models would ask for."""
    from i2s_sdk.run.evaluate import run_folders
    from i2s_sdk.run.plan import dry_run

    folders = run_folders(models, out)
    counts = {
        model: dry_run(data, model, out=folders[model], options=options, settings=settings, **choice)
        for model in models
    }
    documents = {model: _counts_document(count) for model, count in counts.items()}
    if as_json:
        say_json(documents if len(models) > 1 else documents[models[0]])
        return 0
    for model, counted in counts.items():
        if len(models) > 1:
            say(f"{model}:")
        _tell_counts(counted)
    return 0


def _counts_document(counted: DryRun) -> dict[str, Any]:
    estimate = counted.estimate
    return {
        "samples": counted.samples,
        "answered": counted.answered,
        "images": estimate.images,
        "calls": estimate.calls,
        "tokens_in": estimate.tokens_in,
        "tokens_out_at_most": estimate.tokens_out,
        "cost_at_most": estimate.cost,
    }


def _tell_counts(counted: DryRun) -> None:
    """Print what a run would ask for."""
    estimate = counted.estimate
    kept = f", {counted.answered} of them answered in the run folder" if counted.answered else ""
    cost = "not known" if estimate.cost is None else f"at most ${estimate.cost:.2f}"
    say(f"samples     {counted.samples}{kept}")
    if counted.without_turns:
        say(f"            {counted.without_turns} have several questions, and so one turn")
    say(f"images      {estimate.images}")
    say(f"calls       {'at most ' if counted.turns > 1 else ''}{estimate.calls}")
    say(f"tokens in   about {estimate.tokens_in}")
    say(f"tokens out  at most {estimate.tokens_out}")
    say(f"cost        {cost}")
