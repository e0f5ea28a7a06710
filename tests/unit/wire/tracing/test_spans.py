from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from i2s_wire.tracing import (
    Kind,
    RemoteParent,
    begin_trace,
    current_span,
    record,
    span,
    trace_metadata,
    within,
)

WITHOUT = """
import sys
from i2s_wire.tracing import *

with exported_traces("i2s-sdk", "i2s-sdk", sys.exit, environ={}) as exports:
    assert not exports
    root = begin_trace("sample")
    with within(root), span("stage") as inner, span("call", kind=Kind.CLIENT):
        inner.set({"i2s.task": "latex"})
        current_span().add_event("retry")
        record("step", 1, 2)
        assert trace_metadata() == ()
    root.fail("Error")
    root.end()
assert not [name for name in sys.modules if name.startswith("opentelemetry")], "it was imported"
"""


def test_nothing_is_imported_where_no_export_is_asked_for():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)


def test_spans_are_children_of_those_around_them(spans):
    root = begin_trace("sample", {"i2s.task": "latex", "i2s.subset": "", "i2s.sample.id": None})
    with within(root), span("render"), span("call", kind=Kind.CLIENT):
        pass
    assert [one.name for one in spans.all()] == ["call", "render"]  # the root goes on
    root.end()
    root.end()
    call, render, sample = spans.all()
    assert (call.parent_id, render.parent_id, sample.parent_id) == (render.span_id, sample.span_id, 0)
    assert len({call.trace_id, render.trace_id, sample.trace_id}) == 1
    assert (call.kind, render.kind) == ("CLIENT", "INTERNAL")
    assert sample.attributes == {"i2s.task": "latex"}


def test_each_trace_is_of_its_own_and_linked_to_the_span_around(spans):
    with span("application", kind=Kind.CLIENT):
        begin_trace("sample").end()
        begin_trace("sample").end()
    one, other, application = spans.all()
    assert len({one.trace_id, other.trace_id, application.trace_id}) == 3
    assert one.links == other.links == (application.trace_id,)


def test_an_internal_span_is_made_within_a_recorded_one_alone(spans):
    with span("cell"):
        pass
    root = begin_trace("sample")
    root.end()
    with within(root), span("cell"):
        pass
    assert [one.name for one in spans.all()] == ["sample"]


def test_an_exception_marks_the_span_by_its_type_and_says_nothing_else(spans):
    with pytest.raises(ValueError, match="secret"), span("call", kind=Kind.CLIENT):
        raise ValueError("secret source text")
    call = spans.only("call")
    assert call.failed
    assert call.attributes == {"error.type": "ValueError"}
    assert call.events == ()


def test_a_step_that_is_over_is_recorded_with_its_times(spans):
    record("compile", 5, 9)
    with span("Render", kind=Kind.SERVER):
        record("compile", 1_000, 3_000, {"i2s.stage.detail": "cold"})
        record("crop", 3_000, 2_999)
    compiled, crop, render = spans.all()
    assert (compiled.start, compiled.end) == (1_000, 3_000)
    assert (crop.start, crop.end) == (3_000, 3_000)
    assert compiled.parent_id == render.span_id


def test_a_service_continues_the_trace_of_its_caller(spans):
    with span("call", kind=Kind.CLIENT):
        sent = dict(trace_metadata())
    with span("Render", kind=Kind.SERVER, parent=RemoteParent.of(sent)):
        pass
    call, render = spans.all()
    assert (render.trace_id, render.parent_id) == (call.trace_id, call.span_id)
    assert sent.keys() == {"traceparent"}


@pytest.mark.parametrize("value", ["", "00-zz-1-01", "00-" + "0" * 32 + "-" + "1" * 16 + "-01", "x" * 5000])
def test_a_malformed_parent_begins_a_trace(spans, value):
    with (
        span("around", kind=Kind.CLIENT),
        span("Render", kind=Kind.SERVER, parent=RemoteParent(value, "a=b")),
    ):
        pass
    render, around = spans.all()
    assert render.parent_id == 0
    assert render.trace_id != around.trace_id


def test_what_a_caller_does_not_sample_is_not_recorded(spans):
    parent = RemoteParent("00-" + "1" * 32 + "-" + "2" * 16 + "-00")
    with span("Render", kind=Kind.SERVER, parent=parent), span("cell"):
        assert trace_metadata()[0][1].endswith("-00")
    assert spans.all() == []


async def test_tasks_are_in_the_span_that_they_were_started_in(spans):
    async def work() -> None:
        with span("inner"):
            await asyncio.sleep(0)

    with span("call", kind=Kind.CLIENT):
        await asyncio.gather(work(), asyncio.to_thread(current_span().add_event, "seen"))
    inner, call = spans.all()
    assert inner.parent_id == call.span_id
    assert call.events == ("seen",)
