"""Services that do not answer a batch are looked for again at the next use, and never under others' work."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from i2s_client.service_table import DOCUMENTS
from i2s_sdk.errors import DataError, I2SError, ServiceFaultError, ServiceUnavailableError
from i2s_sdk.run.storage.record import (
    Outcome,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
)
from i2s_sdk.settings import Settings
from i2s_training import round_trip
from i2s_training.completion_scorer import RoundTripRequest, RoundTripResult
from i2s_training.round_trip import RoundTrip
from i2s_wire.render.rendering import Verdict

Result = RoundTripResult | I2SError


class _Services:
    """Stands for services: answers as a test says, and counts how often they are looked for."""

    def __init__(self) -> None:
        self.opened = 0
        self.needed: Sequence[str] = ()
        self.answers: list[Result] = []
        self.unavailable: dict[str, str] = {}
        self.workers = self

    async def close(self) -> None:
        """Have nothing to close."""

    async def score_each(self, requests: Sequence[RoundTripRequest]) -> list[Result]:
        assert len(requests) == len(self.answers)
        return self.answers


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> _Services:
    found = _Services()

    @contextlib.asynccontextmanager
    async def open_services(
        settings: object, logs: object, needed: Sequence[str]
    ) -> AsyncIterator[SimpleNamespace]:
        found.opened += 1
        found.needed = needed
        yield SimpleNamespace(children=())

    async def open_completion_scorer(*_: object) -> _Services:
        return found

    monkeypatch.setattr(round_trip, "open_services", open_services)
    monkeypatch.setattr(round_trip, "open_completion_scorer", open_completion_scorer)
    return found


@pytest.mark.parametrize(("metrics", "needed"), [(("teds",), True), (("ems",), False), ((), False)])
def test_services_of_metrics_that_are_asked_for_are_opened(
    services: _Services, metrics: tuple[str, ...], needed: bool
) -> None:
    services.answers = [BROKEN]
    with RoundTrip(("latex",), metrics=metrics, settings=Settings()) as trip:
        trip.judge_each(requests([BROKEN]))
    assert (DOCUMENTS in services.needed) is needed
    assert "render-latex" in services.needed


@pytest.fixture
def trip(services: _Services) -> Iterator[RoundTrip]:
    with RoundTrip(("latex", "webpage"), settings=Settings()) as trip:
        yield trip


def gone(method: str = "Render") -> ServiceUnavailableError:
    return ServiceUnavailableError("nobody answers", address="a:1", method=method, status="UNAVAILABLE")


def result(verdict: Verdict | None, task: str = "latex", png: bytes | None = None) -> RoundTripResult:
    facts, answer = SampleInstance("1", task, "", ""), SampleAnswer("x")
    rendering = SampleRendering(usable=verdict is not None, verdict=verdict)
    return RoundTripResult(Record(facts, answer, rendering, SampleScore(Outcome.SCORED)), png)


UNUSABLE = result(None)
BROKEN = result(Verdict.COMPILE_ERROR)
RENDERED = result(Verdict.RENDERED, png=b"png")
FAULT = ServiceFaultError("a bug", address="a:1", method="Render", status="INTERNAL")


def requests(answers: Sequence[Result], *tasks: str) -> list[RoundTripRequest]:
    named = tasks or ("latex",) * len(answers)
    return [RoundTripRequest(b"", "x", task) for task in named]


@pytest.mark.parametrize(
    "answers",
    [
        [gone()],
        [gone(), DataError("picture.png", 0, "is no image")],
        [UNUSABLE, gone()],
        [gone("Score"), BROKEN, UNUSABLE],
    ],
)
def test_services_are_looked_for_again_if_none_answered(
    trip: RoundTrip, services: _Services, answers: list[Result]
) -> None:
    services.answers = answers
    for times in (1, 2, 3):
        assert trip.judge_each(requests(answers)) == answers
        assert services.opened == times


@pytest.mark.parametrize(
    "answers",
    [
        [RENDERED],
        [UNUSABLE, DataError("picture.png", 0, "is no image")],
        [FAULT],
        [gone(), BROKEN],
        [gone("Score"), RENDERED],
    ],
)
def test_services_that_answer_stay(trip: RoundTrip, services: _Services, answers: list[Result]) -> None:
    services.answers = answers
    for _ in range(2):
        trip.judge_each(requests(answers))
    assert services.opened == 1


def test_a_service_of_one_task_does_not_speak_for_another(trip: RoundTrip, services: _Services) -> None:
    services.answers = [gone(), result(Verdict.RENDERED, "webpage")]
    for _ in range(2):
        trip.judge_each(requests(services.answers, "latex", "webpage"))
    assert services.opened == 2


async def test_coroutines_look_again_as_well(trip: RoundTrip, services: _Services) -> None:
    services.answers = [gone(), UNUSABLE]
    for _ in range(2):
        await trip.judge_each_async(requests(services.answers))
    assert services.opened == 2


class _Raced(RoundTrip):
    """Another thread ends a batch without an answer at the moment at which work was begun."""

    def _submit(self, work: Any) -> Future[Any]:
        future = super()._submit(work)
        answers = [gone()]
        self._look_again_after(requests(answers), answers)
        return future


async def test_work_that_was_begun_keeps_its_services(services: _Services) -> None:
    services.answers = [RENDERED]
    with _Raced(settings=Settings()) as trip:
        for _ in range(50):
            assert trip.judge_each(requests(services.answers)) == [RENDERED]
            assert await trip.judge_each_async(requests(services.answers)) == [RENDERED]
    assert services.opened == 1
