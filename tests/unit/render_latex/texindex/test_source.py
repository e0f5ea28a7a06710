from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex.texindex.source import clean, with_depth


def test_comments_are_left_out_and_escaped_percents_are_not_comments() -> None:
    assert clean("a% b\n  c") == "ac"
    assert "c" in clean(r"a\% c")
    assert "c" not in clean("a\\\\% c")


def test_nothing_after_endinput_is_read() -> None:
    assert clean("\\def\\a{}\n\\endinput\n\\def\\b{}") == "\\def\\a{}\n"


def test_endinput_under_a_condition_ends_nothing() -> None:
    assert "\\def\\b" in clean("\\ifx\\a\\b\n\\endinput\n\\fi\n\\def\\b{}")
    assert "\\def\\b" in clean("\\endinput\\fi\n\\def\\b{}")


@given(st.text(alphabet="ab\\{}% \n", max_size=60))
def test_clean_text_has_no_escaped_braces_and_no_comments(text: str) -> None:
    cleaned = clean(text)
    assert "%" not in cleaned
    assert "\\{" not in cleaned
    assert "\\}" not in cleaned


def test_depth_counts_the_groups_that_are_open() -> None:
    import re

    text = "x{x{x}x}x"
    assert [depth for _, depth in with_depth(text, re.finditer("x", text))] == [0, 1, 2, 1, 0]


def test_a_brace_too_many_does_not_make_depth_negative() -> None:
    import re

    text = "}}x{x"
    assert [depth for _, depth in with_depth(text, re.finditer("x", text))] == [0, 1]
