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
from i2s_chassis.warm.inside.delivery import deliver, received
from i2s_chassis.warm.worker_engine import WorkerEngine
from i2s_wire.render.options import Crop
from i2s_wire.render.rendering import Verdict


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


GOOD = {"verdict": "RENDERED", "total": 1, "pages": [1]}


def test_images_are_received_as_they_were_delivered():
    header, images = received(delivered(GOOD, [b"ab", b"", b"c"]))
    assert header == {**GOOD, "sizes": [2, 0, 1]}
    assert images == [b"ab", b"", b"c"]


@pytest.mark.parametrize("mode", ["RGB", "RGBA"])
def test_an_image_is_finished_with_its_log(mode):
    rendering = drawn(delivered(GOOD, [png(4, 3, mode)]))
    assert (rendering.verdict, rendering.total_pages) == (Verdict.RENDERED, 1)
    assert [(one.width, one.height, one.page) for one in rendering.pictures] == [(4, 3, 1)]
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
        json.dumps({"verdict": 7, "sizes": []}).encode() + b"\n",
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


def test_a_limit_comes_before_what_was_delivered():
    assert drawn(delivered(GOOD, [png(4, 3)]), Cause.CPU_LIMIT).verdict is Verdict.TIME_LIMIT
