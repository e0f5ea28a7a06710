"""A piece passes all filters, or is left out by the first that it does not pass."""

import io
import tarfile
from dataclasses import dataclass

import pytest
from PIL import Image, ImageDraw

from i2s_collect.candidates import Piece, Reason
from i2s_collect.filters import Filters


@dataclass
class Judge:
    """Says what a test wants."""

    value: float
    name: str = "words"
    version: str = "2"
    limit: float = 0.5

    def judge(self, content) -> float:
        return self.value


def png(staff: bool = True) -> bytes:
    image = Image.new("RGB", (400, 120), "white")
    draw = ImageDraw.Draw(image)
    if staff:
        for line in range(5):
            draw.line((10, 40 + 8 * line, 390, 40 + 8 * line), fill="black")
    for x in range(40, 360, 30):
        draw.ellipse((x, 50, x + 9, 58), fill="black")
        draw.line((x + 9, 54, x + 9, 26), fill="black")
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def archive(*names: str) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for name in names:
            tar.addfile(tarfile.TarInfo(name))
    return file.getvalue()


def piece(structure: bytes = b"") -> Piece:
    return Piece("subset", "", (0, 0), structure, "", 0)


def test_a_piece_that_passes_has_all_values():
    judged = Filters("music", [Judge(0.123456)]).judge(piece(), png(), "text")
    assert judged.dropped is None
    assert judged.values["words"] == 0.1235
    assert judged.values["sheet_music"] >= 0.5
    assert judged.values["width"] == 400


def test_music_without_staves_is_left_out_and_latex_is_not():
    assert Filters("music").judge(piece(), png(staff=False), "").dropped.reason is Reason.NOT_MUSIC
    assert Filters("latex").judge(piece(), png(staff=False), "").dropped is None


def test_a_blank_picture_is_left_out_before_judges_are_asked():
    file = io.BytesIO()
    Image.new("RGB", (100, 100), "white").save(file, "PNG")
    judged = Filters("latex", [Judge(1.0)]).judge(piece(), file.getvalue(), "")
    assert judged.dropped.reason is Reason.BLANK
    assert "words" not in judged.values


@pytest.mark.parametrize(("value", "reason"), [(0.5, None), (0.51, Reason.HARMFUL_TEXT)])
def test_a_text_may_reach_the_limit(value, reason):
    dropped = Filters("latex", [Judge(value)]).judge(piece(), png(), "").dropped
    assert (dropped and dropped.reason) == reason


def test_a_harmful_picture_is_left_out():
    judged = Filters("webpage", (), [Judge(0.9)]).judge(piece(), png(), "")
    assert judged.dropped.reason is Reason.HARMFUL_PICTURE


def test_data_of_people_are_flags_or_reasons():
    page = piece(archive("a/team-1.png", "a/team-2.png", "portrait.jpg"))
    judged = Filters("webpage").judge(page, png(), "ann@example.org")
    assert judged.dropped is None
    assert judged.flags == ("email_address", "portraits")
    strict = Filters("webpage", redistributable=True).judge(page, png(), "ann@example.org")
    assert strict.dropped.reason is Reason.PERSONAL_DATA
    assert "ann" not in strict.dropped.detail
    assert Filters("latex").judge(piece(), png(), "ann@example.org").flags == ()


def test_facts_name_the_models():
    facts = Filters("music", [Judge(0, name="a")], [Judge(0, name="b")]).facts
    assert {"pictures", "sheet music", "a", "b"} == set(facts)
    assert facts["a"] == "2, limit 0.5"
