import asyncio

import pytest

from i2s_chassis.jail import JailError
from i2s_render_latex.format_build import FormatError
from i2s_render_latex.format_shelf import Shelf
from i2s_render_latex.formats import Formats
from i2s_render_latex.split import BEGIN

HOT = 3


class Builder:
    """Counts what it is asked for; refuses what holds the word bad."""

    def __init__(self):
        self.asked = []
        self.done = asyncio.Event()

    async def __call__(self, preamble):
        self.asked.append(preamble)
        self.done.set()
        if b"bad" in preamble:
            raise FormatError("bad")
        if b"broken" in preamble:
            raise JailError("broken")
        return b"dump of " + preamble


@pytest.fixture
def builder():
    return Builder()


@pytest.fixture
def formats(tmp_path, builder):
    return Formats(Shelf(tmp_path, "digest", 10_000), builder, HOT)


async def built(formats, builder, preamble):
    async with formats.open():
        await builder.done.wait()
        while len(formats.find(preamble, ())) < 2:
            await asyncio.sleep(0)


async def test_known_preambles_stand_ready_and_keep_their_names(formats, builder):
    await formats.know({"paper": b"pre\n"})
    assert formats.find(b"pre", ())[-1].name == "paper"
    assert builder.asked == [b"pre", b"pre" + BEGIN]


async def test_a_preamble_with_nothing_behind_it_has_a_second_format(formats):
    await formats.know({"paper": b"pre\n"})
    begun, plain = formats.find(b"pre", ())
    assert (begun.name, begun.head, begun.preamble) == ("paper, begun", b"pre" + BEGIN, b"pre")
    assert begun.is_kept
    assert formats.find(b"pre\n\\more", ()) == (plain,)


async def test_a_preamble_may_have_the_first_format_alone(tmp_path):
    async def build(head):
        if head.endswith(BEGIN):
            raise FormatError("writes files")
        return b"dump"

    formats = Formats(Shelf(tmp_path, "digest", 10_000), build, HOT)
    await formats.know({"paper": b"pre"})
    (found,) = formats.find(b"pre", ())
    assert found.head == b"pre"


async def test_what_has_begun_serves_only_beside_the_format_of_its_whole_preamble(tmp_path, builder):
    shelf = Shelf(tmp_path, "digest", 10_000)
    formats = Formats(shelf, builder, HOT)
    await formats.know({"short": b"a"})
    shelf.write(b"a\n\\b" + BEGIN, b"dump")
    shelf.add(b"a\n\\b" + BEGIN)
    assert [one.head for one in formats.find(b"a\n\\b", ())] == [b"a"]


async def test_the_longest_format_serves(formats):
    await formats.know({"short": b"a", "long": b"a\n\\b"})
    assert formats.find(b"a\n\\b\n\\c", ())[-1].name == "long"
    assert formats.find(b"a\n\\c", ())[-1].name == "short"
    assert not formats.find(b"x", ())


async def test_a_known_preamble_without_format_goes_cold(formats):
    await formats.know({"one": b"bad", "two": b"good"})
    assert not formats.find(b"bad", ())
    assert formats.find(b"good", ())


async def test_a_hot_preamble_gets_a_format(formats, builder):
    for _ in range(HOT):
        assert not formats.find(b"hot", ())
        formats.saw(b"hot")
    await built(formats, builder, b"hot")
    assert builder.asked == [b"hot", b"hot" + BEGIN]


async def test_a_preamble_below_the_threshold_gets_none(formats, builder):
    for _ in range(HOT - 1):
        formats.saw(b"rare")
    for _ in range(HOT):
        formats.saw(b"hot")
    await built(formats, builder, b"hot")
    assert builder.asked == [b"hot", b"hot" + BEGIN]


@pytest.mark.parametrize("refused", [b"bad", b"broken"])
async def test_a_preamble_that_cannot_be_dumped_is_tried_once(formats, builder, refused):
    for _ in range(5 * HOT):
        formats.saw(refused)
    async with formats.open():
        await builder.done.wait()
        for _ in range(5 * HOT):
            formats.saw(refused)
        for _ in range(HOT):
            formats.saw(b"hot")
        while not formats.find(b"hot", ()):
            await asyncio.sleep(0)
    assert builder.asked[:2] == [refused, b"hot"]


async def test_hot_formats_can_be_turned_off(tmp_path, builder):
    formats = Formats(Shelf(tmp_path, "digest", 10_000), builder, 0)
    for _ in range(100):
        formats.saw(b"hot")
    async with formats.open():
        await asyncio.sleep(0)
    assert builder.asked == []


@pytest.mark.parametrize(
    "name", ["article.cls", "x.sty", "graphics.cfg", "notes.tex", "noending", "data.csv"]
)
async def test_a_file_that_the_preamble_could_have_read_sends_the_document_cold(formats, name):
    await formats.know({"one": b"\\read{data.csv}"})
    assert not formats.find(b"\\read{data.csv}", [name])


@pytest.mark.parametrize("name", ["picture.png", "a/b.JPG", "other.csv"])
async def test_pictures_and_data_that_the_preamble_does_not_name_do_not(formats, name):
    await formats.know({"one": b"\\read{data.csv}"})
    assert formats.find(b"\\read{data.csv}", [name])
