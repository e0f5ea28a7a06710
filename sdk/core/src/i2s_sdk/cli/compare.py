"""``i2s-sdk compare``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.printed_rows import print_rows
from i2s_sdk.cli.terminal import say

if TYPE_CHECKING:
    from i2s_sdk.report.versus import Versus


@click.command("compare", short_help="Test whether two runs differ.")
@click.argument("first")
@click.argument("second")
@click.option(
    "--difference",
    type=float,
    metavar="D",
    help="Say how many instances it takes to find this difference.  [default: the observed one]",
)
@click.option(
    "--across-rules",
    is_flag=True,
    help="Compare values that follow different rules as well, for instance to see what a new engine changes.",
)
@json_option
def command(first: str, second: str, difference: float | None, across_rules: bool, as_json: bool) -> None:
    """Compare two runs over the instances that both have scored.

    Of each metric the difference (the second run minus the first) is printed with its 95 % interval, by the
    Bayesian bootstrap over pairs, and the p-value of the paired permutation test. "needed" is how many
    instances it takes to find the difference in 80 % of all cases, at a level of 5 %. The first table shows
    what became of all samples of each run (refused, cut off, not rendered, …), with the difference of shares.

    Tasks whose values follow different rules (profile, version of the main metric, digest of the engine) are
    not compared, and a note says why. The exit code is 1 if nothing can be compared.

    \b
    Examples:
      i2s-sdk compare runs/before runs/after
      i2s-sdk compare runs/before runs/after --difference 0.02
      i2s-sdk compare runs/before runs/after --across-rules
      i2s-sdk compare runs/before runs/after --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report.analyses import compare_two

    found = compare_two(first, second, difference=difference, across_rules=across_rules)
    if as_json:
        say(json.dumps(found.to_json(), indent=2))
    else:
        _print(found.versus)
        for note in found.notes:
            say(f"note: {note}", err=True)
    if not found.versus.comparisons:
        raise click.exceptions.Exit(1)


_NUMBERS = ("first", "second", "difference", "95 % interval", "p", "better, worse, equal", "n", "needed")


def _print(found: Versus) -> None:
    from i2s_sdk.report import figures
    from i2s_sdk.report.view import metric_word

    if found.accounts:
        accounts = [
            (
                one.task,
                one.title,
                f"{one.first[0]} of {one.first[1]}",
                f"{one.second[0]} of {one.second[1]}",
                figures.signed(one.difference),
            )
            for one in found.accounts
        ]
        title = f"{found.second} against {found.first}, all samples of each"
        print_rows(title, ("task", "account"), ("first", "second", "difference"), accounts)
    if not found.comparisons:
        say("The runs have no scored instance in common whose values follow the same rules.")
        return
    rows = [
        (
            one.task,
            metric_word(one.task, one.metric),
            figures.value(one.first),
            figures.value(one.second),
            figures.signed(one.difference.value),
            figures.interval(one.difference),
            figures.NOTHING if one.p_value is None else f"{one.p_value:.4f}",
            f"{one.better}, {one.worse}, {one.equal}" if one.by_sample else figures.NOTHING,
            str(one.difference.n),
            figures.NOTHING if one.needed is None else str(one.needed),
        )
        for one in found.comparisons
    ]
    print_rows(
        f"{found.second} against {found.first}, instances that both have scored",
        ("task", "metric"),
        _NUMBERS,
        rows,
    )
