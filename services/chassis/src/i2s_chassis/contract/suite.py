"""What every renderer does, as tests that any renderer passes by two lines of a test module.

    running, TestContract = contract_of(RENDERER)
    attacked, TestAttacks = attacks_of(RENDERER)

One service process serves all tests of the contract; those of one renderer alone take the fixture
``running``. At its end the service is drained while it is full, which is a test as well. The attacks are made
once more in the weaker tier of the sandbox. Bounds on time are bounds on what hangs.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import socket
import struct
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import grpc
import grpc.aio
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract.audit import AuditContract
from i2s_chassis.contract.lost_cell import LostCellContract
from i2s_chassis.contract.process import processes_with
from i2s_chassis.contract.renderer import Renderer
from i2s_chassis.contract.running import HANG_SECONDS, NOT_SERVING, QUEUE, SERVING, SLOTS, Running, serving
from i2s_chassis.contract.surrogates import SurrogateContract
from i2s_wire.render.messages import render_request
from i2s_wire.render.request import RenderRequest
from i2s_wire.renderers import RENDERER_SPECS

GROUPS = tuple(field.name for field in pb.RenderOptions.DESCRIPTOR.fields)
GENERIC = pb.GenericSource(language="x", entry="x", files=[pb.File(path="x", content=b"x")])


class AttackContract:
    """What hostile sources do not achieve. A subclass names its ``renderer`` and has ``running``."""

    renderer: ClassVar[Renderer]
    pytestmark: ClassVar = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Give each verdict that hostile sources of the renderer have a test of its own."""
        if "verdict" in metafunc.fixturenames:
            verdicts = sorted(metafunc.cls.renderer.hostile)
            metafunc.parametrize("verdict", verdicts, ids=[pb.Verdict.Name(verdict) for verdict in verdicts])

    async def test_a_hostile_source_has_its_verdict_and_the_next_job_is_served(
        self, running: Running, verdict: int
    ) -> None:
        good = await running.picture()
        source, limits = self.renderer.hostile[verdict]
        answer = await running.render(source, limits=limits)
        assert (answer.verdict, len(answer.pictures)) == (verdict, 0), answer.message
        assert answer.message
        assert await running.picture() == good

    async def test_a_file_of_the_host_is_as_one_that_is_missing(self, running: Running) -> None:
        secret = f"secret {secrets.token_hex(16)}"
        with tempfile.TemporaryDirectory(prefix="i2s-secret-") as name:
            folder = Path(name)
            folder.chmod(0o755)
            (folder / "there.txt").write_text(secret)
            (folder / "there.txt").chmod(0o644)
            there = await running.render(self.renderer.reads_file(str(folder / "there.txt")))
            missing = await running.render(self.renderer.reads_file(str(folder / "other.txt")))
        assert there.verdict == missing.verdict, there.message
        assert [picture.sha256 for picture in there.pictures] == [
            picture.sha256 for picture in missing.pictures
        ]
        assert secret.encode() not in there.SerializeToString()

    async def test_no_connection_leaves_the_sandbox(self, running: Running) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            answer = await running.render(self.renderer.calls_port(listener.getsockname()[1]))
            assert answer.verdict
            listener.setblocking(False)
            with pytest.raises(BlockingIOError):
                listener.accept()

    async def test_nothing_is_left_behind(self, running: Running) -> None:
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


class RendererContract(AttackContract, AuditContract, LostCellContract, SurrogateContract):
    """The tests. A subclass names its ``renderer``; there is a fixture ``running``, see ``contract_of``."""

    async def test_health_is_serving_once_it_serves_and_not_before(self, running: Running) -> None:
        assert set(running.process.health[:-1]) <= {NOT_SERVING}
        state = await running.health.Check(health_pb2.HealthCheckRequest(), timeout=HANG_SECONDS)
        assert state.status == SERVING

    async def test_it_describes_itself(self, running: Running) -> None:
        answer = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
        assert (answer.service, answer.engine.name) == (self.renderer.service, self.renderer.engine)
        assert list(answer.sources) == [self.renderer.source]
        generic = self.renderer.source == "generic"
        assert tuple(answer.languages) == (self.renderer.spec.languages if generic else ())
        assert len(answer.engine.digest) == len(answer.fonts_digest) == 64
        assert answer.engine.version
        assert answer.versions
        assert answer.isolation.tier > pb.ISOLATION_TIER_NONE
        assert answer.isolation.mechanisms
        assert (answer.slots, answer.queue) == (SLOTS, QUEUE)
        for limit, value in answer.default_limits.ListFields():
            assert 0 < value <= getattr(answer.max_limits, limit.name), limit.name
        assert len(answer.default_limits.ListFields()) == len(pb.Limits.DESCRIPTOR.fields)
        known = {field.name for field, _ in answer.defaults.ListFields()}
        assert known <= self.renderer.groups

    async def test_a_good_source_is_answered_with_everything(self, running: Running) -> None:
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

    async def test_the_same_source_is_the_same_picture(self, running: Running) -> None:
        assert await running.picture() == await running.picture()

    async def test_limits_are_clamped_and_echoed(self, running: Running) -> None:
        about = await running.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
        answer = await running.render(limits=pb.Limits(cpu_seconds=1e300, pages=7))
        assert answer.limits.cpu_seconds == about.max_limits.cpu_seconds
        assert answer.limits.pages == 7

    async def test_no_picture_is_larger_than_the_limits_say(self, running: Running) -> None:
        answer = await running.render(limits=pb.Limits(pixels=1))
        assert (answer.verdict, len(answer.pictures)) == (pb.VERDICT_PIXEL_LIMIT, 0)
        answer = await running.render(limits=pb.Limits(picture_bytes=1))
        assert (answer.verdict, len(answer.pictures)) == (pb.VERDICT_OUTPUT_LIMIT, 0)

    async def test_what_has_no_meaning_is_refused_with_its_field(self, running: Running) -> None:
        wrong = [
            ({"limits": pb.Limits(cpu_seconds=-1)}, "limits.cpu_seconds"),
            ({"limits": pb.Limits(wall_seconds=float("nan"))}, "limits.wall_seconds"),
            ({"id": "x" * 257}, "id"),
        ]
        wrong += [({"options": options}, named) for options, named in self.renderer.refused]
        for group in set(GROUPS) - self.renderer.groups:
            foreign = pb.RenderOptions()
            getattr(foreign, group).SetInParent()
            wrong.append(({"options": foreign}, f"options.{group}"))
        for given, named in wrong:
            error = await running.refusal(self.renderer.request(**given))
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT, given
            assert error.details().startswith(named)

    async def test_sources_of_another_kind_are_refused(self, running: Running) -> None:
        canaries = [render_request(RenderRequest(spec.canary)) for spec in RENDERER_SPECS]
        others = [canary for canary in canaries if canary.WhichOneof("source") != self.renderer.source]
        for request in (pb.RenderRequest(), *others):
            error = await running.refusal(request)
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert error.details().startswith("source")
        if self.renderer.source == "generic":
            error = await running.refusal(pb.RenderRequest(generic=GENERIC))
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert error.details().startswith("generic.language")

    async def test_an_error_of_the_source_is_a_verdict_without_a_picture(self, running: Running) -> None:
        source, verdict = self.renderer.broken
        answer = await running.render(source)
        assert (answer.verdict, len(answer.pictures)) == (verdict, 0)
        assert answer.message

    async def test_a_job_ends_with_its_call(self, running: Running) -> None:
        good = await running.picture()
        calls = await running.fill(cpu_seconds=100)  # far longer than the next image may take
        for call in calls:
            call.cancel()
        assert await running.picture() == good

    async def test_a_job_ends_at_its_deadline(self, running: Running) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as raised:
            await running.stub.Render(self.renderer.request(self.renderer.endless), timeout=0.5)
        assert raised.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert await running.picture()

    async def test_a_stream_answers_good_and_bad_jobs_each_by_its_id(self, running: Running) -> None:
        good, (broken, verdict) = await running.picture(), self.renderer.broken

        async def items() -> AsyncIterator[pb.RenderRequest]:
            for number in range(4):
                yield self.renderer.request(id=f"good {number}")
                yield self.renderer.request(broken, id=f"broken {number}")
            yield self.renderer.request(id="")
            yield self.renderer.request(id="refused", limits=pb.Limits(cpu_seconds=-1))

        answers = [one async for one in running.stub.RenderStream(items(), timeout=HANG_SECONDS)]
        assert len(answers) == 10
        rendered = {answer.id: answer.response for answer in answers if answer.HasField("response")}
        assert {answer.id: answer.failure.code for answer in answers if answer.HasField("failure")} == {
            "": grpc.StatusCode.INVALID_ARGUMENT.value[0],
            "refused": grpc.StatusCode.INVALID_ARGUMENT.value[0],
        }
        for number in range(4):
            assert rendered[f"good {number}"].pictures[0].png == good
            assert rendered[f"broken {number}"].verdict == verdict

    async def test_a_stream_answers_in_the_order_in_which_jobs_end(self, running: Running) -> None:
        limits = pb.Limits(cpu_seconds=100)

        async def items() -> AsyncIterator[pb.RenderRequest]:
            yield self.renderer.request(self.renderer.endless, id="endless", limits=limits)
            yield self.renderer.request(id="good")

        call = running.stub.RenderStream(items(), timeout=HANG_SECONDS)
        assert (await call.read()).id == "good"
        call.cancel()
        assert await running.picture()


_Fixture = Callable[[], AsyncIterator[Running]]


def contract_of(renderer: Renderer) -> tuple[_Fixture, type[RendererContract]]:
    """Return what a test module needs: the fixture ``running`` and the class ``TestContract``."""
    return running_of(renderer), suite_of(renderer)


def running_of(renderer: Renderer, scope: str = "module") -> _Fixture:
    """Return a fixture that is the running service."""

    @pytest_asyncio.fixture(scope=scope, loop_scope="session")
    async def running() -> AsyncIterator[Running]:
        async with serving(renderer) as service:
            yield service

    return running


def suite_of(renderer: Renderer) -> type[RendererContract]:
    """Return the class with the tests of a renderer, for where there is a fixture ``running``.

    What the language of the renderer cannot express has no test.
    """
    return type("TestContract", (RendererContract,), {"renderer": renderer, **_without(renderer)})


def attacks_of(renderer: Renderer, tier: str = "landlock") -> tuple[_Fixture, type[AttackContract]]:
    """Return what a test module needs for the attacks in another tier: ``attacked`` and ``TestAttacks``.

    Args:
        renderer: The renderer.
        tier: Tier of the sandbox.
    """

    def arguments(folder: Path) -> list[str]:
        return [*renderer.arguments(folder), "--jail-tier", tier]

    @pytest_asyncio.fixture(scope="module", loop_scope="session")
    async def attacked() -> AsyncIterator[Running]:
        async with serving(replace(renderer, arguments=arguments)) as service:
            about = await service.stub.Describe(pb.DescribeRequest(), timeout=HANG_SECONDS)
            assert pb.IsolationTier.Name(about.isolation.tier) == f"ISOLATION_TIER_{tier.upper()}"
            yield service

    @pytest.fixture
    def running(self: AttackContract, attacked: Running) -> Running:
        return attacked

    inside = {"renderer": renderer, "running": running, **_without(renderer)}
    return attacked, type("TestAttacks", (AttackContract,), inside)


def _without(renderer: Renderer) -> dict[str, None]:
    """Return the names of the tests that the language of a renderer cannot express."""
    needs = {
        "test_a_file_of_the_host_is_as_one_that_is_missing": renderer.reads_file,
        "test_no_connection_leaves_the_sandbox": renderer.calls_port,
        "test_half_of_a_surrogate_pair_is_replaced_in_what_a_source_says": renderer.surrogate,
    }
    return dict.fromkeys(test for test, source in needs.items() if source is None)
