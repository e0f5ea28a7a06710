"""``i2s-sdk collect``: a data set of fresh documents, with licences and provenance."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from i2s_client.service_table import DOCUMENTS, RENDERERS
from i2s_sdk.cli.main import BELOW_COVERAGE
from i2s_sdk.cli.options import json_option, load_settings, settings_options_for
from i2s_sdk.cli.progress import ProgressLine
from i2s_sdk.cli.terminal import say
from i2s_sdk.visible import visible_line

if TYPE_CHECKING:
    from i2s_collect.collecting import CollectProgress
    from i2s_collect.run import Asking
    from i2s_collect.summary import CollectSummary
    from i2s_sdk.settings import Settings

_DAY = click.DateTime(["%Y-%m-%d"])


@click.command("collect", short_help="Make a data set of fresh documents of a public source.")
@click.argument("source", required=False)
@click.option(
    "--into", required=True, metavar="DIR", help="Folder of the data set; an earlier collection goes on."
)
@click.option("--from", "first", type=_DAY, metavar="DATE", help="First day of publication, UTC.")
@click.option("--until", "last", type=_DAY, metavar="DATE", help="Last day; it must be over.")
@click.option(
    "--contact", metavar="WHO", help="E-mail address or URL of yours that requests name.  [I2S_CONTACT]"
)
@click.option(
    "--per-subset", type=click.IntRange(1), default=300, metavar="N", help="Instances.  [default: 300]"
)
@click.option(
    "--per-day",
    type=click.IntRange(1),
    default=40,
    metavar="N",
    help="The most of one day and subset.  [default: 40]",
)
@click.option(
    "--per-owner",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="The most documents of one owner and subset.  [default: 1]",
)
@click.option(
    "--per-document",
    type=click.IntRange(1),
    default=3,
    metavar="N",
    help="The most instances of one document and subset.  [default: 3]",
)
@click.option("--seed", type=int, default=0, metavar="N", help="Decides what is taken first.  [default: 0]")
@click.option("--redistributable", is_flag=True, help="Only what may be published with its files.")
@click.option("--withdrawn", type=Path, metavar="FILE", help="Lines of ids that must not be used.")
@click.option(
    "--thresholds", type=Path, metavar="FILE", help="Thresholds of difficulties of the first month."
)
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODE",
    help="Only pages in this language, such as en; may be repeated.",
)
@click.option(
    "--text-judge",
    "text_judges",
    multiple=True,
    metavar="NAME@VERSION=URL",
    help="Address that judges texts, see docs/collecting-sources.md; may be repeated.  [I2S_JUDGE_TOKEN]",
)
@click.option(
    "--text-limit",
    type=click.FloatRange(0, 1),
    default=0.5,
    metavar="X",
    help="A text with a greater value is dropped.  [default: 0.5]",
)
@click.option(
    "--picture-judge",
    "picture_judges",
    multiple=True,
    metavar="NAME@VERSION=URL",
    help="Address that judges images; may be repeated.",
)
@click.option(
    "--picture-limit",
    type=click.FloatRange(0, 1),
    default=0.3,
    metavar="X",
    help="An image with a greater value is dropped.  [default: 0.3]",
)
@click.option(
    "--seen", type=Path, metavar="FILE", help="Fingerprints that the collections of all months share."
)
@click.option(
    "--from-recipe",
    "recipes",
    type=Path,
    metavar="FILE",
    help="Make the instances of a recipes.jsonl again, without SOURCE, --from and --until.",
)
@click.option("--offline", is_flag=True, help="Make no request; use what was stored before.")
@click.option("--dry-run", is_flag=True, help="Find the documents, and say what fetching them would take.")
@click.option(
    "--pdfs",
    type=Path,
    metavar="FOLDER",
    help="PDF documents that you have fetched, for source imslp; they are recognised by their SHA-1.",
)
@click.option("--base-url", default="", metavar="URL", help="Where the interface of the source is.")
@click.option(
    "--gap",
    type=click.FloatRange(0),
    metavar="SECONDS",
    help="Between requests to one host. Less than the source asks for counts with --base-url alone.",
)
@json_option
@settings_options_for(*RENDERERS, DOCUMENTS)
def command(
    source: str | None,
    into: str,
    first: datetime | None,
    last: datetime | None,
    contact: str | None,
    per_subset: int,
    per_day: int,
    per_owner: int,
    per_document: int,
    seed: int,
    redistributable: bool,
    withdrawn: Path | None,
    thresholds: Path | None,
    languages: tuple[str, ...],
    text_judges: tuple[str, ...],
    text_limit: float,
    picture_judges: tuple[str, ...],
    picture_limit: float,
    seen: Path | None,
    recipes: Path | None,
    offline: bool,
    dry_run: bool,
    pdfs: Path | None,
    base_url: str,
    gap: float | None,
    as_json: bool,
    **given: str | bool | None,
) -> int:
    """Collect documents of SOURCE that were first published between two days, and make a data set of them.

    \b
    SOURCE          task
    arxiv           latex: equations, tables, algorithms and plots of papers on arXiv
    github-pages    webpage: sites of repositories on GitHub (token: GITHUB_TOKEN)
    music           music: LilyPond sources of repositories on GitHub (token: GITHUB_TOKEN)
    mutopia         music: scores of the Mutopia project
    imslp           music: a list of files on IMSLP, and systems of those in --pdfs, without ground truth

    The same command goes on where an earlier one ended, and asks for nothing twice. The order of documents
    depends on the seed alone, so a larger collection holds the smaller one. What was dropped and why is in
    DIR/collection/drops.jsonl and summary.json; all documents are in documents.jsonl, in their order.

    With --from-recipe the instances of a published recipes.jsonl are fetched, cut and drawn again. One counts
    if its structure and its image have the SHA-256 of the recipe.

    Exit codes: 0 every subset is full, 1 the source stopped, 3 not every subset is full (with --from-recipe:
    not every instance could be made).

    \b
    Examples:
      i2s-sdk collect github-pages --into pages --from 2026-10-01 --until 2026-10-31 --contact me@example.org
      i2s-sdk collect github-pages --into pages --from 2026-10-01 --until 2026-10-31 --offline
      i2s-sdk collect music --into scores --from 2026-10-01 --until 2026-10-31 --dry-run
      i2s-sdk collect --from-recipe published/recipes.jsonl --into again --contact me@example.org
    """  # noqa: D301
    from i2s_collect.candidates import Window
    from i2s_collect.caps import Caps
    from i2s_collect.collecting import CollectOptions
    from i2s_collect.difficulty import read_thresholds
    from i2s_collect.harm.judges import JudgeAddress
    from i2s_collect.harm.withdrawn import read_withdrawn
    from i2s_collect.run import Asking, collect, plan_collection

    settings = load_settings(given)
    asking = Asking(contact or os.environ.get("I2S_CONTACT", ""), offline, base_url, gap, pdfs)
    not_used = read_withdrawn(withdrawn) if withdrawn else frozenset()
    if recipes is not None:
        if source or first or last or dry_run:
            raise click.UsageError("--from-recipe goes without SOURCE, --from, --until and --dry-run")
        return _remake(recipes, into, asking, not_used, settings, as_json=as_json)
    if source is None or first is None or last is None:
        raise click.UsageError("SOURCE, --from and --until are needed, or --from-recipe")
    options = CollectOptions(
        Window(first.date(), last.date()),
        Caps(per_subset, per_day, per_owner),
        per_document,
        seed,
        redistributable,
        not_used,
        read_thresholds(thresholds) if thresholds else {},
        frozenset(languages),
        tuple(JudgeAddress.parse(text_judge, text_limit) for text_judge in text_judges),
        tuple(JudgeAddress.parse(picture_judge, picture_limit) for picture_judge in picture_judges),
    )
    if dry_run:
        planned = plan_collection(source, into, options, asking)
        if as_json:
            found = {"documents": planned.documents, "seconds": planned.longest_seconds}
            say(json.dumps({**found, "requests": planned.requests}, indent=2))
        else:
            say(
                f"{planned.documents} documents, found with {planned.requests} requests; fetching all of "
                f"them takes at least {planned.longest_seconds / 3600:.1f} h"
            )
        return 0
    with ProgressLine(sys.stderr, ("documents",)) as progress:
        summary = collect(
            source,
            into,
            options,
            asking,
            seen=seen,
            notify=_shown(progress),
            settings=settings,
        )
    if as_json:
        say(json.dumps(summary.as_json(), indent=2))
    else:
        _say(summary, into)
    return 0 if summary.full else BELOW_COVERAGE


def _remake(
    recipes: Path,
    into: str,
    asking: Asking,
    withdrawn: frozenset[str],
    settings: Settings,
    *,
    as_json: bool,
) -> int:
    """Make a data set again and say what came of it; returns the exit code."""
    from i2s_collect.run import remake

    with ProgressLine(sys.stderr, ("instances",)) as progress:
        begun = False

        def show(done: int, all_: int) -> None:
            nonlocal begun
            if not begun:
                progress.show({"instances": 0}, all_, None)
                begun = True
            progress.show({"instances": done}, all_, None)

        remade = remake(recipes, into, asking, withdrawn=withdrawn, notify=show, settings=settings)
    if as_json:
        say(json.dumps(remade.as_json(), indent=2))
    else:
        for drop in remade.drops:
            say(visible_line(f"not made: {drop.piece}: {drop.reason.value}: {drop.detail}"), err=True)
        for subset, wanted in sorted(remade.wanted.items()):
            say(visible_line(f"{subset}: {remade.made[subset]} of {wanted}"))
        say(f"{into}: {sum(remade.made.values())} instances")
    return 0 if remade.full else BELOW_COVERAGE


def _shown(progress: ProgressLine) -> Callable[[CollectProgress], None]:
    """Return what shows how far a collection is."""
    begun = False

    def show(reached: CollectProgress) -> None:
        nonlocal begun
        if not begun:
            progress.show({"documents": 0}, reached.documents, None)
            begun = True
        counts = ", ".join(f"{subset} {count}" for subset, count in reached.accepted.items())
        progress.show({"documents": reached.visited}, reached.documents, counts)

    return show


def _say(summary: CollectSummary, into: str) -> None:
    """Print the counts as tables."""
    from i2s_collect.candidates import CollectStage

    for stage in CollectStage:
        counted = sorted(
            (subset, reason.value, count)
            for (collect_stage, subset, reason), count in summary.drops.items()
            if collect_stage is stage
        )
        for subset, reason, count in counted:
            say(
                visible_line(f"dropped in {stage.value}: {count:6d}  {subset or 'documents'}: {reason}"),
                err=True,
            )
    say(
        f"{summary.documents} documents: {summary.visited} visited, {summary.not_needed} not needed, "
        f"{summary.not_cached} not at hand",
        err=True,
    )
    for subset, count in summary.accepted.items():
        say(f"{subset}: {count} of {summary.wanted}, of {summary.pieces[subset]} pieces")
    say(f"{into}: {sum(summary.accepted.values())} instances")
