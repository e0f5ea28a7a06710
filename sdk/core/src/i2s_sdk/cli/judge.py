"""``i2s-sdk judge`` and ``human-scores``: scores of judge models and of people for the images of a run."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.run_options import chosen_options, model_options
from i2s_sdk.cli.stages import run_argument
from i2s_sdk.cli.terminal import say, say_json

if TYPE_CHECKING:
    from i2s_sdk.stats.human_scores import SystemScores
    from i2s_sdk.stats.judge_scores import JudgedRun


@click.command("judge", short_help="Have a model score the images of a run by a rubric.")
@run_argument
@click.option("--model", required=True, metavar="NAME", help="The judge: a model as of evaluate.")
@model_options
@json_option
@settings_options_for()
def judge_command(run: str, model: str, **given: Any) -> int:  # noqa: ANN401 - the parameters of click
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
    options = chosen_options(given, settings)
    from i2s_sdk.cli.interruption import Journal, interruptible
    from i2s_sdk.cli.main import BELOW_COVERAGE
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.models import open_model
    from i2s_sdk.run.judge import judge, judges_of

    opened = open_model(model, options)
    journals = [
        Journal(judge_manifest.task, run, judge_manifest.calls, judge_manifest.answers)
        for judge_manifest in judges_of(opened)
    ]
    with ProgressLine(sys.stderr, ["answers"]) as progress, interruptible(journals, settings, progress):
        judged = judge(run, opened, settings=settings, on_progress=progress.show_run)
    if given["as_json"]:
        say_json([judged_run.to_json() for judged_run in judged])
    else:
        _print(run, judged)
    return BELOW_COVERAGE if any(judged_run.unanswered for judged_run in judged) else 0


def _print(run: str, judged: list[JudgedRun]) -> None:
    from i2s_sdk.report.judge_tables import judged_table
    from i2s_sdk.report.tables import print_table
    from i2s_sdk.report.view import run_name
    from i2s_sdk.run.storage.folder import read_run
    from i2s_sdk.tasks.registry import SPECS

    label = run_name(read_run(run).manifest)
    for judged_run in judged:
        print_table(
            judged_table(SPECS[judged_run.judge.task].title, [(label, judged_run)]),
            sys.stdout,
            intervals=True,
        )
        cost = f", ${judged_run.cost:.4f}" if judged_run.cost else ""
        say(f"{judged_run.calls} calls of the judge{cost}; its answers: {judged_run.judge.answers}")


_LEFT = 2  # columns that are aligned to the left


@click.command("human-scores", short_help="Print tables of the scores that people gave to images.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--run", metavar="RUN", help="Compare a run with the scores, and keep them with it.")
@click.option("--system", metavar="S", help="With --run: the name of the run's model in the files.")
@click.option("--task", metavar="T", help="Task of the images.  [default: that of the run; else scimage]")
@json_option
def human_scores_command(
    files: tuple[str, ...], run: str | None, system: str | None, task: str | None, as_json: bool
) -> None:
    """Compute tables from CSV files with scores that people gave to images.

    A file has the columns ID and Model and one for each criterion of the task: for scimage, three that begin
    with Correct, Relevance and Scientific. 0 in all of them says that an answer did not compile. Means are
    over all answers, and over those that compiled.

    With --run the scores are those of the images of a run: an ID is that of a sample, such as a_1_1-tikz, or
    of its prompt. The command then prints the rank correlation of people with each metric of the task and
    with each judge model that has scored the run (i2s-sdk judge). Tables and reports show both.

    \b
    Examples:
      i2s-sdk human-scores English_evaluation_score.csv
      i2s-sdk human-scores *.csv --json
      i2s-sdk human-scores my-scores.csv --run runs/gpt-4o
    """  # noqa: D301 - \b is for click
    if run is not None:
        _of_run(files, run, system, task, as_json)
        return
    if system is not None:
        raise click.UsageError("--system has a meaning with --run alone")
    from i2s_sdk.stats.human_scores import by_system, correlations, human_scoring_of, read_scores

    scoring = human_scoring_of(task)
    scores = [score for file in files for score in read_scores(Path(file), scoring)]
    systems, related = by_system(scores), correlations(scores, scoring.names)
    if as_json:
        say_json({"systems": [asdict(system_scores) for system_scores in systems], "correlations": related})
        return
    kinds = list(dict.fromkeys(kind for system_scores in systems for kind in system_scores.correctness))
    headings = [human_criterion.heading for human_criterion in scoring.criteria]
    head = ("system", "language", "answers", "failed", *headings, *headings, *kinds)
    rows = [_row(system_scores, kinds) for system_scores in systems]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        sized = enumerate(zip(row, widths, strict=True))
        cells = (cell.ljust(width) if at < _LEFT else cell.rjust(width) for at, (cell, width) in sized)
        say("  ".join(cells).rstrip())
    say("")
    names = ", ".join(scoring.names)
    say(f"{names[:1].upper()}{names[1:]}: means over all answers, then over those that compiled;")
    say(f"then {scoring.names[0]} by kind of prompt.")
    for pair, value in related.items():
        say(f"Correlation of {pair}: {'none' if value is None else f'{value:.3f}'}")


def _row(system: SystemScores, kinds: list[str]) -> tuple[str, ...]:
    compiled = system.compiled_means or (None,) * len(system.means)
    by_kind = (system.correctness.get(kind) for kind in kinds)
    values = ("-" if value is None else f"{value:.2f}" for value in (*system.means, *compiled, *by_kind))
    return (system.system, system.language, str(system.figures), str(system.failed), *values)


def _of_run(files: tuple[str, ...], run: str, system: str | None, task: str | None, as_json: bool) -> None:
    from i2s_sdk.report.judge_tables import agreement_table
    from i2s_sdk.report.tables import print_table
    from i2s_sdk.report.view import run_name
    from i2s_sdk.run.judge import human_scores
    from i2s_sdk.run.storage.folder import read_run
    from i2s_sdk.run.storage.interface import open_storage
    from i2s_sdk.run.storage.judgements import read_human_scores
    from i2s_sdk.tasks.registry import SPECS

    agreed = human_scores(run, files, system=system, task=task)
    kept = read_human_scores(open_storage(run))
    assert kept is not None, "it was just written"
    if as_json:
        document = {"human": kept.to_json(), "agreement": [agreement.to_json() for agreement in agreed]}
        say_json(document)
        return
    label = run_name(read_run(run).manifest)
    print_table(
        agreement_table(SPECS[kept.task].title, [(label, agreement) for agreement in agreed]),
        sys.stdout,
        intervals=True,
    )
    say(f"{kept.rows} rows of {kept.system!r}, of {len(kept.scores)} samples of the run")
