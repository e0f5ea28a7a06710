"""What convert-ly would do to a score, told from its text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_lilypond.converter import Need, copied, need, states_version
from i2s_wire.render.options import LilypondConvert

LATEST = (2, 24, 0)


def version(stated):
    return f'\\version "{stated}"\n{{ c4 }}\n'


@pytest.mark.parametrize("stated", ["2.24.0", "2.24.3", "2.25.1", "3.0.0", "2.26"])
def test_a_score_of_the_newest_rule_is_only_copied(stated):
    assert need(version(stated), "", LilypondConvert.AUTO, LATEST) is Need.IDENTITY


@pytest.mark.parametrize("stated", ["2.23.14", "2.18.2", "2.24", "0.1.0", "2.19", "2", "2..4", "9" * 5000])
def test_older_and_odd_versions_are_for_convert_ly_to_judge(stated):
    assert need(version(stated), "", LilypondConvert.AUTO, LATEST) is Need.RULES


def test_without_a_version_the_score_is_current_syntax():
    assert need("{ c4 }", "", LilypondConvert.AUTO, LATEST) is Need.NOTHING


def test_without_a_version_the_assumed_one_counts():
    assert need("{ c4 }", "2.18.0", LilypondConvert.AUTO, LATEST) is Need.RULES


def test_a_stated_version_counts_more_than_the_assumed_one():
    assert need(version("2.24.0"), "2.18.0", LilypondConvert.AUTO, LATEST) is Need.IDENTITY


def test_where_conversion_is_required_a_version_is_too():
    assert need("{ c4 }", "", LilypondConvert.REQUIRED, LATEST) is Need.REFUSE
    assert need("{ c4 }", "2.12.0", LilypondConvert.REQUIRED, LATEST) is Need.RULES


def test_where_conversion_is_off_nothing_happens():
    assert need(version("2.12.0"), "2.12.0", LilypondConvert.OFF, LATEST) is Need.NOTHING


def test_the_first_version_counts_even_in_a_comment():
    text = f"% {version('2.12.0')}{version('2.24.0')}"
    assert need(text, "", LilypondConvert.AUTO, LATEST) is Need.RULES


@pytest.mark.parametrize("text", ['\\version "x"', "\\version 2.24.0", 'version "2.24.0"'])
def test_what_convert_ly_does_not_take_for_a_version_is_none(text):
    assert not states_version(text)


@given(st.text(alphabet="ab\r\n\u2028\u00e4", max_size=40))
def test_a_copy_differs_in_line_ends_alone(text):
    assert copied(text.encode()).decode() == text.replace("\r\n", "\n").replace("\r", "\n")
