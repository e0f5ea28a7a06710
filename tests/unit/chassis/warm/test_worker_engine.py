"""What a worker delivers is read strictly: a hostile source may have taken over the process that wrote it."""

from __future__ import annotations

import asyncio
import io
import json
import os

import pytest
from PIL import Image

from i2s_chassis.jail import Cause, Excerpt, Isolation, OutputError, OutputReason, Tier, Usage
from i2s_chassis.limits import DEFAULT_LIMITS
from i2s_chassis.renderer.bounds import ReceivedSource
from i2s_chassis.renderer.generic import GenericJob
from i2s_chassis.renderer.model import ResolvedPageOptions
from i2s_chassis.warm.forked_job import Ran
from i2s_chassis.warm.inside.delivery import deliver
from i2s_chassis.warm.program import WorkerSettings
from i2s_chassis.warm.result import read_result
from i2s_chassis.warm.worker_engine import WorkerEngine
from i2s_wire.render.options import Crop
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File


def png(width, height, mode="RGB"):
    output = io.BytesIO()
    Image.new(mode, (width, height), "teal").save(output, "PNG")
    return output.getvalue()


def delivered(header, images=()):
    into, out = os.pipe()
    deliver(out, header, images)
    os.close(out)
    with os.fdopen(into, "rb") as result:
        return result.read()


class Folder:
    """The folder of a job that left a result."""

    kind = "cold"

    def __init__(self, result, cause=Cause.EXITED):
        self._result, self._cause = result, cause

    async def run(self):
        return Ran(self._cause, Usage(), (), 0)

    async def result(self):
        if self._result is None:
            raise OutputError("job.result", OutputReason.MISSING)
        return self._result

    async def excerpt(self, name, head, tail):
        return Excerpt(b"said", b"", 4)


class Jobs:
    """Runs each job in the same folder."""

    zygotes = None
    isolation = Isolation(Tier.NONE, ())

    def __init__(self, folder):
        self._folder = folder

    async def run(self, content, limits, work, *, cold=False):
        return await work(self._folder)


def drawn(result, cause=Cause.EXITED):
    engine = WorkerEngine(None, None, None, Jobs(Folder(result, cause)))
    options = ResolvedPageOptions(dpi=96.0, crop=Crop.NONE)
    job = GenericJob(ReceivedSource("x", "x", ()), options, DEFAULT_LIMITS)
    return asyncio.run(engine.draw(job))


class Settings(WorkerSettings):
    service = "render-any"
    port = 7799


def json_line(header):
    return json.dumps(header).encode() + b"\n"


GOOD = {"verdict": "RENDERED", "total": 1, "pages": [1]}


def test_images_are_received_as_they_were_delivered():
    said, images = read_result(delivered(GOOD, [b"ab", b"", b"c"]))
    assert (said.verdict, said.total, said.pages) == (Verdict.RENDERED, 1, (1,))
    assert images == [b"ab", b"", b"c"]


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_an_image_is_finished_with_its_log(mode):
    rendering = drawn(delivered(GOOD, [png(4, 3, mode)]))
    assert (rendering.verdict, rendering.total_pages) == (Verdict.RENDERED, 1)
    assert [(picture.width, picture.height, picture.page) for picture in rendering.pictures] == [(4, 3, 1)]
    assert rendering.log.whole == b"said"


@pytest.mark.parametrize(
    "result",
    [
        None,
        b"",
        b"[]\n",
        b"{}\n",
        b'{"verdict": "RENDERED", "sizes": [5]}\nab',
        b'{"verdict": "RENDERED", "sizes": [-1, 3]}\nab',
        b'{"verdict": "NOTHING", "sizes": []}\n',
        b'{"verdict": "RENDERED", "sizes": [], "events": [["SPELL", "x"]]}\n',
        b'{"verdict": "RENDERED", "sizes": [], "error": {"line": 1}}\n',
        b'{"verdict": "RENDERED", "sizes": [], "pages": "x"}\n',
        json_line({"verdict": 7, "sizes": []}),
        b"[" * 200_000 + b"\n",
        b'{"verdict": "RENDERED", "sizes": [], "more": ' + b"[" * 100_000 + b"\n",
        b'{"verdict": "RENDERED", "sizes": [], "total": Infinity}\n',
        b'{"verdict": "RENDERED", "sizes": [], "total": 1e999}\n',
        b'{"verdict": "RENDERED", "sizes": [], "total": -1}\n',
        b'{"verdict": "RENDERED", "sizes": [], "total": 99999999999}\n',
        b'{"verdict": "RENDERED", "sizes": [], "pages": [-1]}\n',
        b'{"verdict": "RENDERED", "sizes": [], "error": {"message": "x", "line": -1}}\n',
        b'{"verdict": "RENDERED", "sizes": [], "message": "' + b"x" * 5000 + b'"}\n',
        json_line({"verdict": "RENDERED", "sizes": [], "events": [["NETWORK", "x"]] * 101}),
        b'{"verdict": "COMPILE_ERROR", "sizes": [], "message": "\\ud800"}\n',
    ],
)
def test_what_is_no_result_is_a_crash_of_the_engine(result):
    rendering = drawn(result)
    assert rendering.verdict is Verdict.CRASHED
    assert not rendering.pictures


def test_an_image_that_is_none_or_too_large_is_not_decoded():
    assert drawn(delivered(GOOD, [b"GIF89a"])).verdict is Verdict.NO_OUTPUT
    head = bytearray(png(4, 3))
    head[16:24] = (60_000).to_bytes(4, "big") * 2
    assert drawn(delivered(GOOD, [bytes(head)])).verdict is Verdict.PIXEL_LIMIT


def test_a_verdict_without_an_image_has_none_whatever_was_delivered():
    said = {"verdict": "COMPILE_ERROR", "message": "no", "error": {"message": "no", "line": 3}}
    rendering = drawn(delivered(said, [png(4, 3)]))
    assert (rendering.verdict, rendering.message, rendering.error.line) == (Verdict.COMPILE_ERROR, "no", 3)
    assert not rendering.pictures


def test_no_more_images_are_taken_than_are_asked_for():
    rendering = drawn(delivered({**GOOD, "pages": [1, 2]}, [png(4, 3), png(4, 3)]))
    assert [picture.page for picture in rendering.pictures] == [1]


def test_a_long_text_is_cut_where_it_is_delivered():
    said = {"verdict": "COMPILE_ERROR", "message": "a" * 5000, "error": {"message": "b" * 5000}}
    rendering = drawn(delivered(said))
    assert rendering.verdict is Verdict.COMPILE_ERROR
    assert rendering.message == "a" * 2000
    assert rendering.error.message == "b" * 2000


@pytest.mark.parametrize("path", [".i2s/packages/x", ".i2s", ".I2S/x"])
def test_nothing_of_a_source_lies_in_the_folder_of_the_service(path):
    engine = WorkerEngine(Settings(), None, None, Jobs(Folder(delivered(GOOD, [png(4, 3)]))))
    files = (File("x", b"x"), File(path, b"x"))
    job = GenericJob(ReceivedSource("x", "x", files), ResolvedPageOptions(dpi=96.0), DEFAULT_LIMITS)
    rendering = asyncio.run(engine.render(job))
    assert rendering.verdict is Verdict.INVALID_INPUT
    assert path in rendering.message


def test_a_limit_comes_before_what_was_delivered():
    assert drawn(delivered(GOOD, [png(4, 3)]), Cause.CPU_LIMIT).verdict is Verdict.TIME_LIMIT
