"""Hostile callers against a running service: every call ends in a status, and nothing is left of it.

After each attack the service is SERVING, no engine runs, and an ordinary document gives the very bytes
it gave before.
"""

import asyncio
import contextlib
import math
import time

import grpc
import grpc.aio
import pytest
import pytest_asyncio

import wire_target
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from wire_target import (
    ANSWER_SECONDS,
    ENDLESS,
    GOOD,
    MIB,
    QUEUE,
    RENDER,
    RENDER_STREAM,
    REQUEST_MIB,
    SLOTS,
    document,
    request,
    silence,
)

pytestmark = [
    pytest.mark.integration,
    pytest.mark.security,
    pytest.mark.asyncio(loop_scope="module"),
]

service = wire_target.service


@pytest_asyncio.fixture(loop_scope="module")
async def target(service):
    yield service
    await service.check()


async def failure(call):
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        await call
    return raised.value


# -- bytes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff",
        b"\x12\xff\xff\xff\xff\x0f",  # a source of 4 GiB of which nothing follows
        b"\x0a\x02\xff\xfe",  # an id that is not UTF-8
        b"\x0b" * 5000,  # groups that begin and never end
        GOOD.SerializeToString()[:-1],
    ],
    ids=["no tag", "length without end", "id not UTF-8", "open groups", "cut off"],
)
async def test_bytes_that_are_no_message_are_refused(target, raw):
    error = await failure(target.channel.unary_unary(RENDER)(raw, timeout=ANSWER_SECONDS))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details().startswith("request")


async def test_a_malformed_item_ends_its_stream_with_a_status(target):
    call = target.channel.stream_stream(RENDER_STREAM)(iter([b"\xff"]), timeout=ANSWER_SECONDS)
    with pytest.raises(grpc.aio.AioRpcError) as raised:
        [answer async for answer in call]
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_nothing_at_all_is_a_request_without_a_source(target):
    error = await failure(target.channel.unary_unary(RENDER)(b"", timeout=ANSWER_SECONDS))
    assert (error.code(), error.details()[:6]) == (grpc.StatusCode.INVALID_ARGUMENT, "source")


async def test_an_unknown_method_is_unimplemented(target):
    error = await failure(target.channel.unary_unary(f"{RENDER}Everything")(b""))
    assert error.code() is grpc.StatusCode.UNIMPLEMENTED


async def test_a_message_over_the_bound_is_refused_unread(target):
    before = target.resident_bytes()
    large = pb.RenderRequest(latex=pb.LatexSource(document=b"x" * (REQUEST_MIB * MIB)))
    for _ in range(20):
        error = await failure(target.stub.Render(large, timeout=ANSWER_SECONDS))
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert target.resident_bytes() < before + 8 * REQUEST_MIB * MIB


async def test_a_gzip_bomb_is_refused_before_it_unfolds(target):
    before = target.resident_bytes()
    bomb = pb.RenderRequest(latex=pb.LatexSource(document=b"x" * (300 * MIB)))
    error = await failure(target.stub.Render(bomb, timeout=ANSWER_SECONDS, compression=grpc.Compression.Gzip))
    assert error.code() in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.RESOURCE_EXHAUSTED)
    assert target.resident_bytes() < before + 64 * MIB


# -- values -----------------------------------------------------------------------------------


def _page(**given):
    return pb.RenderRequest(options=pb.RenderOptions(page=pb.PageOptions(**given)))


def _latex(**given):
    return pb.RenderRequest(options=pb.RenderOptions(latex=pb.LatexOptions(**given)))


def _limits(**given):
    return pb.RenderRequest(limits=pb.Limits(**given))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (_page(dpi=math.nan), "options.page.dpi"),
        (_page(dpi=math.inf), "options.page.dpi"),
        (_page(dpi=-0.0), "options.page.dpi"),
        (_page(dpi=2400.1), "options.page.dpi"),
        (_page(cut_bottom=math.nan), "options.page.cut_bottom"),
        (_page(cut_bottom=1), "options.page.cut_bottom"),
        (_page(cut_bottom=-0.1), "options.page.cut_bottom"),
        (_page(first_page=0), "options.page.first_page"),
        (_page(first_page=2**32 - 1), "options.page.first_page"),
        (_page(page_count=0), "options.page.page_count"),
        (_page(page_count=2**32 - 1), "options.page.page_count"),
        (_page(crop=99), "options.page.crop"),
        (_page(blank_page=-1), "options.page.blank_page"),
        (_latex(engine=7), "options.latex.engine"),
        (_latex(max_runs=0), "options.latex.max_runs"),
        (_latex(max_runs=2**32 - 1), "options.latex.max_runs"),
        (_limits(cpu_seconds=math.nan), "limits.cpu_seconds"),
        (_limits(wall_seconds=math.inf), "limits.wall_seconds"),
        (pb.RenderRequest(options=pb.RenderOptions(window=pb.WindowOptions())), "options.window"),
        (pb.RenderRequest(options=pb.RenderOptions(site=pb.SiteOptions())), "options.site"),
        (pb.RenderRequest(options=pb.RenderOptions(lilypond=pb.LilypondOptions())), "options.lilypond"),
        (pb.RenderRequest(id="x" * 257), "id"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_value_without_meaning_is_refused_with_its_field(target, given, field):
    given.latex.CopyFrom(GOOD.latex)
    error = await failure(target.stub.Render(given, timeout=ANSWER_SECONDS))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details().startswith(field)


async def test_the_greatest_limits_are_clamped_and_the_least_still_end_in_a_verdict(target):
    greatest = pb.Limits(cpu_seconds=1e300, memory_bytes=2**64 - 1, processes=2**32 - 1, pixels=2**64 - 1)
    answer = await target.stub.Render(request(limits=greatest), timeout=ANSWER_SECONDS)
    assert answer.verdict == pb.VERDICT_RENDERED
    assert answer.limits.memory_bytes < 2**40
    least = pb.Limits(
        cpu_seconds=1e-9, memory_bytes=1, processes=1, file_bytes=1, disk_bytes=1, inodes=1, log_bytes=1
    )
    answer = await target.stub.Render(request(limits=least), timeout=ANSWER_SECONDS)
    assert answer.verdict in (
        pb.VERDICT_TIME_LIMIT,
        pb.VERDICT_MEMORY_LIMIT,
        pb.VERDICT_PROCESS_LIMIT,
        pb.VERDICT_OUTPUT_LIMIT,
    )


@pytest.mark.parametrize(
    "name", ["memory_bytes", "processes", "file_bytes", "disk_bytes", "inodes", "log_bytes"]
)
async def test_one_least_limit_ends_in_a_verdict(target, name):
    answer = await target.stub.Render(request(limits=pb.Limits(**{name: 1})), timeout=ANSWER_SECONDS)
    assert answer.verdict in {*range(pb.VERDICT_RENDERED, pb.VERDICT_INVALID_INPUT)}


# -- sources ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "field"),
    [
        (pb.LatexSource(), "latex.document"),
        (pb.LatexSource(document=b" \n\t "), "latex.document"),
        (pb.LatexSource(document=b"x" * (10 * MIB)), "latex.document"),
        (pb.LatexSource(document=document("x") + b"\xff\xfe"), "latex.document"),
        (pb.LatexSource(document=b"\xed\xa0\x80"), "latex.document"),
        (pb.LatexSource(document=document("x"), files=[pb.File(path="a")] * 1000), "latex.files"),
        (pb.LatexSource(document=document("x"), files=[pb.File(path="../a")]), "latex.files"),
        (pb.LatexSource(document=document("x"), files=[pb.File(path="a\0b")]), "latex.files"),
        (pb.LatexSource(document=document("x"), files=[pb.File(path="document.pdf")]), "latex.files"),
        (pb.LatexSource(document=document("x"), files=[pb.File(path="a/" * 2000 + "b")]), "latex.files"),
    ],
    ids=["none", "blank", "10 MiB", "no UTF-8", "surrogate", "many", "parent", "NUL", "reserved", "deep"],
)
async def test_a_source_that_tex_cannot_get_is_a_verdict_with_its_field(target, source, field):
    answer = await target.stub.Render(pb.RenderRequest(latex=source), timeout=ANSWER_SECONDS)
    assert answer.verdict == pb.VERDICT_INVALID_INPUT
    assert answer.message.startswith(field)
    assert len(answer.message) < 1000


async def test_as_much_as_a_message_holds_is_still_answered(target):
    files = [pb.File(path=f"{number}/data.csv", content=b"1\n" * 20_000) for number in range(250)]
    wanted = pb.RenderRequest(latex=pb.LatexSource(document=document("x"), files=files))
    assert len(await target.pictures(wanted)) == 1


def _slow_to_read():
    return {
        "filecontents": b"\\begin{filecontents}" * 8_000,
        "comments": b"%\\begin{document}\n" * 12_000 + document("x"),
        "comment per line": b"%\n" * 300_000 + b"\\begin{document}" * 2_000,
        "backslashes": b"\\" * 900_000 + b"{",
        "forged refusals": document(
            "\\count1=0 \\loop\\advance\\count1 by 1 \\immediate\\write-1{%s}\\ifnum\\count1<100\\repeat x"
            % ("runsystem(" * 150)
        ),
    }


@pytest.mark.parametrize("name", _slow_to_read())
async def test_a_source_that_is_slow_to_read_holds_up_nobody(target, name):
    hostile = pb.RenderRequest(latex=pb.LatexSource(document=_slow_to_read()[name]))
    held_up = asyncio.create_task(target.stub.Render(hostile, timeout=ANSWER_SECONDS).code())
    worst, start = 0.0, time.monotonic()
    while not held_up.done():
        began = time.monotonic()
        await target.stub.Describe(pb.DescribeRequest(), timeout=ANSWER_SECONDS)
        worst = max(worst, time.monotonic() - began)
        await asyncio.sleep(0.01)
    assert await held_up is grpc.StatusCode.OK
    assert worst < max(1.0, (time.monotonic() - start) / 3)  # more where the whole machine is slow


MANY_DIGITS = "9" * 5000
TITLE = f"\nPage {MANY_DIGITS} rot: 0".encode().hex()


@pytest.mark.parametrize(
    "body",
    [
        f"\\immediate\\write-1{{x.tex:{MANY_DIGITS}: wrong}}x",
        "\\immediate\\write-1{x.tex:5000000000: wrong}\\wrong",
        "\\newlinechar=`\\^^J\\immediate\\write-1{^^JOutput written on x.pdf (5000000000 pages}\\wrong",
        f"x\\pdfinfo{{/Title<{TITLE}>}}",
        "x\\pdfpageattr{/Rotate 45}",
        "x\\pdfpageattr{/Rotate 2000000010}",
    ],
    ids=["line of 5000 digits", "line 5e9", "5e9 pages", "title", "turned by 45", "turned by 2e9"],
)
async def test_what_a_document_claims_is_never_a_failure_of_the_service(target, body):
    assert await target.stub.Render(request(body), timeout=ANSWER_SECONDS).code() is grpc.StatusCode.OK


# -- time -------------------------------------------------------------------------------------


@pytest.mark.racing("a job may end within its deadline")
async def test_deadlines_of_a_millisecond_leave_nothing(target):
    calls = [target.stub.Render(request(ENDLESS), timeout=0.001) for _ in range(200)]
    codes = await asyncio.gather(*(call.code() for call in calls))
    assert set(codes) <= {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert grpc.StatusCode.DEADLINE_EXCEEDED in codes
    assert await target.becomes_idle()


async def test_a_cancelled_job_is_gone(target):
    calls = [target.stub.Render(request(ENDLESS)) for _ in range(SLOTS + 2)]
    await target.runs_an_engine()
    for call in calls:
        call.cancel()
    assert await target.becomes_idle()


@pytest.mark.racing("which job ends before its caller does depends on the time")
async def test_jobs_cancelled_at_any_moment_leave_nothing(target):
    async def cancelled_after(seconds):
        call = target.stub.Render(request(ENDLESS if seconds > 0.2 else "x"))
        with contextlib.suppress(asyncio.CancelledError, TimeoutError, grpc.aio.AioRpcError):
            await asyncio.wait_for(call, seconds)

    for step in range(24):
        await cancelled_after(0.015 * step)
    assert await target.becomes_idle()


async def test_a_vanished_caller_takes_its_jobs_along(target):
    async with grpc.aio.insecure_channel(target.address) as channel:
        call = RenderServiceStub(channel).RenderStream(iter([request(ENDLESS, id="1")]))
        reading = asyncio.create_task(call.read())
        await target.runs_an_engine()
    await asyncio.gather(reading, return_exceptions=True)
    assert await target.becomes_idle()


# -- amounts ----------------------------------------------------------------------------------


@pytest.mark.racing("how many find a place depends on how fast they are answered")
async def test_a_thousand_at_once_are_answered_or_sent_away_with_a_time_to_come_back(target):
    before = target.resident_bytes()
    calls = [target.stub.Render(request(), timeout=ANSWER_SECONDS) for _ in range(1000)]
    codes = await asyncio.gather(*(call.code() for call in calls))
    assert set(codes) == {grpc.StatusCode.OK, grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert codes.count(grpc.StatusCode.OK) >= SLOTS + QUEUE
    for call, code in zip(calls, codes, strict=True):
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            assert int(dict(await call.trailing_metadata())["grpc-retry-pushback-ms"]) > 0
    assert target.resident_bytes() < before + 200 * MIB


@pytest.mark.racing("how far the stream has come when it is cancelled depends on the time")
async def test_a_slow_reader_holds_up_itself_alone(target):
    sent = 0

    async def items():
        nonlocal sent
        for number in range(1000):
            sent += 1
            yield request(talkative + padding, id=str(number), limits=pb.Limits(log_bytes=MIB))

    # Neither requests nor answers fit into the buffers of the connection.
    padding = "%" * 100_000
    line = "\\immediate\\write-1{%s}" % ("talk " * 400)
    talkative = f"\\count1=0 \\loop\\advance\\count1 by 1 {line}\\ifnum\\count1<500\\repeat x"
    before = target.resident_bytes()
    call = target.stub.RenderStream(items())
    assert (await call.read()).response.verdict == pb.VERDICT_RENDERED
    for _ in range(5):  # single calls get through while nobody reads the stream
        assert await target.pictures(GOOD) == target.good
    assert sent < 1000
    assert target.resident_bytes() < before + 300 * MIB
    call.cancel()
    assert await target.becomes_idle()


async def test_a_stream_that_sends_nothing_keeps_nobody_out(target):
    waiting = asyncio.Event()

    calls = [target.stub.RenderStream(silence(waiting)) for _ in range(4 * (SLOTS + QUEUE))]
    reading = [asyncio.create_task(call.read()) for call in calls]
    assert await target.pictures(GOOD) == target.good
    waiting.set()
    assert set(await asyncio.gather(*reading)) == {grpc.aio.EOF}
