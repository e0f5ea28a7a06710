from dataclasses import dataclass

import pytest

from i2s_sdk.tasks import Repair, Repaired, RepairKind, render_with_repairs, render_with_repairs_async
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.source_error import SourceError

REFUSED = Rendering(Verdict.COMPILE_ERROR, error=SourceError("bad"))
RENDERED = Rendering(Verdict.RENDERED)


@dataclass(frozen=True)
class Appending:
    """A task whose repair appends an x, so often."""

    most: int

    def repair(self, document: str, rendering: Rendering, past: tuple[Repair, ...]) -> Repaired[str] | None:
        if rendering.verdict.has_picture or len(past) == self.most:
            return None
        return Repaired(document + "x", Repair(RepairKind.ADD_PACKAGE, "x", rendering.message))


def test_a_document_that_renders_is_rendered_once() -> None:
    attempts = render_with_repairs(Appending(3), "", lambda document: RENDERED)
    assert (attempts.document, attempts.renderings, attempts.repairs) == ("", (RENDERED,), ())


def test_every_repair_is_followed_by_one_more_rendering() -> None:
    attempts = render_with_repairs(
        Appending(9), "", lambda document: RENDERED if document == "xx" else REFUSED
    )
    assert attempts.document == "xx"
    assert attempts.renderings == (REFUSED, REFUSED, RENDERED)
    assert [repair.detail for repair in attempts.repairs] == ["x", "x"]
    assert (attempts.first, attempts.last) == (REFUSED, RENDERED)


def test_the_loop_ends_when_no_repair_is_left() -> None:
    attempts = render_with_repairs(Appending(2), "", lambda document: REFUSED)
    assert (len(attempts.renderings), attempts.last) == (3, REFUSED)


def test_a_fault_of_the_renderer_is_no_verdict() -> None:
    def faulty(document: str) -> Rendering:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        render_with_repairs(Appending(3), "", faulty)


async def test_coroutines_give_the_same() -> None:
    async def render(document: str) -> Rendering:
        return RENDERED if document == "xx" else REFUSED

    attempts = await render_with_repairs_async(Appending(9), "", render)
    assert attempts == render_with_repairs(
        Appending(9), "", lambda document: RENDERED if document == "xx" else REFUSED
    )
