import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.tasks.latex.characters import command_of, declarations


@pytest.mark.parametrize(
    ("character", "command"),
    [
        ("−", r"\ensuremath{-}"),
        ("≤", r"\ensuremath{\leq}"),
        ("α", r"\ensuremath{\alpha}"),
        ("ℝ", r"\ensuremath{\mathbb{R}}"),
        ("₁", r"\ensuremath{{}_{1}}"),
        ("⁻", r"\ensuremath{{}^{\ensuremath{-}}}"),
        ("✓", r"\ensuremath{\checkmark}"),
        ("\u200b", ""),
        ("\u202f", r"\,"),
        ("′", "'"),
    ],
)
def test_a_character_of_mathematics_has_its_command(character: str, command: str) -> None:
    assert command_of(character) == command


@pytest.mark.parametrize("character", ["a", "$", "中", "П", "🙂", "█", "\u0301", "é"])
def test_letters_of_text_and_what_no_font_has_have_none(character: str) -> None:
    assert command_of(character) is None


def test_a_character_is_declared_unless_latex_has_a_meaning_for_it() -> None:
    assert list(declarations("≤中")) == [
        r"\ifcsname u8:\detokenize{≤}\endcsname\else\DeclareUnicodeCharacter{2264}{\ensuremath{\leq}}\fi"
    ]


def test_a_character_of_text_is_declared_for_mathematics() -> None:
    *_, declared = declarations("→")
    assert declared == (r"\DeclareUnicodeCharacter{2192}{\TextOrMath{\csname text 2192\endcsname}{\to}}")


@given(st.characters())
def test_braces_of_every_command_are_balanced(character: str) -> None:
    command = command_of(character) or ""
    assert command.count("{") == command.count("}")
    assert command.isascii()
