"""A job whose engine lost a process is run once more; a kill and a lost sandbox are no verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import pytest

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.errors import AbortedError, InvalidArgumentError, UnavailableError
from i2s_chassis.jail import CellError, CellLostError, Isolation, JailError, KilledError, StarvedError, Tier
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.model import EngineInstallation, RawRendering
from i2s_chassis.renderer.servicer import Identity, RendererServicer
from i2s_chassis.renderer.settings import RendererSettings
from i2s_chassis.server.service import Chassis
from i2s_chassis.server.telemetry import Telemetry
from i2s_wire.render.rendering import Verdict


@dataclass(frozen=True)
class _Job:
    limits: Limits


class _Settings(RendererSettings):
    service: ClassVar[str] = "test"
    port: ClassVar[int] = 1


class _Engine:
    """Answers what a test wants, one answer after the other."""

    def __init__(self, answers: Sequence[RawRendering | Exception]) -> None:
        self.answers = list(answers)

    @property
    def installation(self) -> EngineInstallation:
        raise AssertionError("nobody asks")

    @property
    def isolation(self) -> Isolation:
        return Isolation(Tier.NAMESPACE, ())

    async def render(self, job: _Job) -> RawRendering:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


class _Servicer(RendererServicer[_Job, RawRendering]):
    def __init__(self, engine: _Engine, chassis: Chassis, identity: Identity | None = None) -> None:
        identity = identity or Identity("i2s-chassis", "latex", "test", pb.RenderOptions())
        super().__init__(identity, engine, _Settings(), chassis)

    def job(self, request: pb.RenderRequest, limits: Limits) -> _Job:
        return _Job(limits)

    def source_sha256(self, job: _Job) -> str:
        return ""

    def warm(self) -> list[pb.WarmEngine]:
        return []


ATTEMPTS = _Settings().jail_attempts
KILLED = KilledError("something outside killed the engine")
RENDERED = RawRendering(Verdict.RENDERED, "")
CRASHED = RawRendering(Verdict.CRASHED, "The engine crashed.")
LOST = RawRendering(Verdict.NO_OUTPUT, "net::ERR_ABORTED", interrupted=True)


class _Chassis:
    """What a servicer uses of a chassis beside its answers."""

    def __init__(self) -> None:
        self.telemetry = Telemetry("test")

    @property
    def reruns(self) -> float | None:
        return self.telemetry.registry.get_sample_value("i2s_reruns_total", {"service": "test"})


async def rendered(*answers: RawRendering | Exception) -> tuple[RawRendering, int, float | None]:
    """Return the result, how many answers were not asked for, and the number of reruns."""
    chassis, engine = _Chassis(), _Engine(answers)
    servicer = _Servicer(engine, chassis)  # type: ignore[arg-type]
    result = await servicer._render_surely(_Job(Limits()))
    return result, len(engine.answers), chassis.reruns


@pytest.mark.parametrize("first", [CRASHED, LOST])
async def test_the_second_result_counts(first: RawRendering) -> None:
    assert await rendered(first, RENDERED) == (RENDERED, 0, 1.0)


@pytest.mark.parametrize("one", [CRASHED, LOST])
async def test_what_happens_twice_is_the_sources_own(one: RawRendering) -> None:
    assert await rendered(one, one, RENDERED) == (one, 1, 1.0)


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.CRASHED])
async def test_other_results_count_at_once(verdict: Verdict) -> None:
    result, left, reruns = await rendered(RawRendering(verdict, ""), CRASHED)
    assert (result.verdict, left, reruns or 0.0) == (verdict, 1, 0.0)


async def test_a_job_that_is_killed_is_run_again_until_it_has_an_end_of_its_own() -> None:
    kills = [KILLED] * (ATTEMPTS - 1)
    assert await rendered(*kills, RENDERED) == (RENDERED, 0, len(kills))


async def test_a_job_that_is_killed_each_time_has_a_status_and_no_verdict() -> None:
    with pytest.raises(AbortedError, match="something outside of the service killed"):
        await rendered(*[KILLED] * ATTEMPTS)


async def test_a_kill_is_no_second_result() -> None:
    assert await rendered(CRASHED, KILLED, RENDERED) == (RENDERED, 0, 2.0)
    assert await rendered(KILLED, CRASHED, CRASHED) == (CRASHED, 0, 2.0)


@pytest.mark.parametrize("error", [CellLostError("gone"), StarvedError("no time"), CellError("no room")])
async def test_a_lost_sandbox_is_unavailable(error: CellError) -> None:
    with pytest.raises(UnavailableError):
        await rendered(error)
    with pytest.raises(UnavailableError):
        await rendered(CRASHED, error)


async def test_other_faults_of_the_jail_stay_faults() -> None:
    with pytest.raises(JailError, match="a bug"):
        await rendered(JailError("a bug"))


def test_another_kind_or_language_of_source_is_refused() -> None:
    identity = Identity("i2s-chassis", "generic", "test", pb.RenderOptions(), languages=("svg", "svgz"))
    servicer = _Servicer(_Engine([]), _Chassis(), identity)  # type: ignore[arg-type]
    servicer._check_kind(pb.RenderRequest(generic=pb.GenericSource(language="svgz")))
    with pytest.raises(InvalidArgumentError, match="source: this service renders generic only"):
        servicer._check_kind(pb.RenderRequest(latex=pb.LatexSource(document=b"x")))
    with pytest.raises(InvalidArgumentError, match='is "typst"; this service renders svg, svgz') as refused:
        servicer._check_kind(pb.RenderRequest(generic=pb.GenericSource(language="typst")))
    assert refused.value.field == "generic.language"
