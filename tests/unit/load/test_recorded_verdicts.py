"""What is recorded of the results that a test of the security suite gets."""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import inspect
import json
import sys
from types import SimpleNamespace

import pytest

import recorded_verdicts
from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.jail import Cause
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import NO_LOG, RawRendering
from i2s_chassis.renderer.verdict import limit_passed
from i2s_documents.model import RawConversions, RawPages
from i2s_render_html.jekyll.model import BuildCause, BuiltSite
from i2s_wire.documents.conversion import Converted
from i2s_wire.documents.drawing import PageImage
from i2s_wire.render.rendering import Picture, Verdict
from recorded_verdicts import METHODS, STUB, VARIABLE, Outcome, Recorder, outcomes, recorded_test, register


def sha(content):
    return hashlib.sha256(content).hexdigest()


def item(nodeid, *marks):
    return SimpleNamespace(nodeid=nodeid, get_closest_marker=lambda name: next(iter(marks), None))


@pytest.fixture
def engine(monkeypatch, tmp_path):
    """An engine whose results are recorded, its recorder, and what has been recorded."""

    class Engine:
        async def render(self, result):
            if isinstance(result, Exception):
                raise result
            return await self.render(result[0]) if isinstance(result, list) else result

    monkeypatch.setitem(sys.modules, "an_engine", SimpleNamespace(Engine=Engine))
    monkeypatch.setattr(recorded_verdicts, "METHODS", {"an_engine": "Engine.render", "missing": "X.y"})
    monkeypatch.setattr(recorded_verdicts, "STUB", ("missing", "Stub"))
    file = tmp_path / "verdicts.jsonl"
    recorder = Recorder(str(file))
    recorder.pytest_collection_finish()

    def recorded():
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    return Engine(), recorder, recorded


CRASHED = RawRendering(Verdict.CRASHED, "The engine crashed while compiling.")


def test_every_method_that_is_recorded_is_there():
    for module, method in METHODS.items():
        owner, name = method.split(".")
        assert inspect.iscoroutinefunction(getattr(getattr(importlib.import_module(module), owner), name))
    module, stub = STUB
    assert inspect.isclass(getattr(importlib.import_module(module), stub))


def test_the_tier_is_kept_apart_from_the_name_of_a_test():
    assert recorded_test(item("a.py::t[namespace-x-y]")).name == "a.py::t[x-y]"
    assert recorded_test(item("a.py::t[x-landlock]")).name == "a.py::t[x]"
    assert recorded_test(item("a.py::t[landlock]")).name == "a.py::t"
    assert recorded_test(item("a.py::t[landlock]")).tier == "landlock"
    plain = recorded_test(item("a.py::t[a landlock rule]", SimpleNamespace(args=("two limits",))))
    assert (plain.name, plain.tier, plain.racing) == ("a.py::t[a landlock rule]", "", "two limits")


@pytest.mark.parametrize("file", ["", None])
def test_nothing_is_recorded_unless_a_file_is_named(monkeypatch, file):
    monkeypatch.delenv(VARIABLE, raising=False)
    if file is not None:
        monkeypatch.setenv(VARIABLE, file)
    registered = []
    register(SimpleNamespace(pluginmanager=SimpleNamespace(register=lambda *given: registered.append(given))))
    assert registered == []


def test_a_rendering_is_its_verdict_and_its_pictures():
    rendering = RawRendering(Verdict.RENDERED, "", (Picture(b"one", 1, 1), Picture(b"two", 1, 1)))
    assert list(outcomes(rendering)) == [Outcome("RENDERED", "", (sha(b"one"), sha(b"two")))]


@pytest.mark.parametrize(
    ("cause", "verdict", "limit"),
    [
        (Cause.CPU_LIMIT, "TIME_LIMIT", "CPU seconds"),
        (Cause.WALL_LIMIT, "TIME_LIMIT", "on the clock"),
        (Cause.MEMORY_LIMIT, "MEMORY_LIMIT", "bytes of memory"),
        (Cause.PROCESS_LIMIT, "PROCESS_LIMIT", "processes"),
        (Cause.DISK_LIMIT, "OUTPUT_LIMIT", "files"),
        (Cause.SIGNALED, "CRASHED", ""),
    ],
)
def test_a_limit_is_named_without_its_value(cause, verdict, limit):
    judgement = limit_passed(cause, Limits(), "compiling")
    assert list(outcomes(RawRendering(judgement.verdict, judgement.message))) == [Outcome(verdict, limit)]


def test_conversions_pages_and_sites_have_outcomes_of_their_own():
    converted = [Converted("a", "<p>"), Converted("b", None, "It is wrong.", Verdict.COMPILE_ERROR)]
    assert list(outcomes(RawConversions(converted))) == [
        Outcome("CONVERTED", "", (sha(b"<p>"),)),
        Outcome("COMPILE_ERROR"),
    ]
    pages = RawPages(pages=[PageImage(b"page", 1, 1, 1, "")])
    assert list(outcomes(pages)) == [Outcome("RENDERED", "", (sha(b"page"),))]
    site = BuiltSite(BuildCause.BUILT, {"b": b"2", "a": b"1"}, None, None, NO_LOG)
    assert list(outcomes(site)) == [Outcome("BUILT", "", (sha(b"a\0001"), sha(b"b\0002")))]


def test_places_that_differ_in_each_run_are_no_difference():
    def html(folder, port, line_end=" "):
        return RawConversions(
            [Converted("a", f"<a{line_end}href='/tmp/{folder}/secret'>http://127.0.0.1:{port}/</a>")]
        )

    first, second = html("i2s-secret-abc_1234", 4321), html("i2s-secret-zyx98765", 54321)
    of_ordinary_user = html("i2s-nobody-12345678/i2s-secret-zyx98765", 54321, line_end="\n")
    assert list(outcomes(first)) == list(outcomes(second)) == list(outcomes(of_ordinary_user))
    assert list(outcomes(first)) != list(outcomes(html("another", 4321)))


async def test_results_are_recorded_in_the_order_in_which_calls_begin(engine):
    engine, recorder, recorded = engine
    await engine.render(CRASHED)  # of a fixture
    recorder.begin(recorded_test(item("a.py::t[landlock-x]")))
    await asyncio.gather(engine.render(CRASHED), engine.render(RawRendering(Verdict.NO_OUTPUT, "")))
    recorder.end()
    await engine.render(CRASHED)
    assert [(one["ordinal"], one["verdict"]) for one in recorded()] == [
        ("1.1", "CRASHED"),
        ("2.1", "NO_OUTPUT"),
    ]
    assert {(one["test"], one["tier"], one["racing"]) for one in recorded()} == {
        ("a.py::t[x]", "landlock", "")
    }


async def test_an_engine_that_calls_another_one_has_one_result(engine):
    engine, recorder, recorded = engine
    recorder.begin(recorded_test(item("a.py::t")))
    await engine.render([[CRASHED]])
    assert len(recorded()) == 1


async def test_what_an_engine_raises_is_recorded(engine):
    engine, recorder, recorded = engine
    recorder.begin(recorded_test(item("a.py::t")))
    with pytest.raises(ValueError, match="x"):
        await engine.render(ValueError("x"))
    assert [one["verdict"] for one in recorded()] == ["raised ValueError"]


def test_responses_of_services_are_recorded_when_they_are_read(monkeypatch, tmp_path):
    class Channel:
        """Answers each call with the bytes that it is called with."""

        def unary_unary(self, path, response_deserializer):
            return response_deserializer

    class Stub:
        def __init__(self, channel):
            self.Render = channel.unary_unary("/Render", response_deserializer=pb.RenderResponse.FromString)
            self.Describe = channel.unary_unary("/D", response_deserializer=pb.DescribeResponse.FromString)
            items = pb.RenderStreamResponse.FromString
            self.RenderStream = channel.unary_unary("/RenderStream", response_deserializer=items)

    monkeypatch.setitem(sys.modules, "a_stub", SimpleNamespace(Stub=Stub))
    monkeypatch.setattr(recorded_verdicts, "METHODS", {})
    monkeypatch.setattr(recorded_verdicts, "STUB", ("a_stub", "Stub"))
    recorder = Recorder(str(tmp_path / "file"))
    recorder.pytest_collection_finish()
    recorder.begin(recorded_test(item("a.py::t")))
    stub = Stub(Channel())
    rendering = pb.RenderResponse(verdict=pb.VERDICT_RENDERED, pictures=[pb.Picture(png=b"one")])
    assert stub.Render(rendering.SerializeToString()) == rendering
    stub.RenderStream(pb.RenderStreamResponse(id="a", response=rendering).SerializeToString())
    stub.RenderStream(
        pb.RenderStreamResponse(id="b", failure=pb.RenderStreamResponse().failure).SerializeToString()
    )
    stub.Describe(pb.DescribeResponse().SerializeToString())
    lines = [json.loads(line) for line in (tmp_path / "file").read_text().splitlines()]
    assert [(one["ordinal"], one["verdict"], one["pictures"]) for one in lines] == [
        ("1.1", "RENDERED", [sha(b"one")]),
        ("2.1", "RENDERED", [sha(b"one")]),
    ]
