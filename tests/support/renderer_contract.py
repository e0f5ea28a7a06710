"""What every renderer does, as tests that any renderer passes by one line of a test module.

    running, TestContract = contract_of(RENDERER)

A renderer describes itself by a ``Renderer``. One service process serves all tests of the module; those of
one renderer alone take the fixture ``running``. At its end the service is drained while it is full, which is
a test as well. Bounds on time are bounds on what hangs.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import secrets
import signal
import socket
import struct
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import grpc
import grpc.aio
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from audit_contract import AuditContract
from i2s.render.v1 import render_pb2 as pb
from i2s.render.v1.render_pb2_grpc import RenderServiceStub
from lost_cell_contract import LostCellContract
from processes import processes_with
from service_process import Started, started
from surrogate_contract import SurrogateContract

SLOTS, QUEUE = 2, 2
HANG_SECONDS = 240
SUPPORT = Path(__file__).parent
GROUPS = tuple(field.name for field in pb.RenderOptions.DESCRIPTOR.fields)
SOURCES = {
    "latex": pb.LatexSource(document=b"x"),
    "site": pb.SiteSource(files=[pb.File(path="index.html", content=b"x")]),
    "lilypond": pb.LilypondSource(score=b"{ c }"),
    "python": pb.PythonSource(program=b"x"),
    "generic": pb.GenericSource(language="x", entry="x", files=[pb.File(path="x", content=b"x")]),
}
Source = pb.LatexSource | pb.SiteSource | pb.LilypondSource | pb.PythonSource | pb.GenericSource
NOT_SERVING, SERVING = health_pb2.HealthCheckResponse.NOT_SERVING, health_pb2.HealthCheckResponse.SERVING


@dataclass(frozen=True)
class Renderer:
    """A renderer as the contract sees it. None stands for what its language cannot express.

    Attributes:
        module: Module that is run by ``python -m``.
        service: Its name.
        engine: Name of its engine.
        source: The kind of source that it takes.
        good: A source with an image.
        broken: A source with an error that leaves no image, and its verdict.
        surrogate: A source that says "a", half of a surrogate pair and "b", and its verdict.
        endless: A source that computes for ever.
        hostile: Sources that end without an image, by the verdict, with their limits.
        options: Groups of options that it knows.
        refused: Options without a meaning, each with the field that is named.
        reads_file: Makes a source that shows the content of a file of the host.
        calls_port: Makes a source that connects to a port of 127.0.0.1.
        leaves_process: Makes a source that starts a process with an argument, which would outlive it.
        arguments: More arguments of ``serve``, given a folder that the service can reach.
    """

    module: str
    service: str
    engine: str
    source: str
    good: Source
    broken: tuple[Source, int]
    surrogate: tuple[Source, int]
    endless: Source
    hostile: Mapping[int, tuple[Source, pb.Limits]]
    options: Sequence[str] = ("page",)
    refused: Sequence[tuple[pb.RenderOptions, str]] = ()
    reads_file: Callable[[str], Source] | None = None
    calls_port: Callable[[int], Source] | None = None
    leaves_process: Callable[[str], Source] | None = None
    arguments: Callable[[Path], Sequence[str]] = field(default=lambda folder: ())

    def request(self, source: Source | None = None, **given: object) -> pb.RenderRequest:
        """Return a request, for the good source where none is given."""
        return pb.RenderRequest(**{self.source: source or self.good}, **given)


class Running:
    """A service that serves, and its client. A service that is no renderer has a subclass.

    Attributes:
        stub_of: Makes the client of a channel.
    """

    stub_of: ClassVar[Callable[[grpc.aio.Channel], Any]] = RenderServiceStub

    def __init__(self, renderer: Renderer, process: Started, jobs: Path, channel: grpc.aio.Channel) -> None:
        self.renderer, self.process, self.jobs = renderer, process, jobs
        self.stub, self.health = type(self).stub_of(channel), health_pb2_grpc.HealthStub(channel)

    def send(self, request: object, timeout: float = HANG_SECONDS) -> grpc.aio.UnaryUnaryCall:
        """Send a request; returns the call."""
        return self.stub.Render(request, timeout=timeout)

    @staticmethod
    def verdict(answer: Any) -> int:
        """Return the verdict of an answer."""
        return answer.verdict

    async def render(self, source: Source | None = None, **given: object) -> pb.RenderResponse:
        """Return the answer to a request."""
        return await self.send(self.renderer.request(source, **given))

    async def picture(self) -> bytes:
        """Return the image of the good source."""
        answer = await self.render()
        assert answer.verdict == pb.VERDICT_RENDERED, answer
        return answer.pictures[0].png

    async def refusal(self, request: pb.RenderRequest) -> grpc.aio.AioRpcError:
        """Return how a request was refused."""
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await self.send(request)
        return raised.value

    async def fill(self, cpu_seconds: float) -> list[grpc.aio.UnaryUnaryCall]:
        """Fill all slots and the queue with endless jobs; returns their calls when one more was sent away."""
        limits = pb.Limits(cpu_seconds=cpu_seconds)
        request = self.renderer.request(self.renderer.endless, limits=limits)
        calls = [self.send(request) for _ in range(SLOTS + QUEUE + 1)]
        tasks = {asyncio.ensure_future(_outcome(call)): call for call in calls}
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        refused = [task.result() for task in done]
        assert [one.code() for one in refused] == [grpc.StatusCode.RESOURCE_EXHAUSTED], refused
        pushback = dict(refused[0].trailing_metadata()).get("grpc-retry-pushback-ms")
        assert int(pushback) > 0
        return [call for task, call in tasks.items() if task not in done]

    async def drain(self) -> None:
        """End the service while it is full: what it accepted is answered, and it exits with 0."""
        calls = await self.fill(cpu_seconds=1)
        watch = self.health.Watch(health_pb2.HealthCheckRequest(), timeout=HANG_SECONDS)
        assert (await watch.read()).status == SERVING
        self.process.process.send_signal(signal.SIGTERM)
        assert (await watch.read()).status == NOT_SERVING
        answers = await asyncio.gather(*calls)
        assert set(map(self.verdict, answers)) == {pb.VERDICT_TIME_LIMIT}
        assert await asyncio.to_thread(self.process.process.wait, HANG_SECONDS) == 0


async def _outcome(call: grpc.aio.UnaryUnaryCall) -> pb.RenderResponse | grpc.aio.AioRpcError:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        return error
    except asyncio.CancelledError:
        return grpc.aio.AioRpcError(grpc.StatusCode.CANCELLED, grpc.aio.Metadata(), grpc.aio.Metadata())


@contextlib.asynccontextmanager
async def serving(renderer: Renderer, kind: type[Running] = Running):
    """Start a service; it is drained at the end.

    Args:
        renderer: How it is started, and its endless job.
        kind: Its client.
    """
    with tempfile.TemporaryDirectory(prefix="i2s-contract-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        jobs = folder / "jobs"
        jobs.mkdir(mode=0o755)
        options = ["--slots", str(SLOTS), "--queue", str(QUEUE), "--drain-seconds", str(HANG_SECONDS)]
        options += ["--jail-state-dir", str(jobs), *renderer.arguments(folder)]
        path = os.pathsep.join(filter(None, (str(SUPPORT), os.environ.get("PYTHONPATH"))))
        with started(renderer.module, folder, options, {"PYTHONPATH": path}) as process:
            limits = [("grpc.max_receive_message_length", -1)]
            async with grpc.aio.insecure_channel(process.address, options=limits) as channel:
                running = kind(renderer, process, jobs, channel)
                yield running
                await running.drain()


class RendererContract(AuditContract, LostCellContract, SurrogateContract):
    """The tests. A subclass names its ``renderer``; there is a fixture ``running``, see ``contract_of``."""

    renderer: ClassVar[Renderer]
    pytestmark: ClassVar = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

    def pytest_generate_tests(self, metafunc):
        """Give each verdict that hostile sources of the renderer have a test of its own."""
        if "verdict" in metafunc.fixturenames:
            verdicts = sorted(metafunc.cls.renderer.hostile)
            metafunc.parametrize("verdict", verdicts, ids=[pb.Verdict.Name(one) for one in verdicts])

    async def test_health_is_serving_once_it_serves_and_not_before(self, running):
        assert set(running.process.health[:-1]) <= {NOT_SERVING}
        state = await running.health.Check(health_pb2.HealthCheckRequest(), timeout=HANG_SECONDS)
        assert state.status == SERVING

    async def test_it_describes_itself(self, running):
        answer = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
        assert (answer.service, answer.engine.name) == (self.renderer.service, self.renderer.engine)
        assert list(answer.sources) == [self.renderer.source]
        assert bool(answer.languages) is (self.renderer.source == "generic")
        assert len(answer.engine.digest) == len(answer.fonts_digest) == 64
        assert answer.engine.version
        assert answer.versions
        assert answer.isolation.tier > pb.ISOLATION_TIER_NONE
        assert answer.isolation.mechanisms
        assert (answer.slots, answer.queue) == (SLOTS, QUEUE)
        for limit, value in answer.default_limits.ListFields():
            assert 0 < value <= getattr(answer.max_limits, limit.name), limit.name
        assert len(answer.default_limits.ListFields()) == len(pb.Limits.DESCRIPTOR.fields)
        known = {group for group in GROUPS if answer.defaults.HasField(group)}
        assert known <= set(self.renderer.options)

    async def test_a_good_source_is_answered_with_everything(self, running):
        about = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
        answer = await running.render(id="one")
        assert (answer.id, answer.verdict, answer.message) == ("one", pb.VERDICT_RENDERED, "")
        (picture,) = answer.pictures
        assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")
        assert struct.unpack_from(">II", picture.png, 16) == (picture.width, picture.height)
        assert picture.sha256 == hashlib.sha256(picture.png).hexdigest()
        assert (answer.engine, answer.isolation) == (about.engine, about.isolation)
        assert answer.limits == about.default_limits
        assert answer.stages[0].name == "queue"
        assert answer.usage.cpu_seconds > 0
        assert answer.usage.peak_memory_bytes > 0
        assert answer.total_pages == 1

    async def test_the_same_source_is_the_same_picture(self, running):
        assert await running.picture() == await running.picture()

    async def test_limits_are_clamped_and_echoed(self, running):
        about = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
        answer = await running.render(limits=pb.Limits(cpu_seconds=1e300, pages=7))
        assert answer.limits.cpu_seconds == about.max_limits.cpu_seconds
        assert answer.limits.pages == 7

    async def test_no_picture_is_larger_than_the_limits_say(self, running):
        answer = await running.render(limits=pb.Limits(pixels=1))
        assert (answer.verdict, len(answer.pictures)) == (pb.VERDICT_PIXEL_LIMIT, 0)
        answer = await running.render(limits=pb.Limits(picture_bytes=1))
        assert (answer.verdict, len(answer.pictures)) == (pb.VERDICT_OUTPUT_LIMIT, 0)

    async def test_what_has_no_meaning_is_refused_with_its_field(self, running):
        wrong = [
            ({"limits": pb.Limits(cpu_seconds=-1)}, "limits.cpu_seconds"),
            ({"limits": pb.Limits(wall_seconds=float("nan"))}, "limits.wall_seconds"),
            ({"id": "x" * 257}, "id"),
        ]
        wrong += [({"options": options}, named) for options, named in self.renderer.refused]
        for group in set(GROUPS) - set(self.renderer.options):
            foreign = pb.RenderOptions()
            getattr(foreign, group).SetInParent()
            wrong.append(({"options": foreign}, f"options.{group}"))
        for given, named in wrong:
            error = await running.refusal(self.renderer.request(**given))
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT, given
            assert error.details().startswith(named)

    async def test_sources_of_another_kind_are_refused(self, running):
        others = [{kind: source} for kind, source in SOURCES.items() if kind != self.renderer.source]
        for source in ({}, *others):
            error = await running.refusal(pb.RenderRequest(**source))
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert error.details().startswith("source")

    async def test_an_error_of_the_source_is_a_verdict_without_a_picture(self, running):
        source, verdict = self.renderer.broken
        answer = await running.render(source)
        assert (answer.verdict, len(answer.pictures)) == (verdict, 0)
        assert answer.message

    async def test_a_hostile_source_has_its_verdict_and_the_next_job_is_served(self, running, verdict):
        good = await running.picture()
        source, limits = self.renderer.hostile[verdict]
        answer = await running.render(source, limits=limits)
        assert (answer.verdict, len(answer.pictures)) == (verdict, 0), answer.message
        assert answer.message
        assert await running.picture() == good

    async def test_a_file_of_the_host_is_as_one_that_is_missing(self, running):
        secret = f"secret {secrets.token_hex(16)}"
        with tempfile.TemporaryDirectory(prefix="i2s-secret-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "there.txt").write_text(secret)
            (folder / "there.txt").chmod(0o644)
            there = await running.render(self.renderer.reads_file(str(folder / "there.txt")))
            missing = await running.render(self.renderer.reads_file(str(folder / "other.txt")))
        assert there.verdict == missing.verdict, there.message
        assert [one.sha256 for one in there.pictures] == [one.sha256 for one in missing.pictures]
        assert secret.encode() not in there.SerializeToString()

    async def test_no_connection_leaves_the_sandbox(self, running):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            answer = await running.render(self.renderer.calls_port(listener.getsockname()[1]))
            assert answer.verdict
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()

    async def test_nothing_is_left_behind(self, running):
        await running.picture()
        before = set(running.jobs.iterdir())
        marker = f"i2s-left-{secrets.token_hex(8)}"
        if self.renderer.leaves_process is not None:
            answer = await running.render(self.renderer.leaves_process(marker))
            assert answer.verdict in (pb.VERDICT_RENDERED, pb.VERDICT_RENDERED_WITH_ERRORS), answer.message
        await running.render(self.renderer.endless, limits=pb.Limits(cpu_seconds=1))
        await running.picture()
        # A warm engine whose job left a process behind is ended after the answer, and another is made.
        async with asyncio.timeout(HANG_SECONDS):
            while processes_with(marker) or len(set(running.jobs.iterdir())) > len(before):
                await asyncio.sleep(0.05)

    async def test_a_job_ends_with_its_call(self, running):
        good = await running.picture()
        calls = await running.fill(cpu_seconds=100)  # far longer than the next image may take
        for call in calls:
            call.cancel()
        assert await running.picture() == good

    async def test_a_job_ends_at_its_deadline(self, running):
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await running.stub.Render(self.renderer.request(self.renderer.endless), timeout=0.5)
        assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert await running.picture()

    async def test_a_stream_answers_good_and_bad_jobs_each_by_its_id(self, running):
        good, (broken, verdict) = await running.picture(), self.renderer.broken

        async def items():
            for number in range(4):
                yield self.renderer.request(id=f"good {number}")
                yield self.renderer.request(broken, id=f"broken {number}")
            yield self.renderer.request(id="")
            yield self.renderer.request(id="refused", limits=pb.Limits(cpu_seconds=-1))

        answers = [one async for one in running.stub.RenderStream(items(), timeout=HANG_SECONDS)]
        assert len(answers) == 10
        rendered = {one.id: one.response for one in answers if one.HasField("response")}
        assert {one.id: one.failure.code for one in answers if one.HasField("failure")} == {
            "": grpc.StatusCode.INVALID_ARGUMENT.value[0],
            "refused": grpc.StatusCode.INVALID_ARGUMENT.value[0],
        }
        for number in range(4):
            assert rendered[f"good {number}"].pictures[0].png == good
            assert rendered[f"broken {number}"].verdict == verdict

    async def test_a_stream_answers_in_the_order_in_which_jobs_end(self, running):
        limits = pb.Limits(cpu_seconds=100)

        async def items():
            yield self.renderer.request(self.renderer.endless, id="endless", limits=limits)
            yield self.renderer.request(id="good")

        call = running.stub.RenderStream(items(), timeout=HANG_SECONDS)
        assert (await call.read()).id == "good"
        call.cancel()
        assert await running.picture()


def contract_of(renderer: Renderer):
    """Return what a test module needs: the fixture ``running`` and the class ``TestContract``."""
    return running_of(renderer), suite_of(renderer)


def running_of(renderer: Renderer, scope: str = "module"):
    """Return a fixture that is the running service."""

    @pytest_asyncio.fixture(scope=scope, loop_scope="session")
    async def running():
        async with serving(renderer) as service:
            yield service

    return running


def suite_of(renderer: Renderer) -> type[RendererContract]:
    """Return the class with the tests of a renderer, for where there is a fixture ``running``.

    What the language of the renderer cannot express has no test.
    """
    needs = {
        "test_a_file_of_the_host_is_as_one_that_is_missing": renderer.reads_file,
        "test_no_connection_leaves_the_sandbox": renderer.calls_port,
    }
    without = dict.fromkeys(test for test, source in needs.items() if source is None)
    return type("TestContract", (RendererContract,), {"renderer": renderer, **without})
