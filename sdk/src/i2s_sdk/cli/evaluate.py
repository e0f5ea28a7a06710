"""``i2s-sdk evaluate``."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.model_options import chosen_options, model_options
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options


@click.command("evaluate", short_help="Evaluate a model on a data set.")
@click.option("--data", metavar="FOLDER", help="Data set.  [default: the bundled examples]")
@click.option("--model", default="oracle", metavar="NAME", help="One of those above.  [default: oracle]")
@profile_option
@click.option("--out", metavar="FOLDER", help="Run folder.  [default: runs/DATA-MODEL-PROFILE]")
@click.option("--task", "tasks", multiple=True, metavar="T", help="Only this task; may be repeated.")
@click.option("--limit", type=int, metavar="N", help="Only the first N instances.")
@click.option("--jobs", metavar="N", help="Samples in flight.  [I2S_JOBS; twice the renderer's slots]")
@click.option(
    "--fail-on-error",
    metavar="N|SHARE",
    help="Samples that may stay without a score for reasons of ours.  [I2S_FAIL_ON_ERROR; 1%]",
)
@model_options
@json_option
@settings_options
def command(
    data: str | None,
    model: str,
    profile: str | None,
    out: str | None,
    tasks: tuple[str, ...],
    limit: int | None,
    jobs: str | None,
    fail_on_error: str | None,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Render a model's answers, score them, and write tables and a report.

    The same command goes on where it was stopped; nothing that is finished is done again. Only the
    renderers are started that the data set needs; samples of one that is not installed have no score.

    \b
    Examples:
      i2s-sdk evaluate
      i2s-sdk evaluate --data my-set --model replay:answers.jsonl --profile helm --out runs/answers-helm
      i2s-sdk evaluate --task latex --limit 4 --json
      i2s-sdk evaluate --model openai/my-model --base-url http://127.0.0.1:8000/v1

    \b
    Models:
      oracle                  the ground truth: the upper bound
      baseline/ocr            reads the words of the picture; needs no network
      openai/NAME             OpenAI, or any server of its protocol with --base-url
      anthropic/NAME, google/NAME, hf/NAME, inspect/PROVIDER/NAME
      command:PROGRAM         your own program
      replay:PATH             completions recorded before: JSON lines, a run, or folders of HELM
    """  # noqa: D301 - \b is for click
    options = {name: given.pop(name) for name in list(given) if name.startswith("model_")}
    settings = load_settings(given, profile=profile, jobs=jobs, fail_on_error=fail_on_error)
    from i2s_sdk.cli.progress import Progress
    from i2s_sdk.models import open_model
    from i2s_sdk.report import print_summary
    from i2s_sdk.runs.evaluate import evaluate

    folder = Path(out) if out else default_folder(data, model, str(settings.profile))
    with Progress(sys.stderr) as progress:
        result = evaluate(
            data,
            open_model(model, chosen_options(options)),
            out=folder,
            tasks=tasks,
            limit=limit,
            settings=settings,
            on_progress=lambda done, planned, last: progress.show(done, planned, last.id if last else None),
        )
    if as_json:
        document = {
            "run": str(result.folder),
            "report": str(result.report),
            "covered": result.covered,
            **result.summary.to_json(),
            "unavailable": dict(result.unavailable),
        }
        click.echo(json.dumps(document, indent=2))
    else:
        print_summary(result.summary, result.unavailable, sys.stdout)
        click.echo(f"Report: {result.report.resolve()}")
    if not result.covered:
        failures, planned = result.summary.failures, result.summary.planned
        click.echo(
            f"{failures} of {planned} samples have no score, more than --fail-on-error "
            f"{settings.fail_on_error}; the same command tries them again",
            err=True,
        )
        return BELOW_COVERAGE
    return 0


def default_folder(data: str | None, model: str, profile: str) -> Path:
    """Return the folder of a run that was given none: the same for the same command."""
    parts = (Path(data).resolve().name if data else "examples", model, profile)
    return Path("runs") / "-".join(re.sub(r"[^\w.]+", "-", part).strip("-") for part in parts)
