"""Scores of people: reading files, and what is made of them."""

import json
import re

import pytest
from click.testing import CliRunner

from i2s_sdk.cli.main import group
from i2s_sdk.errors import DataError
from i2s_sdk.stats.human_scores import HumanScore, by_system, correlations, human_scoring_of, read_scores

SCORING = human_scoring_of()
LINES = (
    "ID,Prompt,Model,Correct_final,Relevance_final,Scientific_final\n"
    'a_1_1,"One, two",x,3,4,5\n'
    "n_1_1,Three,x,0,0,0\n"
    "a_1_1,One,y,5,4.5,1\n"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(LINES, encoding="utf-8")
    return path


def test_scores_are_summed_up_by_system(file):
    first, second = by_system(read_scores(file, SCORING))
    assert (first.system, first.language, first.figures, first.failed) == ("x", "en", 2, 1)
    assert first.means == (1.5, 2.0, 2.5)
    assert first.compiled_means == (3.0, 4.0, 5.0)
    assert first.correctness == {"a": 3.0, "n": 0.0}
    assert second.means == (5.0, 4.5, 1.0)


def test_a_system_that_always_fails_has_no_means_of_what_compiled():
    (only,) = by_system([HumanScore("x", "a_1", (0.0, 0.0, 0.0))])
    assert (only.failed, only.compiled_means) == (1, None)


def test_correlations_need_values_that_vary():
    constant = [HumanScore("x", "a_1", (1.0, 1.0, 1.0))] * 3
    assert set(correlations(constant, SCORING.names).values()) == {None}
    assert set(correlations([], SCORING.names).values()) == {None}
    rising = [HumanScore("x", "a_1", (float(n), float(n), float(-n + 5))) for n in range(4)]
    found = correlations(rising, SCORING.names)
    assert found["correctness and relevance"] == pytest.approx(1.0)
    assert found["correctness and scientific"] == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("ID,Model\n", "no column that begins with Correct"),
        (LINES.replace("3,4,5", "3,x,5"), "2: ['3', 'x', '5'] are not 3 scores"),
        (LINES.replace("3,4,5", "3,4,6"), "are not from 0 to 5"),
        (LINES.replace("3,4,5", "3,4"), "are not 3 scores"),
        (LINES.replace("3,4,5", "3,4,nan"), "are not from 0 to 5"),
        ("", "no column that begins with Model"),
    ],
)
def test_what_is_no_file_of_scores_is_refused(file, content, words):
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=re.escape(words)):
        read_scores(file, SCORING)


def test_a_file_that_is_not_there_is_a_fault(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_scores(tmp_path / "none.csv", SCORING)


def test_the_command_prints_tables(file):
    told = CliRunner().invoke(group, ["human-scores", str(file)])
    assert told.exit_code == 0
    assert (
        "x       en              2       1   1.50  2.00  2.50   3.00  4.00  5.00  3.00  0.00" in told.output
    )
    assert "Correlation of correctness and relevance: " in told.output
    told = CliRunner().invoke(group, ["human-scores", str(file), "--json"])
    assert [system["system"] for system in json.loads(told.output)["systems"]] == ["x", "y"]
