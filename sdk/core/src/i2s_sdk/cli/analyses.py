"""``i2s-sdk compare``, ``correlations`` and ``repeats``: analyses of stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from i2s_sdk.cli.options import json_option, runs_argument
from i2s_sdk.cli.terminal import print_rows, say, say_json

if TYPE_CHECKING:
    from i2s_sdk.report.versus import Versus
    from i2s_sdk.stats.turns import Turn


class _TurnType(click.ParamType["Turn"]):
    """A number from 1 on, "last" or "best"."""

    name = "turn"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Turn:
        """Return the turn of a text."""
        from i2s_sdk.stats.turns import parse_turn

        turn = parse_turn(str(value))
        if turn is None:
            self.fail(f"{value!r} is neither a number from 1 on nor last nor best", param, ctx)
        return turn


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
@click.option(
    "--first-turn",
    type=_TurnType(),
    default="1",
    metavar="N|last|best",
    help="Answer of the first run, of one with --turns.  [default: 1]",
)
@click.option(
    "--second-turn",
    type=_TurnType(),
    default="1",
    metavar="N|last|best",
    help="Answer of the second run; may be of the same run.  [default: 1]",
)
@json_option
def compare_command(
    first: str,
    second: str,
    difference: float | None,
    across_rules: bool,
    first_turn: Turn,
    second_turn: Turn,
    as_json: bool,
) -> None:
    """Compare two runs, or two answers of a run, over the instances that both have scored.

    Of each metric the difference (the second run minus the first) is printed with its 95 % interval, by the
    Bayesian bootstrap over pairs, and the p-value of the paired permutation test. "needed" is how many
    instances it takes to find the difference in 80 % of all cases, at a level of 5 %. The first table shows
    what became of all samples of each run (refused, cut off, not rendered, …), with the difference of shares.

    Tasks whose values follow different rules (profile, version of the main metric, digest of the engine) are
    not compared, and a note says why. The best answer of a conversation is chosen with the reference, which
    no model has: an upper bound. The exit code is 1 if nothing can be compared.

    \b
    Examples:
      i2s-sdk compare runs/before runs/after
      i2s-sdk compare runs/before runs/after --difference 0.02
      i2s-sdk compare runs/before runs/after --across-rules
      i2s-sdk compare runs/corrected runs/corrected --second-turn last
      i2s-sdk compare runs/before runs/after --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report.analyses import compare_two

    analysis = compare_two(
        first, second, difference=difference, across_rules=across_rules, turns=(first_turn, second_turn)
    )
    if as_json:
        say_json(analysis.to_json())
    else:
        _print(analysis.versus)
        for note in analysis.notes:
            say(f"note: {note}", err=True)
    if not analysis.versus.comparisons:
        raise click.exceptions.Exit(1)


_COMPARED_NUMBERS = (
    "first",
    "second",
    "difference",
    "95 % interval",
    "p",
    "better, worse, equal",
    "n",
    "needed",
)


def _print(versus: Versus) -> None:
    from i2s_sdk.report import figures
    from i2s_sdk.report.view import metric_word

    if versus.accounts:
        accounts = [
            (
                account.task,
                account.title,
                f"{account.first[0]} of {account.first[1]}",
                f"{account.second[0]} of {account.second[1]}",
                figures.signed(account.difference),
            )
            for account in versus.accounts
        ]
        title = f"{versus.second} against {versus.first}, all samples of each"
        print_rows(title, ("task", "account"), ("first", "second", "difference"), accounts)
    if not versus.comparisons:
        say("The runs have no scored instance in common whose values follow the same rules.")
        return
    rows = [
        (
            comparison.task,
            metric_word(comparison.task, comparison.metric),
            figures.value(comparison.first),
            figures.value(comparison.second),
            figures.signed(comparison.difference.value),
            figures.interval(comparison.difference),
            figures.NOTHING if comparison.p_value is None else f"{comparison.p_value:.4f}",
            f"{comparison.better}, {comparison.worse}, {comparison.equal}"
            if comparison.by_sample
            else figures.NOTHING,
            str(comparison.difference.n),
            figures.NOTHING if comparison.needed is None else str(comparison.needed),
        )
        for comparison in versus.comparisons
    ]
    print_rows(
        f"{versus.second} against {versus.first}, instances that both have scored",
        ("task", "metric"),
        _COMPARED_NUMBERS,
        rows,
    )


_CORRELATION_NUMBERS = ("Pearson", "Spearman", "95 % interval", "Kendall", "n")


@click.command("correlations", short_help="Show how the metrics go together.")
@runs_argument
@json_option
def correlations_command(runs: tuple[str, ...], as_json: bool) -> None:
    """Print the correlation of every metric with every other one, as Table A1 of the paper.

    The usable samples of all runs are taken together; wild subsets are left out. Correlations are Pearson's,
    Spearman's (with its 95 % interval) and Kendall's tau-b.

    \b
    Examples:
      i2s-sdk correlations runs/answers
      i2s-sdk correlations runs/a runs/b --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report import figures
    from i2s_sdk.report.analyses import metric_correlations

    by_task = metric_correlations(runs)
    if as_json:
        plain = {task: [one.to_json() for one in of_task] for task, of_task in by_task.items()}
        say_json(plain)
        return
    for task, of_task in by_task.items():
        rows = []
        for correlation in of_task:
            ends = correlation.ranks.spearman_interval
            rows.append(
                (
                    correlation.first,
                    correlation.second,
                    figures.signed(correlation.pearson),
                    figures.signed(correlation.ranks.spearman),
                    f"{figures.signed(ends[0])} to {figures.signed(ends[1])}" if ends else "",
                    figures.signed(correlation.ranks.kendall),
                    str(correlation.ranks.n),
                )
            )
        print_rows(f"{task}, usable samples", ("metric", "metric"), _CORRELATION_NUMBERS, rows)


@click.command("repeats", short_help="Show how repeated runs of a model vary.")
@runs_argument
@click.option("--threshold", type=float, metavar="X", help="Least value of the main metric that passes.")
@json_option
def repeats_command(runs: tuple[str, ...], threshold: float | None, as_json: bool) -> None:
    """Print the variance within and between instances, and pass@k, of several runs of one model.

    "within" is the standard deviation of the values of one instance between runs, "between" that of
    instances. pass@k is the share of instances of which at least one of k answers is usable, or, with
    --threshold, reaches a value of the main metric.

    \b
    Examples:
      i2s-sdk evaluate --model openai/my-model --temperature 0.7 --repeats 4 --out runs/four
      i2s-sdk repeats runs/four/openai-* --threshold 0.9
    """  # noqa: D301 - \b is for click
    from i2s_sdk.report.analyses import repeated_runs

    repeated = repeated_runs(runs, threshold=threshold)
    if as_json:
        say_json([repeats.to_json() for repeats in repeated])
        return
    from i2s_sdk.report import figures
    from i2s_sdk.report.view import metric_word

    rows = [
        (
            repeats.task,
            metric_word(repeats.task, repeats.metric),
            figures.value(repeats.mean.value),
            figures.interval(repeats.mean),
            figures.value(repeats.within**0.5),
            figures.value(None if repeats.between is None else repeats.between**0.5),
            str(repeats.mean.n),
            *(
                figures.value(repeats.pass_at[k].value) if k in repeats.pass_at else ""
                for k in range(1, repeats.runs + 1)
            ),
        )
        for repeats in repeated
    ]
    numbers = [
        "mean",
        "95 % interval",
        "within",
        "between",
        "n",
        *(f"pass@{k + 1}" for k in range(len(runs))),
    ]
    print_rows("", ("task", "metric"), numbers, rows)
