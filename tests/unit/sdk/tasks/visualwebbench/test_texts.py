"""Texts in answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.visualwebbench.texts import (
    read_description,
    read_element_text,
    read_plain,
    unquoted,
    without_marks,
)
from i2s_wire.metrics.profile import Profile

META = '<meta name="description" content="{}">'


@pytest.mark.parametrize(
    ("answer", "released", "read"),
    [
        (META.format("One."), "One.", "One."),
        (f"Sure:\n{META.format('One.')}\n{META.format('Two.')}", "One.", "One."),
        (f"{META.format('One.')} or {META.format('Two.')}", f'One."> or {META.format("Two.")[:-2]}', "One."),
        (META.format("Tea &amp; cake"), "Tea &amp; cake", "Tea & cake"),
        ("<META content='One.' name='description' />", None, "One."),
        (f"```html\n{META.format('One.')}\n```", "One.", "One."),
        ('<meta name="description" content="cut off in the', None, "cut off in the"),
        ('<meta name="keywords" content="x"><meta name=description content="One.">', None, "One."),
        ("Meta Description: One.", None, "One."),
        ('"One."', None, "One."),
        ("One.", None, "One."),
    ],
)
def test_descriptions(answer: str, released: str | None, read: str) -> None:
    assert read_description(answer, Profile.HELM) == (answer if released is None else released)
    assert read_description(answer, Profile.PAPER) == read


@pytest.mark.parametrize(
    ("answer", "released", "read"),
    [
        ('The text content within the red bounding box is: "Sign in"', "Sign in", "Sign in"),
        ("The text content in the red bounding box is:\nOpen: 9 to 5", "Open: 9 to 5", "Open: 9 to 5"),
        ("**The text content within the red bounding box is:** Sign in", "** Sign in", "Sign in"),
        ("Open: 9 to 5", "9 to 5", "Open: 9 to 5"),
        ("  'Sign in' ", "  'Sign in' ", "Sign in"),
        ("Text: \"'Sign in'\"", "Sign in", "Text: \"'Sign in'\""),
        ("Text: '\"Sign in\"'", '"Sign in"', "Text: '\"Sign in\"'"),
        ("```\nSign in\n```", "```\nSign in\n```", "Sign in"),
    ],
)
def test_texts_of_elements(answer: str, released: str, read: str) -> None:
    assert read_element_text(answer, Profile.HELM) == released
    assert read_element_text(answer, Profile.PAPER) == read


def test_other_texts_are_taken_verbatim_or_without_what_surrounds_them() -> None:
    assert read_plain(' "Title" \n', Profile.HELM) == ' "Title" \n'
    assert read_plain(' "Title" \n', Profile.PAPER) == "Title"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("**Sign in**", "Sign in"),
        ("*Sign in*", "Sign in"),
        ("***Sign in***", "Sign in"),
        ("__Sign__ _in_", "Sign in"),
        ("`Sign in`", "Sign in"),
        ("# Sign in", "Sign in"),
        ("## **Welcome to** *Shop*", "Welcome to Shop"),
        ('**"Sign in"**', "Sign in"),
        ('"**Sign in**"', "Sign in"),
        ("**50 % off**!", "50 % off!"),
        ("**登录**账户", "登录账户"),
        (r"Name \*", "Name *"),
        (r"\*new\*", "*new*"),
        ("```\n*x*\n```", "*x*"),
    ],
)
def test_marks_of_markdown_are_not_text(answer: str, text: str) -> None:
    assert read_plain(answer, Profile.PAPER) == text
    assert read_plain(answer, Profile.HELM) == answer
    assert (
        read_element_text(f"**The text content within the red bounding box is:**\n{answer}", Profile.PAPER)
        == text
    )
    assert read_description(answer, Profile.PAPER) == text


@pytest.mark.parametrize(
    "text",
    [
        *("5 * 3", "2*3*4 = 24", "4*5 and 6*7", "snake_case and my_own_name", "Name * Email *", "* required"),
        *("*", "**", "**********", "Price* incl. VAT*", "#1 in sales", "C# and F#", "a `b", "**Sign in"),
        *(
            r"C:\dir costs \$5",
            "<b>Tea</b> &amp; cake",
            "one\n  two\n\nthree",
            "[Home](x)",
            "1. One\n2. Two",
            "a\\\nb",
        ),
    ],
)
def test_characters_that_are_text_stay(text: str) -> None:
    assert read_plain(text, Profile.PAPER) == text


@given(
    st.text(alphabet=st.characters(exclude_characters="*_`#\\\r\0\ufdd0\ufdd1", exclude_categories=["Cs"]))
)
def test_a_text_without_marks_stays_and_gains_nothing_by_emphasis(text: str) -> None:
    assert without_marks(text) == text
    bold = text.strip()
    if bold[:1].isalnum() and bold[-1:].isalnum():
        assert without_marks(f"**{bold}**") == bold


def test_quotes_inside_of_a_text_stay() -> None:
    assert unquoted('"One" and "two"') == '"One" and "two"'
    assert unquoted("“It's here”") == "It's here"
    assert unquoted('"') == '"'
