"""Attacks on who may call, and on the shares of others, over the wire of the LaTeX renderer."""

from __future__ import annotations

import asyncio
import contextlib

import grpc
import grpc.aio
import pytest
import pytest_asyncio

from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from i2s_chassis.callers.access import new_token, token_line
from wire_target import ANSWER_SECONDS, GOOD, MIB, QUEUE, REQUEST_MIB, Target, request, serving, silence

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="module")]

MODEST, GREEDY = new_token(), new_token()
CONNECTIONS, CALLS_EACH = 120, 4


def bearer(token):
    return (("authorization", f"Bearer {token}"),)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(tmp_path_factory):
    access = tmp_path_factory.mktemp("access") / "access.toml"
    tokens = {"modest": MODEST, "greedy": GREEDY}
    access.write_text(
        "".join(f'[callers.{name}]\ntokens = ["{token_line(token)}"]\n' for name, token in tokens.items())
    )
    async with serving("--access-file", access) as (process, address, log):
        target = Target(process.pid, address)
        await target.serves()
        yield target, log
        await target.channel.close()


CREDENTIALS = {
    "none": (),
    "empty": (("authorization", ""),),
    "no token": (("authorization", "Bearer"),),
    "another scheme": (("authorization", f"Basic {MODEST}"),),
    "the bare token": (("authorization", MODEST),),
    "a prefix": bearer(MODEST[:-1]),
    "a suffix": bearer(MODEST + "x"),
    "other case": bearer(MODEST.swapcase()),
    "the line of the file": bearer(token_line(MODEST)),
    "the digest": bearer(token_line(MODEST).removeprefix("sha256:")),
    "a name": bearer("modest"),
    "6 KB": bearer("x" * 6000),
    "two": (*bearer(MODEST), *bearer("wrong")),
    "binary": (("authorization-bin", MODEST.encode()),),
    "another key": (("x-authorization", f"Bearer {MODEST}"),),
    "a claimed identity": (("x-forwarded-for", "127.0.0.1"), ("x-request-id", "caller:modest")),
}


@pytest.mark.parametrize("name", CREDENTIALS)
async def test_wrong_credentials_open_nothing(guarded, name):
    target, _ = guarded
    for call in (
        target.stub.Render(GOOD, metadata=CREDENTIALS[name], timeout=ANSWER_SECONDS),
        target.stub.Describe(pb.DescribeRequest(), metadata=CREDENTIALS[name], timeout=ANSWER_SECONDS),
        # gRPC's client says INTERNAL if a call ends while it sends a message, so it sends none.
        target.stub.RenderStream(
            silence(asyncio.Event()), metadata=CREDENTIALS[name], timeout=ANSWER_SECONDS
        ),
    ):
        assert await call.code() is grpc.StatusCode.UNAUTHENTICATED
        assert MODEST[:-1] not in await call.details()


async def test_messages_of_strangers_are_not_kept(guarded):
    target, _ = guarded
    large = pb.RenderRequest(latex=pb.LatexSource(document=b"x" * ((REQUEST_MIB - 1) * MIB)))

    async def send_twenty():
        calls = [target.stub.Render(large, timeout=ANSWER_SECONDS) for _ in range(20)]
        assert {await call.code() for call in calls} == {grpc.StatusCode.UNAUTHENTICATED}

    await send_twenty()  # how many of them are received at the same time is up to the scheduler
    before = target.resident_bytes()
    for _ in range(5):
        await send_twenty()
    assert target.resident_bytes() < before + 100 * MIB


@pytest.mark.racing("how many calls of the greedy caller are answered depends on the time")
async def test_120_greedy_connections_do_not_keep_another_caller_out(guarded):
    target, _ = guarded
    heavy = request("\\count1=0 \\loop\\advance\\count1 by 1 \\ifnum\\count1<300000\\repeat x")
    answered = 0

    async def greedy(stub):
        nonlocal answered
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await stub.Render(heavy, metadata=bearer(GREEDY))
                answered += 1
            await asyncio.sleep(0.25)

    async with contextlib.AsyncExitStack() as stack:
        options = (("grpc.use_local_subchannel_pool", 1),)
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(target.address, options))
            for _ in range(CONNECTIONS)
        ]
        stubs = [RenderServiceStub(channel) for channel in channels]
        tasks = [asyncio.create_task(greedy(stub)) for stub in stubs for _ in range(CALLS_EACH)]
        try:
            await target.runs_an_engine()
            for _ in range(3):
                before = answered
                answer = await target.stub.Render(GOOD, metadata=bearer(MODEST), timeout=ANSWER_SECONDS)
                assert answer.verdict == pb.VERDICT_RENDERED
                # Counted, not timed: who waits its turn behind a full queue sees all of it answered first.
                assert answered - before < QUEUE
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def test_no_token_is_in_the_log(guarded):
    target, log = guarded
    assert await target.stub.Render(GOOD, metadata=bearer(MODEST)).code() is grpc.StatusCode.OK
    text = log.read_text()
    assert '"caller": "caller:modest"' in text
    for secret in (MODEST, GREEDY, MODEST[4:20], token_line(MODEST).removeprefix("sha256:")):
        assert secret not in text
