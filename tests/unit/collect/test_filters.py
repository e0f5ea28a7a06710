"""The language of a page is what its text says, or that it cannot be determined."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from i2s_collect.candidates import Piece, Reason
from i2s_collect.filters import MIN_LETTERS, Filters, LanguageIdentifier
from i2s_sdk.cli.main import run

IDENTIFIER = LanguageIdentifier()
ENGLISH = "Welcome to my home page. I write about gardening, music and the weather in Scotland."
GERMAN = "Willkommen auf meiner Seite. Hier schreibe ich über Gärten, Musik und das Wetter."
CHINESE = (
    "这是我的个人主页，我在这里写关于音乐、园艺和天气的文章，"
    "欢迎大家来访问并留言，谢谢大家一直以来的支持和关注。"
)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (ENGLISH, "en"),
        (GERMAN, "de"),
        (CHINESE, "zh"),
        ("به صفحه من خوش آمدید. اینجا درباره موسیقی و باغبانی می نویسم و هر روز مطلب تازه دارم.", "fa"),
        ("", "und"),
        ("Home", "und"),
        ("1234567890 " * 20, "und"),
        ("x" * (MIN_LETTERS - 1), "und"),
        ("Contact Home About GitHub Projects Blog CV Photos", "und"),
        ("\ud800" * 100, "und"),
    ],
)
def test_languages_are_named_where_the_text_says_so(text: str, language: str) -> None:
    found, probability = IDENTIFIER.identify(text)
    assert found == language
    assert 0 <= probability <= 1
    assert IDENTIFIER.identify(text) == (found, probability)


def png() -> bytes:
    image = Image.new("RGB", (200, 100), "white")
    draw = ImageDraw.Draw(image)
    draw.rectangle((10, 10, 100, 60), fill="black")
    draw.rectangle((110, 10, 190, 90), fill="red")
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


PIECE = Piece("css", "", (0, 0), b"", "", 1)


@pytest.mark.parametrize(
    ("wanted", "text", "dropped"),
    [
        (frozenset(), GERMAN, False),
        (frozenset({"en"}), ENGLISH, False),
        (frozenset({"en"}), GERMAN, True),
        (frozenset({"en", "de"}), GERMAN, False),
        (frozenset({"en"}), "Home", True),
        (frozenset({"en", "und"}), "Home", False),
    ],
)
def test_pages_in_other_languages_are_dropped_if_some_are_named(
    wanted: frozenset[str], text: str, dropped: bool
) -> None:
    filters = Filters("webpage", identifier=IDENTIFIER, languages=wanted)
    judged = filters.judge(PIECE, png(), text)
    assert judged.values["language"] == IDENTIFIER.identify(text)[0]
    assert (judged.dropped is not None and judged.dropped.reason is Reason.LANGUAGE) == dropped
    assert filters.facts["languages"] == (" ".join(sorted(wanted)) or "all")
    assert filters.facts["language"].startswith("py3langid ")


WINDOW = ("--from", "2026-10-01", "--until", "2026-10-31")


@pytest.mark.parametrize(
    ("source", "code", "why"),
    [
        ("github-pages", "english", "'english' is no language that py3langid"),
        ("arxiv", "en", "--language is for web pages; instances of task latex have no natural language"),
    ],
)
def test_a_language_that_cannot_be_wanted_is_one_line_and_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], source: str, code: str, why: str
) -> None:
    into = tmp_path / "set"
    assert run(["collect", source, *WINDOW, "--offline", "--into", str(into), "--language", code]) == 2
    assert why in capsys.readouterr().err
    assert not into.exists()
