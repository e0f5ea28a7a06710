"""Answers as bytes: equal for equal answers, and read back as they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from i2s_wire.errors import ContractError
from i2s_wire.metrics.score import MetricFailure, MetricFailureKind, MetricResult
from i2s_wire.metrics.serialized import result_bytes, result_from_bytes
from i2s_wire.render.rendering import LogExcerpt, Picture, Rendering, Stage, Verdict
from i2s_wire.render.request import LatexSource, RenderRequest
from i2s_wire.render.resources import Usage
from i2s_wire.render.serialized import rendering_bytes, rendering_from_bytes, request_bytes

RENDERING = Rendering(
    Verdict.RENDERED,
    "drawn",
    (Picture(b"png", 2, 3, sha256="ab"),),
    log=LogExcerpt("head", "", 4),
    stages=(Stage("compile", Usage(0.1 + 0.2, 1 / 3)),),
)
RESULTS = [
    MetricResult("ems", 1 / 3, parts={"b": 0.1, "a": 0.2}, version="2"),
    MetricResult("ssim", failure=MetricFailure(MetricFailureKind.UNDEFINED, "too small"), version="1"),
]


def test_a_rendering_is_read_back_as_it_was_and_equal_ones_have_equal_bytes() -> None:
    content = rendering_bytes(RENDERING)
    assert rendering_from_bytes(content) == RENDERING
    assert rendering_bytes(rendering_from_bytes(content)) == content


@pytest.mark.parametrize("result", RESULTS, ids=lambda one: one.name)
def test_a_result_is_read_back_as_it_was_whatever_the_order_of_its_parts(result: MetricResult) -> None:
    content = result_bytes(result)
    assert result_from_bytes(content) == result
    parts = dict(reversed(list(result.parts.items())))
    assert result_bytes(replace(result, parts=parts)) == content


def test_the_id_of_a_request_is_not_among_its_bytes() -> None:
    request = RenderRequest(LatexSource(b"x"), id="one")
    assert request_bytes(request) == request_bytes(replace(request, id="two"))
    assert request_bytes(request) != request_bytes(replace(request, source=LatexSource(b"y")))


@pytest.mark.parametrize("read", [rendering_from_bytes, result_from_bytes])
def test_bytes_that_are_no_answer_are_refused(read: object) -> None:
    assert callable(read)
    for content in (b"\xff no message", b""):
        with pytest.raises(ContractError):
            read(content)
