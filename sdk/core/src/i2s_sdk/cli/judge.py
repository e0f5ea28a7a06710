"""``i2s-sdk judge``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from i2s_sdk.cli.model_options import chosen_options, model_options
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.stage import run_argument
from i2s_sdk.cli.terminal import say

if TYPE_CHECKING:
    from i2s_sdk.stats.judge_scores import JudgedRun


@click.command("judge", short_help="Have a model score the images of a run by a rubric.")
@run_argument
@click.option("--model", required=True, metavar="NAME", help="The judge: a model as of evaluate.")
@model_options
@json_option
@settings_options_for()
def command(run: str, model: str, **given: Any) -> int:  # noqa: ANN401 - the parameters of click
    """Ask a model to score each image of a finished run by the rubric of its task (scimage).

    The judge sees the prompt and the image, not whose it is. Its answers lie beside the run and change no
    value of it; the same command asks only for what is missing. i2s-sdk table and i2s-sdk report show the
    scores, and i2s-sdk human-scores --run says how well the judge agrees with people.

    Exit code 3: images have no answer.

    \b
    Examples:
      i2s-sdk judge runs/gpt-4o --model anthropic/claude-sonnet-4-5
      i2s-sdk judge runs/gpt-4o --model openai/my-model --base-url http://127.0.0.1:8000/v1 --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given)
    options = chosen_options(
        {name: value for name, value in given.items() if name.startswith("model_")}, settings
    )
    from i2s_sdk.cli.interruption import interruptible
    from i2s_sdk.cli.main import BELOW_COVERAGE
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.cli.unanswered import Journal
    from i2s_sdk.models import open_model
    from i2s_sdk.run.judge import judge, judges_of

    opened = open_model(model, options)
    journals = [Journal(one.task, run, one.calls, one.answers) for one in judges_of(opened)]
    with ProgressLine(sys.stderr, ["answers"]) as progress, interruptible(journals, settings, progress):
        found = judge(run, opened, settings=settings, on_progress=progress.show_run)
    if given["as_json"]:
        say(json.dumps([one.to_json() for one in found], indent=2))
    else:
        _print(run, found)
    return BELOW_COVERAGE if any(one.unanswered for one in found) else 0


def _print(run: str, found: list[JudgedRun]) -> None:
    from i2s_sdk.report.judge_tables import judged_table
    from i2s_sdk.report.tables import print_table
    from i2s_sdk.run.storage.reader import read_run
    from i2s_sdk.tasks.registry import SPECS

    label = read_run(run).manifest.options.model
    for one in found:
        print_table(judged_table(SPECS[one.judge.task].title, [(label, one)]), sys.stdout, intervals=True)
        cost = f", ${one.cost:.4f}" if one.cost else ""
        say(f"{one.calls} calls of the judge{cost}; its answers: {one.judge.answers}")
