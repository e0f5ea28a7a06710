"""Texts that a run keeps for its readers, limits of images, and the ground truth that is rendered."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk.errors import GroundTruthError
from i2s_sdk.instances.instance import Content, Instance
from i2s_sdk.run.caches import MACHINE_VERDICTS
from i2s_sdk.run.render import (
    DOCUMENT_CHARACTERS,
    LOG_HEAD,
    LOG_TAIL,
    ImageLimits,
    RenderStep,
    image_limits,
    refuse_unpaddable,
    stored_log,
    stored_target,
)
from i2s_sdk.run.score import ScoreStep
from i2s_sdk.run.storage.codec import read_rendering, rendering_line
from i2s_sdk.run.storage.record import SampleAnswer, SampleInstance
from i2s_sdk.run.truths import Truths, truth_key
from i2s_sdk.scoring.edit import EditScorer
from i2s_sdk.scoring.scorer import Metric, MetricValues, NotUsable, Scorer, ScorerLimits
from i2s_sdk.scoring.workers import ScorerWorkers
from i2s_sdk.tasks.latex.task import LatexTask
from i2s_sdk.tasks.music.task import MusicTask
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.webpage.task import WebpageTask
from i2s_wire.metrics.description import MetricsDescription
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.description import RendererDescription
from i2s_wire.render.isolation import Isolation
from i2s_wire.render.rendering import Engine, LogExcerpt, Picture, Rendering, Verdict
from i2s_wire.render.resources import Limits
from i2s_wire.render.site import SiteResult
from odd_scorers import LoopingScorer, LoopingUnusableScorer


def test_a_long_log_keeps_its_ends_and_says_what_is_left_out() -> None:
    log = LogExcerpt("h" * 5_000, "t" * 5_000, 90_000)
    kept = stored_log(log) or ""
    assert kept.count("h") >= LOG_HEAD
    assert kept.endswith("t" * LOG_TAIL)
    assert len(kept) < LOG_HEAD + LOG_TAIL + 60
    assert "86000 bytes are left out" in kept


def test_a_log_steers_no_terminal_and_an_empty_one_is_none() -> None:
    assert stored_log(LogExcerpt("a\x1b[31mb", "", 7)) == "a\\x1b[31mb"
    assert stored_log(LogExcerpt()) is None


def test_the_ground_truth_is_kept_as_answers_have_it() -> None:
    assert stored_target(Content(structure="a^2")) == "a^2"
    assert stored_target(Content(structure="x" * (DOCUMENT_CHARACTERS + 1))) is None
    assert stored_target(Content()) is None
    site = stored_target(Content(site={"index.html": b"<p>", "logo.png": b"\x89PNG\xff"}))
    assert json.loads(site or "") == [{"filename": "index.html", "content": "<p>"}]


def renderer(**limits):
    default = Limits(**limits)
    return RendererDescription(
        "render-latex", "1", Engine(), {}, "", Isolation(), default, default, ("latex",), 1, 1, 1, ()
    )


def comparer(pixels, picture_bytes):
    return MetricsDescription("metrics", "1", (), {}, "cpu", 1, pixels, 1, 1, picture_bytes)


@pytest.mark.parametrize(
    ("of_renderer", "of_metrics", "asked"),
    [
        ((50, 500), (25, 300), (25, 300)),
        ((20, 200), (25, 300), (20, 200)),
        ((50, 0), (25, 300), (25, 300)),
        ((50, 500), (25, 0), (25, 500)),
    ],
)
def test_a_renderer_is_asked_for_no_more_than_the_metric_service_takes(of_renderer, of_metrics, asked):
    pixels, size = of_renderer
    limits = image_limits(renderer(pixels=pixels, picture_bytes=size), comparer(*of_metrics))
    assert (limits.pixels, limits.picture_bytes) == asked


def test_without_a_metric_service_the_renderer_keeps_its_own():
    limits = image_limits(renderer(pixels=50, picture_bytes=500), None).within(Limits(pages=1))
    assert limits == Limits(pages=1)


def test_what_a_task_wants_is_lowered_and_never_raised():
    limits = ImageLimits(100, 1000)
    assert limits.within(None) == Limits(pixels=100, picture_bytes=1000)
    assert limits.within(Limits(pixels=70, pages=3)) == Limits(pixels=70, pages=3, picture_bytes=1000)
    assert limits.within(Limits(pixels=700)).pixels == 100


def png(width, height):
    output = io.BytesIO()
    Image.new("L", (width, height)).save(output, "PNG")
    return output.getvalue()


def rendering(width, height, most=10_000):
    picture = Picture(b"", width, height, 1, "")
    return Rendering(Verdict.RENDERED, pictures=(picture,), limits=Limits(pixels=most))


@pytest.mark.parametrize("sizes", [((10, 1000), (100, 10)), ((1000, 1), (10, 11))])
def test_a_pair_that_gets_too_large_by_padding_is_a_pixel_limit(sizes):
    (width, height), reference = sizes
    refused = refuse_unpaddable(rendering(width, height), png(*reference), SizePolicy.PAD)
    assert (refused.verdict, refused.pictures) == (Verdict.PIXEL_LIMIT, ())
    assert "more than the limit of 10000" in refused.message


@pytest.mark.parametrize(
    ("made", "reference", "policy"),
    [
        (rendering(10, 1000), png(10, 10), SizePolicy.PAD),
        (rendering(10, 1000), png(100, 10), SizePolicy.RESIZE),
        (rendering(10, 10), png(101, 100), SizePolicy.PAD),
        (rendering(10, 1000), b"no picture", SizePolicy.PAD),
        (rendering(10, 1000, most=0), png(100, 10), SizePolicy.PAD),
        (Rendering(Verdict.NO_OUTPUT, limits=Limits(pixels=5)), png(100, 10), SizePolicy.PAD),
    ],
    ids=["within", "resized", "the reference alone", "no reference", "limit not known", "no picture"],
)
def test_every_other_rendering_is_left_alone(made, reference, policy):
    assert refuse_unpaddable(made, reference, policy) is made


class _Answering:
    """A renderer that answers one request after the other."""

    def __init__(self, *answers):
        self._answers = list(answers)
        self.requests = []

    async def render(self, request):
        self.requests.append(request)
        return self._answers.pop(0)


FACTS = SampleInstance("page", "webpage", "css", "")
SITE = Content(site={"index.html": b"<p>Hello</p>"}, reference=png(10, 10))
SAID = SampleAnswer('[{"filename": "index.html", "content": "<p>Hello</p>"}]')
DRAWN = Rendering(
    Verdict.RENDERED, pictures=(Picture(png(10, 10), 10, 10, 1, ""),), site=SiteResult(text="Hello")
)


def step(*answers):
    task = open_task("webpage")
    return RenderStep(task, {"render-html": _Answering(*answers)}, with_texts=True), task


@pytest.mark.parametrize("verdict", sorted(MACHINE_VERDICTS))
async def test_a_ground_truth_that_met_a_limit_of_the_machine_is_a_failure_of_ours(verdict):
    reading, _ = step(Rendering(verdict, "The limit was reached."), DRAWN)
    with pytest.raises(GroundTruthError, match=verdict.name):
        await reading.render(FACTS, SITE, SAID)


async def test_a_ground_truth_is_rendered_once_for_all_models_and_anew_if_it_differs():
    service, truths = _Answering(*[DRAWN] * 6), Truths(1000)
    task = open_task("webpage")
    for content in (SITE, SITE, replace(SITE, site={"index.html": b"<p>Bye</p>"})):
        reading = RenderStep(task, {"render-html": service}, with_texts=True, truths=truths)
        rendering, _ = await reading.render(FACTS, content, SAID)
        assert rendering.truth == "Hello"
    assert len(service.requests) == 5, "two ground truths and three answers"
    reading = RenderStep(open_task("webpage", Profile.HELM), {}, with_texts=True, truths=truths)
    assert truth_key(reading.task, service.requests[0]) != truth_key(task, service.requests[0])


async def test_a_ground_truth_that_met_a_limit_of_the_machine_is_rendered_again():
    service, truths = _Answering(Rendering(Verdict.TIME_LIMIT), DRAWN, DRAWN), Truths(1000)
    reading = RenderStep(open_task("webpage"), {"render-html": service}, with_texts=True, truths=truths)
    with pytest.raises(GroundTruthError):
        await reading.render(FACTS, SITE, SAID)
    assert (await reading.render(FACTS, SITE, SAID))[0].truth == "Hello"


@pytest.mark.parametrize("answer", [SAID, SampleAnswer("I cannot.")], ids=["usable", "not usable"])
async def test_a_metric_that_the_ground_truth_cannot_give_has_a_reason(answer):
    reading, task = step(Rendering(Verdict.NO_OUTPUT, "There is no page."), DRAWN)
    rendering, _ = await reading.render(FACTS, SITE, answer)
    assert rendering.usable is (answer is SAID)
    assert read_rendering(rendering_line(FACTS, rendering)) == (FACTS, rendering)
    scoring = ScoreStep(task, None, (), task.scorers, ScorerWorkers())
    score = await scoring.score(rendering, Instance("page", "webpage", "css", None), b"", None)
    assert score.metrics["edit"] is None
    assert score.undefined["edit"] == ("the ground truth was not rendered (NO_OUTPUT: There is no page.)")


async def test_an_instance_without_ground_truth_has_no_such_metric_and_no_reason():
    reading, task = step(DRAWN)
    rendering, _ = await reading.render(FACTS, Content(reference=png(10, 10)), SAID)
    scoring = ScoreStep(task, None, (), task.scorers, ScorerWorkers())
    score = await scoring.score(rendering, Instance("page", "webpage", "css", None), b"", None)
    assert (score.metrics, score.undefined) == ({}, {})


class _SizeTask(WebpageTask):
    """A task whose scorer compares what the engine drew: here the size of the image."""

    def drawn_request(self, document):
        return replace(self.request(document), limits=Limits(pages=7))

    def drawn(self, document, rendering):
        return f"{rendering.pictures[0].width}"


class _SizeScorer(Scorer):
    name, version, in_worker, compares_drawn = "size", "1", False, True
    metrics = (Metric("size"),)

    def applies(self, sample):
        return sample.drawn_truth is not None

    def score(self, sample):
        return MetricValues({"size": float(sample.drawn == sample.drawn_truth)})


@pytest.mark.parametrize(("width", "value"), [(10, 1.0), (11, 0.0)])
async def test_what_the_engine_drew_is_asked_for_stored_and_compared(width, value):
    drawn = replace(DRAWN, pictures=(Picture(png(width, 10), width, 10, 1, ""),))
    task, service = _SizeTask(), _Answering(DRAWN, drawn)
    reading = RenderStep(task, {"render-html": service}, with_texts=True, with_drawn=True)
    rendering, _ = await reading.render(FACTS, SITE, SAID)
    assert [request.limits.pages for request in service.requests] == [7, 7]
    assert (rendering.drawn, rendering.drawn_truth) == (f"{width}", "10")
    assert read_rendering(rendering_line(FACTS, rendering)) == (FACTS, rendering)
    scoring = ScoreStep(task, None, (), (_SizeScorer(),), ScorerWorkers())
    score = await scoring.score(rendering, Instance("page", "webpage", "css", None), b"", None)
    assert score.metrics == {"size": value}


async def test_a_ground_truth_that_is_not_drawn_leaves_its_text_and_a_reason():
    task = _SizeTask()
    service = _Answering(Rendering(Verdict.NO_OUTPUT, "There is no page."), DRAWN)
    reading = RenderStep(task, {"render-html": service}, with_texts=True, with_drawn=True)
    rendering, _ = await reading.render(FACTS, replace(SITE, text="Hello"), SAID)
    assert (rendering.text, rendering.truth, rendering.drawn) == ("Hello", "Hello", None)
    scoring = ScoreStep(task, None, (), (*task.scorers, _SizeScorer()), ScorerWorkers())
    score = await scoring.score(rendering, Instance("page", "webpage", "css", None), b"", None)
    assert (score.metrics["edit"], score.metrics["size"]) == (1.0, None)
    assert score.undefined["size"] == "the ground truth was not rendered (NO_OUTPUT: There is no page.)"


class _LatexSizeTask(LatexTask):
    """The same of LaTeX, whose text is known without a rendering."""

    def drawn(self, document, rendering):
        return f"{rendering.pictures[0].width}"


async def test_a_ground_truth_that_meets_a_limit_of_the_machine_costs_only_what_needs_its_rendering():
    task, image = _LatexSizeTask(), Rendering(Verdict.RENDERED, pictures=DRAWN.pictures)
    service = _Answering(Rendering(Verdict.TIME_LIMIT, "It took too long."), image)
    reading = RenderStep(task, {"render-latex": service}, with_texts=True, with_drawn=True)
    facts = SampleInstance("a", "latex", "equation", "")
    content = Content(structure="$x$", reference=png(10, 10))
    rendering, _ = await reading.render(facts, content, SampleAnswer("```latex\n$x$\n```"))
    assert (rendering.usable, rendering.truth is not None, rendering.drawn_truth) == (True, True, None)
    assert rendering.no_truth == "the ground truth was not rendered (TIME_LIMIT: It took too long.)"


class _LimitedSizeScorer(_SizeScorer):
    """One that meets a limit."""

    def score(self, sample):
        return NotUsable("it took more than 60 CPU seconds")


async def test_a_limit_of_a_scorer_of_drawn_objects_leaves_the_other_values():
    task = _SizeTask()
    reading = RenderStep(task, {"render-html": _Answering(DRAWN, DRAWN)}, with_texts=True, with_drawn=True)
    rendering, _ = await reading.render(FACTS, SITE, SAID)
    scorers = (EditScorer(Profile.PAPER), _LimitedSizeScorer())
    scoring = ScoreStep(task, None, (), scorers, ScorerWorkers())
    score = await scoring.score(rendering, Instance("page", "webpage", "css", None), b"", None)
    assert score.not_usable is None
    assert score.metrics["size"] == 0.0
    assert score.detail["size"] == {"limit": "it took more than 60 CPU seconds"}
    assert score.metrics["edit"] == 1.0


@pytest.fixture
def workers_import_tests(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3] / "support"))


async def _scored_with(scorer, task, identity="page"):
    reading = RenderStep(WebpageTask(), {"render-html": _Answering(DRAWN, DRAWN)}, with_texts=True)
    rendering, _ = await reading.render(FACTS, replace(SITE, text="Hello"), SAID)
    workers = ScorerWorkers(ScorerLimits(cpu_seconds=1.0))
    scoring = ScoreStep(task, None, (), (EditScorer(Profile.PAPER), scorer), workers)
    score = await scoring.score(rendering, Instance(identity, "webpage", "css", None), b"", None)
    await workers.close()
    return score


LIMIT = "scoring it (looping) takes more than 1 s of CPU time"


@pytest.mark.usefixtures("workers_import_tests")
async def test_a_limit_of_any_scorer_beside_images_leaves_the_other_values():
    score = await _scored_with(LoopingScorer(), WebpageTask())
    assert score.not_usable is None
    assert score.metrics == {"edit": 1.0, "looping": 0.0, "other": 0.0}
    assert score.detail["looping"] == {"limit": LIMIT}


@pytest.mark.usefixtures("workers_import_tests")
async def test_a_limit_counts_what_an_answer_counts_that_is_not_usable():
    score = await _scored_with(LoopingUnusableScorer(), WebpageTask())
    assert score.metrics == {"edit": 1.0, "looping": 0.0, "other": None}
    assert score.detail["looping"] == {"limit": LIMIT}


@pytest.mark.usefixtures("workers_import_tests")
async def test_a_limit_that_the_ground_truth_meets_alone_leaves_the_columns_undefined():
    score = await _scored_with(LoopingUnusableScorer(), WebpageTask(), "endless")
    assert score.not_usable is None
    assert score.metrics == {"edit": 1.0, "looping": None, "other": None}
    assert score.undefined == dict.fromkeys(("looping", "other"), LIMIT)


@pytest.mark.usefixtures("workers_import_tests")
async def test_a_limit_makes_the_sample_not_usable_without_images_and_in_profile_helm():
    for task in (open_task("sobench"), WebpageTask(Profile.HELM)):
        score = await _scored_with(LoopingScorer(), task)
        assert score.not_usable == LIMIT
        assert score.metrics == {"edit": 0.0, "looping": 0.0, "other": 0.0}


class _MusicSizeTask(MusicTask):
    """The same of music, of which no scorer compares texts."""

    def drawn(self, document, rendering):
        return f"{rendering.pictures[0].width}"


async def test_a_task_that_compares_no_texts_has_none_because_its_ground_truth_is_drawn():
    image = Rendering(Verdict.RENDERED, pictures=DRAWN.pictures)
    service = _Answering(image, image)
    reading = RenderStep(_MusicSizeTask(), {"render-lilypond": service}, with_texts=True, with_drawn=True)
    facts, content = SampleInstance("a", "music", "music", ""), Content(structure="{ c }", text="said")
    rendering, _ = await reading.render(facts, replace(content, reference=png(10, 10)), SampleAnswer("{ c }"))
    assert (rendering.drawn, rendering.drawn_truth) == ("10", "10")
    assert (rendering.text, rendering.truth) == (None, None)
