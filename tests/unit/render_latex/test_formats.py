import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.jail import JailError
from i2s_render_latex.document import BEGIN
from i2s_render_latex.format_build import LIMITS_OF_BUILD, Built, FormatError
from i2s_render_latex.formats import BuildBudget, BuildShares, FormatCache, Formats

HOT = 3


class Builder:
    """Counts what it is asked for; refuses what holds the word bad."""

    def __init__(self, cpu_seconds=0.0):
        self.cpu_seconds = cpu_seconds
        self.asked = []
        self.done = asyncio.Event()

    async def __call__(self, preamble):
        self.asked.append(preamble)
        self.done.set()
        if b"bad" in preamble:
            error = FormatError("bad")
            error.cpu_seconds = self.cpu_seconds
            raise error
        if b"broken" in preamble:
            raise JailError("broken")
        return Built(b"dump of " + preamble, self.cpu_seconds)


@pytest.fixture
def builder():
    return Builder()


@pytest.fixture
def formats(tmp_path, builder):
    return Formats(FormatCache(tmp_path, "digest", 10_000), builder, HOT)


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
        return Built(b"dump")

    formats = Formats(FormatCache(tmp_path, "digest", 10_000), build, HOT)
    await formats.know({"paper": b"pre"})
    (found,) = formats.find(b"pre", ())
    assert found.head == b"pre"


async def test_what_has_begun_serves_only_beside_the_format_of_its_whole_preamble(tmp_path, builder):
    cache = FormatCache(tmp_path, "digest", 10_000)
    formats = Formats(cache, builder, HOT)
    await formats.know({"short": b"a"})
    cache.write(b"a\n\\b" + BEGIN, b"dump")
    cache.add(b"a\n\\b" + BEGIN)
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
    formats = Formats(FormatCache(tmp_path, "digest", 10_000), builder, 0)
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


async def drained(formats, builder, *, until):
    """Let the builder work until it has been asked so many times and nothing is wanted any more."""
    async with formats.open():
        while len(builder.asked) < until or not formats._wanted.empty():
            await asyncio.sleep(0)


@pytest.mark.parametrize("kind", [b"hot", b"bad"])
async def test_many_hot_preambles_of_a_caller_cost_no_more_than_its_budget(tmp_path, kind):
    builder = Builder(cpu_seconds=10.0)
    budget = BuildBudget(BuildShares(total=60.0, caller=15.0), clock=lambda: 0.0)
    formats = Formats(FormatCache(tmp_path, "digest", 10_000), builder, 1, budget)
    for number in range(9):
        formats.saw(b"%s%d" % (kind, number), "peer:1")
    await drained(formats, builder, until=2)
    assert len({head.removesuffix(BEGIN) for head in builder.asked}) <= 2
    formats.saw(b"more", "peer:1")
    formats.saw(b"other", "peer:2")
    await drained(formats, builder, until=len(builder.asked) + 1)
    assert b"other" in builder.asked
    assert b"more" not in builder.asked


async def test_all_callers_together_have_a_budget(tmp_path):
    now = 0.0
    builder = Builder(cpu_seconds=10.0)
    budget = BuildBudget(BuildShares(total=15.0, caller=15.0), clock=lambda: now)
    formats = Formats(FormatCache(tmp_path, "digest", 10_000), builder, 1, budget)
    for number in range(9):
        formats.saw(b"hot%d" % number, f"peer:{number}")
    await drained(formats, builder, until=2)
    assert builder.asked == [b"hot0", b"hot0" + BEGIN]
    now = 120.0
    formats.saw(b"hot5", "peer:5")
    await drained(formats, builder, until=4)
    assert builder.asked[2:] == [b"hot5", b"hot5" + BEGIN]


async def test_one_format_is_built_at_a_time(tmp_path):
    begun, ended, may_end = [], [], asyncio.Event()

    async def build(head):
        assert begun == ended, "another build is under way"
        begun.append(head)
        await may_end.wait()
        ended.append(head)
        return Built(b"dump")

    formats = Formats(FormatCache(tmp_path, "digest", 10_000), build, 1)
    for name in (b"hot0", b"hot1", b"hot2"):
        formats.saw(name)
    async with formats.open():
        while not begun:
            await asyncio.sleep(0)
        for _ in range(50):  # time enough for another one to begin
            await asyncio.sleep(0)
        assert (begun, ended) == ([b"hot0"], [])
        may_end.set()
        while len(formats.find(b"hot2", ())) < 2:
            await asyncio.sleep(0)
    assert ended == [b"hot0", b"hot0" + BEGIN, b"hot1", b"hot1" + BEGIN, b"hot2", b"hot2" + BEGIN]


async def test_no_build_begins_under_load(tmp_path, builder, monkeypatch):
    monkeypatch.setattr("i2s_render_latex.formats._LOOK_SECONDS", 0)
    idle, looks = False, 0

    def is_idle():
        nonlocal looks
        looks += 1
        return idle

    formats = Formats(FormatCache(tmp_path, "digest", 10_000), builder, 1, is_idle=is_idle)
    formats.saw(b"hot")
    async with formats.open():
        while looks < 50:
            await asyncio.sleep(0)
        assert builder.asked == []
        idle = True
        await builder.done.wait()
    assert builder.asked[0] == b"hot"


async def test_the_second_build_waits_while_the_service_is_busy_again(tmp_path, builder, monkeypatch):
    monkeypatch.setattr("i2s_render_latex.formats._LOOK_SECONDS", 0)
    looks_when_busy = 0

    def is_idle():
        nonlocal looks_when_busy
        looks_when_busy += bool(builder.asked)
        return not builder.asked or looks_when_busy > 50

    formats = Formats(FormatCache(tmp_path, "digest", 10_000), builder, 1, is_idle=is_idle)
    formats.saw(b"hot")
    async with formats.open():
        while len(builder.asked) < 2:
            assert looks_when_busy <= 51
            await asyncio.sleep(0)
    assert looks_when_busy == 51
    assert builder.asked == [b"hot", b"hot" + BEGIN]


async def test_known_preambles_wait_for_nobody(tmp_path, builder):
    formats = Formats(FormatCache(tmp_path, "digest", 10_000), builder, 1, is_idle=lambda: False)
    await formats.know({"paper": b"pre"})
    assert builder.asked == [b"pre", b"pre" + BEGIN]


@pytest.mark.parametrize(("seconds", "charge"), [(4.0, 4.0), (50.0, LIMITS_OF_BUILD.cpu_seconds)])
async def test_a_build_that_ends_in_a_fault_of_the_jail_is_charged_what_it_may_have_used(
    tmp_path, seconds, charge
):
    now, charged = 0.0, []

    class Noting(BuildBudget):
        def charge(self, caller, cpu_seconds):
            charged.append((caller, cpu_seconds))
            super().charge(caller, cpu_seconds)

    async def build(head):
        nonlocal now
        now += seconds
        raise JailError("broken")

    budget = Noting(BuildShares(), clock=lambda: 0.0)
    cache = FormatCache(tmp_path, "digest", 10_000)
    formats = Formats(cache, build, 1, budget, clock=lambda: now)
    formats.saw(b"hot", "peer:1")
    async with formats.open():
        while not charged:
            await asyncio.sleep(0)
    assert charged == [("peer:1", charge)]
    assert not budget.allows("peer:1")


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def budget(clock):
    return BuildBudget(BuildShares(total=10.0, caller=5.0), clock)


def test_a_caller_is_held_back_until_its_debt_is_refilled(budget, clock):
    budget.charge("a", 7.5)
    assert not budget.allows("a")
    assert budget.allows("b")
    clock.now = 30.0  # 2.5 of 5 seconds a minute: the debt, and nothing more
    assert not budget.allows("a")
    clock.now = 30.1
    assert budget.allows("a")


def test_all_callers_are_held_back_together(budget, clock):
    budget.charge("a", 5.0)
    budget.charge("b", 5.0)
    assert not budget.allows("c")
    clock.now = 6.0
    assert budget.allows("c")


def test_what_is_not_used_adds_up_for_one_minute_alone(budget, clock):
    clock.now = 1e6
    budget.charge("a", 5.0)
    assert not budget.allows("a")


@given(st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 20), st.floats(0, 30)), max_size=60))
def test_a_caller_never_gets_more_than_its_share_and_one_build(steps):
    clock = Clock()
    budget, used = BuildBudget(BuildShares(total=10.0, caller=5.0), clock), dict.fromkeys("abc", 0.0)
    for caller, cost, pause in steps:
        clock.now += pause
        if budget.allows(caller):
            budget.charge(caller, cost)
            used[caller] += cost
    minutes = clock.now / 60
    assert all(spent <= 5.0 * (1 + minutes) + 20 + 1e-6 for spent in used.values())
    assert sum(used.values()) <= 10.0 * (1 + minutes) + 20 + 1e-6
