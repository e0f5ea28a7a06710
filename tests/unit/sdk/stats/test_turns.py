"""The numbers of turns."""

from __future__ import annotations

import base64
import io
import json
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from i2s_sdk.cli.analyses import compare_command
from i2s_sdk.cli.show import show_command
from i2s_sdk.errors import UsageError
from i2s_sdk.report.analyses import compare_two
from i2s_sdk.report.page import write_report
from i2s_sdk.report.samples import chunks, digests_of, sample_rows
from i2s_sdk.report.summary import print_turns
from i2s_sdk.report.turn_tables import turn_table
from i2s_sdk.report.view import views_of
from i2s_sdk.run.export import export
from i2s_sdk.run.merge import merge
from i2s_sdk.run.storage.folder import RESULTS, read_run
from i2s_sdk.run.storage.record import (
    Outcome,
    Record,
    SampleInstance,
    SampleRendering,
    SampleScore,
    SampleTurn,
    TurnEnd,
)
from i2s_sdk.stats.aggregate import results_document, summarize_run
from i2s_sdk.stats.turns import BEST, LAST, at_turn, ends, parse_turn
from run_folders import instances, options, record_of, turns_of, write_run, write_turns

NUMBER, TURNS = 40, 3
FACTS = SampleInstance("a", "latex", "equation", "")


def _answer(turn: int, ems: float | None, ended: TurnEnd | None = None) -> Record:
    failed = ems is None
    score = (
        SampleScore(Outcome.METRIC_FAILURE) if failed else SampleScore(Outcome.SCORED, metrics={"ems": ems})
    )
    return Record(FACTS, score=score, turn=SampleTurn(turn, ended))


def _place(records: list[Record], turn: int | str) -> int | None:
    chosen = at_turn(records[0], records[1:], turn, TURNS, ("ems",))
    return None if chosen is None else chosen.turn.turn


@pytest.mark.parametrize(
    ("records", "places"),
    [
        ([_answer(1, 0.1), _answer(2, 0.9), _answer(3, 0.5)], [1, 2, 3, 3, 2]),
        ([_answer(1, 0.5), _answer(2, 0.5), _answer(3, 0.5)], [1, 2, 3, 3, 1]),
        ([_answer(1, 0.5), _answer(2, 0.5, TurnEnd.DONE)], [1, 1, 1, 1, 1]),
        ([_answer(1, 0.5), _answer(2, 0.5, TurnEnd.NO_TURN)], [1, 1, 1, 1, 1]),
        ([_answer(1, 0.5, TurnEnd.NO_TURN)], [1, 1, 1, 1, 1]),
        ([_answer(1, 0.5, TurnEnd.REFUSED)], [1, 1, 1, 1, 1]),
        ([_answer(1, 0.5)], [1, None, None, None, None]),
        ([_answer(1, 0.5), _answer(2, 0.7)], [1, 2, None, None, None]),
        ([_answer(1, 0.5), _answer(2, None)], [1, 2, 2, 2, 2]),
    ],
)
def test_an_ended_conversation_keeps_its_last_answer_and_one_that_goes_on_has_none_yet(
    records: list[Record], places: list[int | None]
) -> None:
    assert [_place(records, turn) for turn in (1, 2, 3, LAST, BEST)] == places


def test_the_best_answer_has_the_highest_mean_of_the_main_columns_and_without_values_is_usable() -> None:
    def answer(turn: int, usable: bool, **metrics: float | None) -> Record:
        score = SampleScore(Outcome.SCORED, metrics=metrics)
        return Record(FACTS, rendering=SampleRendering(usable=usable), score=score, turn=SampleTurn(turn))

    main = ("text", "data")
    three = [
        answer(1, True, text=0.9, data=0.1),
        answer(2, True, text=0.4, data=0.8),
        answer(3, True, text=0.5),
    ]
    assert at_turn(three[0], three[1:], BEST, TURNS, main) is three[1]
    none = [answer(1, False, text=None), answer(2, True, text=None), answer(3, True, text=None)]
    assert at_turn(none[0], none[1:], BEST, TURNS, main) is none[1]


@pytest.mark.parametrize(
    ("text", "turn"),
    [("1", 1), ("12", 12), ("last", LAST), ("best", BEST), ("0", None), ("-1", None), ("x", None)],
)
def test_a_turn_is_a_number_from_one_or_a_word(text: str, turn: int | str | None) -> None:
    assert parse_turn(text) == turn


def test_the_ends_of_conversations_are_counted() -> None:
    records = {"a": _answer(1, 0.5), "b": _answer(1, 0.5, TurnEnd.REFUSED)}
    later = {"a": (_answer(2, 0.5, TurnEnd.DONE),)}
    assert ends(records, later, "latex") == {"done": 1, "refused": 1}
    assert ends(records, later, "music") == {}


def _run(path: Path, shard: str = "") -> Path:
    planned = instances(NUMBER)
    pairs = {one.id: turns_of(record_of(one, folder=path), TURNS) for one in planned}
    given = options(turns=TURNS, shard=shard)
    write_run(path, planned, {name: first for name, (first, _) in pairs.items()}, given)
    return write_turns(path, {name: later for name, (_, later) in pairs.items()})


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return _run(tmp_path / "run")


def test_the_numbers_of_a_run_stay_those_of_its_first_answers(run: Path) -> None:
    with_turns = summarize_run(read_run(run))
    stored = read_run(run)
    alone = replace(stored, turns={}, manifest=replace(stored.manifest, options=options()))
    assert (with_turns.tasks, with_turns.accounts) == (
        summarize_run(alone).tasks,
        summarize_run(alone).accounts,
    )
    plain = summarize_run(alone).to_json()
    assert "turns" not in plain
    assert list(with_turns.to_json()) == [*plain, "turns"]
    first = with_turns.turns["latex"].rows[0]
    assert {name: value.value for name, value in first.values.items()} == with_turns.tasks["latex"].values


def test_best_is_no_worse_than_any_answer_and_the_spending_is_of_all_answers(run: Path) -> None:
    summary = summarize_run(read_run(run))
    for task, turns in summary.turns.items():
        best = turns.best.values[turns.best_by].value
        last = turns.rows[-1].values[turns.best_by].value
        assert best is not None
        assert last is not None
        assert best >= last, task
        tokens = [row.spending.output_tokens for row in turns.rows]
        assert tokens == sorted(set(tokens)), task
        assert turns.best.spending == turns.rows[-1].spending
    costs = [turn.best.spending.cost or 0.0 for turn in summary.turns.values()]
    assert summary.spending.cost == pytest.approx(sum(costs))


def test_shards_have_the_numbers_of_one_run_byte_for_byte(run: Path, tmp_path: Path) -> None:
    parts = [_run(tmp_path / f"part-{at}", f"{at}/3") for at in (1, 2, 3)]
    merge(parts, tmp_path / "merged")
    whole = read_run(run)
    expected = results_document(summarize_run(whole), whole.manifest)
    assert (tmp_path / "merged" / RESULTS).read_bytes() == expected
    merged = read_run(tmp_path / "merged")
    assert {name: len(own) for name, own in merged.turns.items()} == {
        name: len(own) for name, own in whole.turns.items()
    }
    later = next(own for own in merged.turns.values() if own)
    assert merged.with_texts(later[-1]).answer.completion


def test_two_answers_of_a_run_are_compared(run: Path) -> None:
    two = compare_two(run, run, turns=(1, LAST))
    assert (two.versus.first, two.versus.second) == ("model-a, answer 1", "model-a, last answer")
    summary = summarize_run(read_run(run))
    (ems,) = [
        comparison
        for comparison in two.versus.comparisons
        if (comparison.task, comparison.metric) == ("music", "ems")
    ]
    assert ems.second == pytest.approx(summary.turns["music"].rows[-1].values["ems"].value)
    best = compare_two(run, run, turns=(LAST, BEST))
    (ems,) = [
        comparison
        for comparison in best.versus.comparisons
        if (comparison.task, comparison.metric) == ("music", "ems")
    ]
    assert (ems.difference.value or 0.0) >= 0


def test_a_run_has_no_more_answers_than_its_turns(run: Path) -> None:
    with pytest.raises(UsageError, match="has 3 answers to each question, and no answer 4"):
        compare_two(run, run, turns=(1, 4))


def test_the_command_compares_answers(run: Path) -> None:
    words = [str(run), str(run), "--second-turn"]
    result = CliRunner().invoke(compare_command, [*words, "last", "--json"])
    assert json.loads(result.stdout)["second"] == "model-a, last answer"
    assert CliRunner().invoke(compare_command, [*words, "0"]).exit_code == 2


def test_a_table_has_a_row_for_each_answer_and_says_that_best_is_a_bound(run: Path) -> None:
    (view,) = views_of([read_run(run)])
    table = turn_table("latex", [(view.label, view.summary)])
    assert table is not None
    assert [line.model for line in table.lines] == ["1", "2", "3", "best"]
    assert "an upper bound" in table.notes[1]
    assert turn_table("latex", [("a", replace(view.summary, turns={}))]) is None


def test_the_terminal_shows_the_turns_of_several_runs_and_nothing_of_runs_without(run: Path) -> None:
    summary = summarize_run(read_run(run))
    said = io.StringIO()
    print_turns({"a": summary, "b": summary, "c": replace(summary, turns={})}, said)
    assert said.getvalue().count("an upper bound") == 1
    assert [said.getvalue().count(f"{name}: conversations ended") for name in "abc"] == [3, 3, 0]
    nothing = io.StringIO()
    print_turns({"c": replace(summary, turns={})}, nothing)
    assert nothing.getvalue() == ""


def test_a_report_shows_the_table_of_turns(run: Path) -> None:
    report = write_report([run])
    page = Path(str(report.path)).read_text()
    assert "Image2LaTeX, by answer" in page


def test_an_export_has_a_row_for_each_answer(run: Path, tmp_path: Path) -> None:
    stored = read_run(run)
    number = export(run, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert number == len(rows) == len(stored.ordered()) + sum(map(len, stored.turns.values()))
    expected = [(one.instance.id, 1) for one in stored.ordered()]
    expected += [(name, one.turn.turn) for name, own in stored.turns.items() for one in own]
    assert sorted((row["id"], row["turn"]) for row in rows) == sorted(expected)
    assert {row["turn_end"] for row in rows} == {None, "done", "no_turn"}


def test_show_prints_all_answers_of_a_sample(run: Path) -> None:
    name, own = next((name, own) for name, own in read_run(run).turns.items() if len(own) == TURNS - 1)
    said = CliRunner().invoke(show_command, [str(run), name]).stdout
    assert [f", answer {turn})" in said for turn in (1, 2, 3)] == [False, True, True]
    plain = json.loads(CliRunner().invoke(show_command, [str(run), name, "--json"]).stdout)
    assert [one.get("turn", 1) for one in plain] == [1, *(one.turn.turn for one in own)]


def test_the_sample_of_a_report_has_its_later_answers_and_their_images(run: Path) -> None:
    (view,) = views_of([read_run(run)])
    rows = sample_rows([view])
    images = list(digests_of(rows, [view]))
    (chunk,) = chunks([view], rows, images)
    told = [one for (one,) in json.loads(zlib.decompress(base64.b64decode(chunk)))]
    later = [detail.get("turns", []) for detail in told]
    expected = [[one.turn.turn for one in view.turns.get(row[0].instance.id, ())] for row in rows if row[0]]
    assert [[one["turn"] for one in own] for own in later] == expected
    place = next(one["ending"][2] for own in later for one in own if one["ending"][2] >= 0)
    assert images[place] in {one.rendering.sha256 for own in view.turns.values() for one in own}
