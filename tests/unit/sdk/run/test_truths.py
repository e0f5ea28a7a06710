"""Ground truths that an evaluation keeps in memory."""

import asyncio

import pytest

from i2s_sdk.run.truths import Truth, Truths


def test_those_that_were_not_used_for_longest_make_room() -> None:
    truths = Truths(10)
    for key in "abc":
        truths.keep(key, Truth(key * 2, key * 2))
        truths.known("a")
    assert [key for key in "abc" if truths.known(key)] == ["a", "c"]


def test_what_has_no_room_is_not_kept_and_removes_nothing() -> None:
    truths = Truths(4)
    truths.keep("a", Truth("aaaa"))
    truths.keep("b", Truth("bbbbb"))
    assert truths.known("a") == Truth("aaaa")
    assert truths.known("b") is None
    truths.keep("a", Truth("a"))
    truths.keep("c", Truth("ccc"))
    assert truths.known("a") == Truth("a")


def test_none_is_kept_without_room() -> None:
    truths = Truths(0)
    truths.keep("a", Truth("a"))
    assert truths.known("a") is None


class Rendering:
    """Renders ground truths when it may, and counts them."""

    def __init__(self, *given: Truth | BaseException) -> None:
        self.given, self.renders, self.allowed = list(given), 0, asyncio.Event()

    async def __call__(self) -> Truth:
        self.renders += 1
        given = self.given.pop(0)
        await self.allowed.wait()
        if isinstance(given, BaseException):
            raise given
        return given


async def test_one_that_is_under_way_is_waited_for() -> None:
    truths, render = Truths(10), Rendering(Truth("a"))
    waiting = [asyncio.create_task(truths.value("a", render)) for _ in range(3)]
    await asyncio.sleep(0)
    render.allowed.set()
    assert await asyncio.gather(*waiting) == [Truth("a")] * 3
    assert render.renders == 1


async def test_one_that_is_given_up_is_rendered_by_the_next_and_an_error_is_that_of_all_who_wait() -> None:
    truths, render = Truths(10), Rendering(Truth("never"), OSError("gone"), Truth("a"))
    first, *others = (asyncio.create_task(truths.value("a", render)) for _ in range(3))
    await asyncio.sleep(0)
    first.cancel()
    while render.renders < 2:
        await asyncio.sleep(0)
    render.allowed.set()
    for other in others:
        with pytest.raises(OSError, match="gone"):
            await other
    assert await truths.value("a", render) == Truth("a")


async def test_one_of_which_something_is_missing_is_rendered_again() -> None:
    truths, render = Truths(100), Rendering(Truth("a", missing="TIME_LIMIT"), Truth("a", "drawn"))
    render.allowed.set()
    assert (await truths.value("a", render)).missing
    assert await truths.value("a", render) == Truth("a", "drawn")


async def test_nobody_waits_for_another_where_none_is_kept() -> None:
    truths, render = Truths(0), Rendering(Truth("a"), Truth("a"))
    waiting = [asyncio.create_task(truths.value("a", render)) for _ in range(2)]
    await asyncio.sleep(0)
    assert render.renders == 2
    render.allowed.set()
    await asyncio.gather(*waiting)
