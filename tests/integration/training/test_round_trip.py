"""Single completions through real services."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk import Settings, evaluate
from i2s_sdk.data import Instance, read_folder
from i2s_sdk.errors import CommandMissingError, ServiceError, UnknownNameError, UsageError
from i2s_sdk.models.baselines import Oracle
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.stack.command import find_program
from i2s_sdk.tasks.question import Question
from i2s_training import RoundTrip, RoundTripRequest
from i2s_wire.render.rendering import Verdict

pytestmark = pytest.mark.integration

BROKEN = r"\begin{equation} \frac{1}{ \end{equation}"


@pytest.fixture(scope="session")
def posterior(running: Settings) -> Instance:
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


@pytest.fixture(scope="session")
def truth(posterior: Instance) -> str:
    assert posterior.structure is not None
    return posterior.structure.read_text()


def test_ground_truth_is_rendered_as_its_reference(trip: RoundTrip, posterior: Instance, truth: str) -> None:
    result = trip.judge(posterior, f"```latex\n{truth}```")
    assert (result.outcome, result.verdict) == (Outcome.SCORED, Verdict.RENDERED)
    assert result.metrics["ems"] == pytest.approx(1.0)
    assert result.metrics["edit"] == 1.0
    assert result.png is not None
    assert result.png.startswith(b"\x89PNG")


def test_a_picture_and_a_path_are_references_as_well(
    trip: RoundTrip, posterior: Instance, truth: str
) -> None:
    whole = trip.judge(posterior, truth)
    picture = trip.judge(posterior.image.read_bytes(), truth)
    path = trip.judge(str(posterior.image), truth, structure=truth)
    texts = {"edit", "edit_tex", "edit_normal", "glyph_f1", "cdm"}
    assert picture.metrics == {name: value for name, value in whole.metrics.items() if name not in texts}
    assert path.metrics == whole.metrics


def test_code_that_does_not_compile_scores_0_and_says_why(trip: RoundTrip, posterior: Instance) -> None:
    result = trip.judge(posterior, BROKEN)
    assert (result.outcome, result.verdict, result.png) == (Outcome.SCORED, Verdict.COMPILE_ERROR, None)
    assert set(result.metrics.values()) == {0.0}
    assert result.record.rendering.error is not None


def test_an_answer_without_code_scores_0(trip: RoundTrip, posterior: Instance) -> None:
    result = trip.judge(posterior, "")
    assert (result.outcome, result.verdict) == (Outcome.NO_STRUCTURE, None)
    assert result.metrics["ems"] == 0.0


def test_a_round_trip_is_the_sample_of_a_run(
    trip: RoundTrip, running: Settings, posterior: Instance, truth: str, tmp_path: Path
) -> None:
    answer = truth.replace("tau", "rho")
    (tmp_path / "answers.jsonl").write_text(json.dumps({"id": posterior.id, "completion": answer}))
    evaluate(model=f"replay:{tmp_path / 'answers.jsonl'}", out=tmp_path / "run", limit=1, settings=running)
    kept = read_records(tmp_path / "run")[posterior.id]
    ours = trip.judge(posterior, answer).record
    assert 0.0 < (ours.score.metrics["ems"] or 0.0) < 1.0
    assert (ours.score.metrics, ours.rendering.verdict, ours.outcome) == (
        kept.score.metrics,
        kept.rendering.verdict,
        kept.outcome,
    )
    assert ours.rendering.sha256 == kept.rendering.sha256


def test_many_are_judged_in_their_order(trip: RoundTrip, posterior: Instance, truth: str) -> None:
    answers = [truth, BROKEN, "", f"{truth}% again"] * 3
    results = trip.judge_many(RoundTripRequest(posterior, answer) for answer in answers)
    assert [result.record.answer.completion for result in results] == answers
    assert [result.png is not None for result in results] == [True, False, False, True] * 3


async def test_coroutines_await_it_on_their_own_loop(
    trip: RoundTrip, posterior: Instance, truth: str
) -> None:
    one, many = await asyncio.gather(
        trip.judge_async(posterior, truth),
        trip.judge_many_async([RoundTripRequest(posterior, truth), RoundTripRequest(posterior, "")]),
    )
    assert one.metrics["ems"] == pytest.approx(1.0)
    assert [result.outcome for result in many] == [Outcome.SCORED, Outcome.NO_STRUCTURE]


def test_threads_share_one(trip: RoundTrip, posterior: Instance, truth: str) -> None:
    found: list[float | None] = []
    threads = [
        threading.Thread(target=lambda: found.append(trip.judge(posterior, truth).metrics["ems"]))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == pytest.approx([1.0] * 4)


def test_a_failure_of_a_service_is_no_score(running: Settings, posterior: Instance, truth: str) -> None:
    # The renderer serves at the address of the metric service, which does not know its calls.
    crossed = replace(running, render_latex=running.metrics, start_seconds=0.5, retry_seconds=0.5)
    with RoundTrip(settings=crossed) as trip, pytest.raises(ServiceError):
        trip.judge(posterior, truth)


def test_only_the_metrics_that_are_named_are_computed(
    running: Settings, posterior: Instance, truth: str
) -> None:
    with RoundTrip(metrics=["ems"], settings=running) as trip:
        assert set(trip.judge(posterior, truth).metrics) == {"ems"}
    with RoundTrip(metrics=["emz"], settings=running) as trip, pytest.raises(UnknownNameError, match="'ems'"):
        trip.judge(posterior, truth)


def test_what_was_not_opened_is_told(trip: RoundTrip, posterior: Instance) -> None:
    with pytest.raises(UsageError, match="RoundTrip"):
        trip.judge(posterior.image, "{ c' }", task="music")
    with pytest.raises(UsageError, match=r"nowhere\.png"):
        trip.judge("nowhere.png", "x")
    with pytest.raises(UsageError, match=r"nowhere\.png"):
        trip.judge_many([RoundTripRequest("nowhere.png", "x")])


def test_a_closed_one_says_so(running: Settings, posterior: Instance) -> None:
    trip = RoundTrip(settings=running)
    trip.close()
    with pytest.raises(UsageError, match="is closed"):
        trip.judge(posterior, "x")


def test_services_are_started_where_none_is_named_and_end_with_it(posterior: Instance, truth: str) -> None:
    with RoundTrip(metrics=["ssim"], settings=Settings()) as trip:
        assert trip.judge(posterior, truth).metrics == {"ssim": pytest.approx(1.0)}
    with pytest.raises(UsageError, match="is closed"):
        trip.judge(posterior, truth)


@pytest.mark.parametrize("task", ["webpage", "music"])
def test_the_other_tasks_make_the_trip_as_well(task: str, running: Settings) -> None:
    for service in ("render-html", "render-lilypond"):
        try:
            find_program(service)
        except CommandMissingError as error:
            pytest.skip(error.message)
    assert running.examples is not None
    of_task = [instance for instance in read_folder(running.examples).instances if instance.task == task]
    one = next((one for one in of_task if one.assets), of_task[0])
    answer = asyncio.run(Oracle().complete(one, Question(()))).text
    with RoundTrip((task,), settings=running) as trip:
        good = trip.judge(one, answer)
        bad = trip.judge(one, "nothing of use" if task == "webpage" else "{ c' ")
    assert good.metrics["ems"] == pytest.approx(1.0, abs=1e-3)
    assert good.record.instance.assets == tuple(asset.name for asset in one.assets)
    assert bad.outcome.counts
    assert (bad.metrics["ems"] or 0.0) < 0.999
