"""What a report shows of a document."""

from __future__ import annotations

import json

import pytest

from i2s_sdk.report.samples import panels_of
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.scoring.scorer import MetricValues, Scorable
from i2s_sdk.tasks.readoc.detail import MAX_BYTES, detail_of
from i2s_sdk.tasks.readoc.markdown import segments
from i2s_sdk.tasks.readoc.order import match_blocks
from i2s_sdk.tasks.readoc.scorer import NAME, ReadocScorer
from i2s_sdk.tasks.readoc.view import view
from i2s_sdk.tasks.view import DiffPanel, DiffRow, Panel, RowMark, ShownSample, TablesPanel, TextRun
from i2s_wire.metrics.profile import Profile
from sample_records import flat_record

TABLE = "\n\\begin{table}x\\end{table}"
EVIL = "</script><script>alert(1)</script> \u202eabc\x07 \u0645\u0631\u062d\u0628\u0627"


def _detail(predicted: str, gold: str, html: str | None = None) -> dict:
    sides = segments(predicted, Profile.HELM), segments(gold, Profile.HELM)
    tables = ((0, 0, 0.5),) if all(side.tables for side in sides) else ()
    return detail_of(*sides, match_blocks(sides[0].blocks, sides[1].blocks), tables, lambda table: html)


def _panels(predicted: str, gold: str, html: str | None = None) -> tuple[Panel, ...]:
    return view(ShownSample(detail={NAME: _detail(predicted, gold, html)}))


def _rows(panels: tuple[Panel, ...], at: int = 0) -> tuple[DiffRow, ...]:
    panel = panels[at]
    assert isinstance(panel, DiffPanel)
    return panel.rows


def test_blocks_are_shown_with_those_that_match_them() -> None:
    rows = _rows(_panels("one two three\n\nadded here", "one two four\n\nquite another thing"))
    assert [(row.mark, row.label) for row in rows] == [
        (RowMark.CHANGED, "1 → 1\ndistance 0.38"), (RowMark.EXTRA, "– → 2"), (RowMark.MISSED, "2 → –"),
    ]  # fmt: skip
    assert rows[0].gold == (TextRun("one two "), TextRun("four", differs=True))
    assert rows[0].answer == (TextRun("one two "), TextRun("three", differs=True))
    assert rows[1].answer == (TextRun("added here", differs=True),)
    assert rows[2].answer == ()


def test_many_equal_blocks_are_folded() -> None:
    text = "\n\n".join(f"paragraph {'abcdefghij'[at] * 20}" for at in range(10))
    labels = [row.label for row in _rows(_panels(text, text))]
    assert labels == ["1 → 1", "8 equal blocks", "10 → 10"]


def test_every_predicted_block_is_shown_once() -> None:
    predicted = "zero zero\n\nfirst block\n\nextra extra\n\nsecond piece\n\nlast last last"
    rows = _detail(predicted, "second piece\n\nfirst block")["blocks"]
    assert sorted(row[1] for row in rows) == [0, 1, 2, 3, 4]


def test_headings_show_levels_that_differ() -> None:
    rows = _rows(_panels("# A\n\n# B\n\n# New", "# A\n\n## B"), 1)
    assert [(row.mark, row.gold_depth, row.answer_depth) for row in rows] == [
        (RowMark.MATCHED, 0, 0), (RowMark.CHANGED, 1, 0), (RowMark.EXTRA, 0, 0),
    ]  # fmt: skip
    assert rows[1].gold[0] == TextRun("##", differs=True)


def test_tables_are_cells_of_text() -> None:
    html = "<table><tr><th colspan=2>a<b>b</b></th></tr><tr><td>&lt;script&gt;</td><td>2</td></tr></table>"
    panel = _panels(TABLE, TABLE, html)[-1]
    assert isinstance(panel, TablesPanel)
    (pair,) = panel.pairs
    assert pair.gold == pair.answer
    assert pair.gold is not None
    assert [[cell.text for cell in row] for row in pair.gold] == [["ab"], ["<script>", "2"]]
    assert (pair.gold[0][0].heading, pair.gold[0][0].columns) == (True, 2)
    assert "similarity 0.500" in pair.title


def test_tables_that_were_not_converted_are_not_drawn() -> None:
    assert not any(isinstance(panel, TablesPanel) for panel in _panels(TABLE, TABLE))


@pytest.mark.parametrize("letter", ["a", "é", "\U0001d4d0"])
@pytest.mark.parametrize("kind", ["{}\n\n", "# {}\n\n", "{} "])
def test_the_detail_of_a_long_document_is_short_and_says_what_is_left_out(letter: str, kind: str) -> None:
    texts = ["".join(kind.format(letter * 200 + str(7919 * at % 1000)) for at in range(n)) for n in (900, 3)]
    found = _detail(texts[0], texts[1])
    assert len(json.dumps(found)) <= MAX_BYTES
    shown = sum(1 if isinstance(row, list) else row for row in found["blocks"])
    assert shown + found["blocks_left"] >= found["counts"]["predicted"]["blocks"]


def test_blocks_are_cut_around_the_first_difference() -> None:
    same = "word " * 3000
    (row,) = _detail(f"{same}one", f"{same}two")["blocks"]
    assert row[3].startswith("…")
    assert (row[3][-3:], row[4][-3:]) == ("two", "one")


def test_hostile_texts_stay_text() -> None:
    record = flat_record(
        "a", "readoc", "github", "", outcome=Outcome.SCORED, detail={NAME: _detail(EVIL, "# x")}
    )
    (panel, _) = panels_of(record)
    (row,) = [row for row in panel["rows"] if row[0] == "extra"]
    assert row[5][0][0] == EVIL.replace("\u202e", "\\u202e").replace("\x07", "\\x07")


@pytest.mark.parametrize("detail", [{}, {"blocks": []}, {"blocks": [[1]]}, {"blocks": 7}, []])
def test_a_detail_of_another_version_shows_nothing(detail: object) -> None:
    record = flat_record("a", "readoc", "github", "", outcome=Outcome.SCORED, detail={NAME: detail})
    assert panels_of(record) == []


def test_the_scorer_keeps_what_the_view_shows() -> None:
    found = ReadocScorer(Profile.HELM).score(
        Scorable("a", "# T\n\nsaid", target="# T\n\nmeant", subset="github")
    )
    assert isinstance(found, MetricValues)
    assert [one.title for one in view(ShownSample(detail={NAME: found.detail}))] == ["Blocks", "Headings"]
