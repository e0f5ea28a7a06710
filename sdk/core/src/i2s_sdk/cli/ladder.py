"""``i2s-sdk ladder``: which metrics put answers of a known order into that order."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from i2s_sdk.cli.completion import complete_data, complete_files, complete_tasks
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options
from i2s_sdk.cli.terminal import print_rows, say, say_json


@click.command("ladder", short_help="Show which metrics tell right answers from wrong ones.")
@click.argument("data", required=False, shell_complete=complete_data)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="T",
    shell_complete=complete_tasks,
    help="Only this task; may be repeated.",
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N instances.")
@click.option("--seed", type=int, metavar="N", help="Other places of the changes, and a choice with --limit.")
@profile_option
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    shell_complete=complete_files,
    help="Folder of the runs, tables and the image.  [default: runs/DATA-ladder]",
)
@json_option
@settings_options
def ladder_command(
    data: str | None,
    tasks: tuple[str, ...],
    limit: int | None,
    seed: int | None,
    profile: str | None,
    out: Path | None,
    as_json: bool,
    **given: Any,  # noqa: ANN401 - the settings
) -> None:
    """Grade answers by construction, score them, and show which metrics order them as they are.

    From the ground truth of each instance of DATA (a folder; the bundled examples if none is named) answers
    are made that are perfect, have one token wrong, lack a tenth or half, or know nothing (of another
    instance, blank, constant), and others that are right in another size, spelling, font or width. A metric
    gets 1 for each pair in which the better answer has the greater value, and one half for a tie. The same
    command goes on where it was stopped.

    \b
    Examples:
      i2s-sdk ladder
      i2s-sdk ladder my-set --task latex --limit 20
      i2s-sdk ladder my-set --out runs/my-ladder --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.cli.progress import ProgressLine
    from i2s_sdk.report.ladder import HEADS, ladder_markdown, ladder_notes, ladder_rows, ladder_svg
    from i2s_sdk.run.ladder import ladder

    settings = load_settings(given, profile=profile)
    folder = out or Path("runs") / f"{Path(data).resolve().name if data else 'examples'}-ladder"
    with ProgressLine(sys.stderr, ("answers", "renderings", "samples")) as progress:
        made = ladder(
            data,
            out=folder,
            seed=seed,
            settings=settings,
            on_progress=progress.show_run,
            tasks=tasks,
            limit=limit,
        )
    (folder / "ladder.md").write_text(ladder_markdown(made.tasks), encoding="utf-8")
    (folder / "ladder.svg").write_text(ladder_svg(made.tasks), encoding="utf-8")
    if as_json:
        say_json(made.to_json())
        return
    for task in made.tasks:
        if not task.subset:
            print_rows(task.task, ("metric",), HEADS, ladder_rows(task))
    for task in made.tasks:
        for note in ladder_notes(task) if not task.subset else ():
            say(note)
    say(f"Tables of subsets, image and every answer: {folder}/ladder.md, ladder.svg, index.html")
