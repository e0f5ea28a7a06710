"""Traces of evaluations with the real services: one for each sample, through model, renderer and metrics."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk import evaluate
from i2s_sdk.run.storage.folder import read_records
from i2s_sdk.settings import Settings
from kept_services import kept_services
from recorded_spans import Collector, RecordedSpan, collecting, recorded
from tiny_formulas import ANSWERS, write_tiny_formulas

pytestmark = pytest.mark.integration

RENDER, SCORE = "i2s.render.v1.RenderService/Render", "i2s.metrics.v1.MetricsService/Score"
COUNT = len(ANSWERS)


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as found:
        yield found


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> Iterator[Settings]:
    """Settings that name a renderer and a metric service, which export to the collector."""
    nowhere = {name: str(tmp_path_factory.mktemp("none")) for name in ("XDG_CACHE_HOME", "TORCH_HOME")}
    environment = {**os.environ, **nowhere, **collector.variables}
    with kept_services(tmp_path_factory.mktemp("logs"), environment) as settings:
        yield replace(settings, render_cache="no", score_cache="no")


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    """Answers that end in all ways, and their data set beside them."""
    written = write_tiny_formulas(tmp_path / "data", COUNT)
    lines = [json.dumps({"id": name, "completion": text}) for name, text in written.answers().items()]
    (tmp_path / "answers.jsonl").write_text("\n".join(lines))
    return tmp_path / "answers.jsonl"


def names(spans: Iterable[RecordedSpan], parent: RecordedSpan) -> list[str]:
    """Names of the children of a span in the order of their beginnings."""
    return [
        span.name for span in sorted(spans, key=lambda one: one.start) if span.parent_id == parent.span_id
    ]


def by_sample(spans: Iterable[RecordedSpan]) -> dict[str, list[RecordedSpan]]:
    """The spans of each trace that begins with a sample, by the sample's id."""
    spans = list(spans)
    roots = {span.trace_id: span for span in spans if span.name == "sample"}
    found: dict[str, list[RecordedSpan]] = {}
    for span in spans:
        if span.trace_id in roots:
            found.setdefault(roots[span.trace_id].attributes["i2s.sample.id"], []).append(span)
    return found


def only(spans: Iterable[RecordedSpan], name: str, kind: str = "INTERNAL") -> RecordedSpan:
    (found,) = (span for span in spans if (span.name, span.kind) == (name, kind))
    return found


def check(samples: dict[str, list[RecordedSpan]], run: Path) -> None:
    """Each record of a run has one trace, whose spans have the right parents and say what the record says."""
    records = read_records(run)
    assert samples.keys() == records.keys()
    assert len(records) == COUNT
    verdicts = set()
    for name, record in records.items():
        spans = samples[name]
        (root,) = (span for span in spans if span.name == "sample")
        assert root.parent_id == 0
        assert names(spans, root) == ["generate", "render", "score"]
        assert names(spans, only(spans, "generate")) == ["model"]
        assert root.attributes["i2s.outcome"] == record.outcome
        assert root.attributes.get("i2s.verdict", "") == (
            record.rendering.verdict.name.lower() if record.rendering.verdict else ""
        )
        assert root.attributes.get("i2s.engine.digest", "") == record.rendering.engine_digest
        verdicts.add(root.attributes.get("i2s.verdict"))
        if record.rendering.verdict is not None:
            check_render(spans, record.rendering.engine_digest)
        if record.rendering.has_image:
            check_score(spans)
        assert all(root.start <= span.start <= span.end <= root.end for span in spans)
    assert len(verdicts) == 3  # rendered, an error of the compiler, nothing to render


def check_render(spans: list[RecordedSpan], digest: str) -> None:
    stage = only(spans, "render")
    calls = {span.span_id: span for span in spans if (span.name, span.kind) == (RENDER, "CLIENT")}
    served = [span for span in spans if (span.name, span.kind) == (RENDER, "SERVER")]
    assert {call.parent_id for call in calls.values()} == {stage.span_id}
    assert sorted(one.parent_id for one in served) == sorted(calls)
    for one in served:
        assert one.service == "render-latex"
        assert one.attributes["i2s.caller"] == "anonymous"
        assert one.attributes["i2s.engine.digest"] == digest
        below = names(spans, one)
        assert below[:3] == ["queue", "cell", "compile"]


def check_score(spans: list[RecordedSpan]) -> None:
    call, served = only(spans, SCORE, "CLIENT"), only(spans, SCORE, "SERVER")
    assert call.parent_id == only(spans, "score").span_id
    assert (served.service, served.parent_id) == ("metrics", call.span_id)
    assert names(spans, served) == ["queue", "worker", "compare"]
    assert served.attributes["i2s.verdict"] == "scored"


def check_silence(spans: Iterable[RecordedSpan], folder: Path) -> None:
    """No span has a text of a document, a log, or a path of this machine."""
    text = str([(span.name, span.attributes, span.events) for span in spans])
    for secret in ("undefinedcommand", "a+b", "documentclass", "Undefined control", str(folder), "prompt"):
        assert secret not in text


def test_one_trace_leads_from_each_sample_to_engine_and_metrics(
    traced: Settings, collector: Collector, replay: Path
) -> None:
    run = replay.parent / "run"
    with recorded() as here:
        evaluate(replay.parent / "data", f"replay:{replay}", out=run, settings=traced)
        ours = here.all()
    rendered = len([span for span in ours if span.name == RENDER])
    scored = len([span for span in ours if span.name == SCORE])
    ids = {span.trace_id for span in ours if span.name == "sample"}

    def served(name: str) -> list[RecordedSpan]:
        return [
            one for one in collector.all() if (one.name, one.kind) == (name, "SERVER") and one.trace_id in ids
        ]

    collector.wait_until(lambda: (len(served(RENDER)), len(served(SCORE))) == (rendered, scored))
    samples = by_sample([*ours, *collector.all()])
    check(samples, run)
    check_silence((span for spans in samples.values() for span in spans), replay.parent)


def test_what_is_taken_from_a_cache_is_noted_and_no_service_is_called(
    traced: Settings, replay: Path, tmp_path: Path
) -> None:
    caching = replace(
        traced, render_cache="yes", score_cache="yes", evaluation_caches=str(tmp_path / "caches")
    )
    data, model = replay.parent / "data", f"replay:{replay}"
    evaluate(data, model, out=tmp_path / "first", settings=caching)
    with recorded() as here:
        evaluate(data, model, out=tmp_path / "second", settings=caching)
        ours = here.all()
    assert not [span for span in ours if span.name in (RENDER, SCORE)]
    rendered = [span for span in ours if span.name == "render" and span.attributes.get("i2s.verdict")]
    assert rendered
    assert all("taken from the cache" in one.events for one in rendered)
    scored = [
        span for span in ours if span.name == "score" and span.attributes.get("i2s.verdict") == "rendered"
    ]
    assert scored
    assert all(one.attributes["i2s.cached_metrics"] > 0 for one in scored)


def test_the_command_exports_its_part_as_the_variables_say(
    traced: Settings, collector: Collector, replay: Path
) -> None:
    run = replay.parent / "run"
    before = len([one for one in collector.all() if one.name == "sample"])
    command = [Path(sys.executable).with_name("i2s-sdk"), "evaluate", "--data", replay.parent / "data"]
    ended = subprocess.run(
        [*command, "--model", f"replay:{replay}", "--out", run, "--json"],
        env={
            **os.environ,
            **collector.variables,
            "I2S_RENDER_LATEX": str(traced.render_latex),
            "I2S_METRICS": str(traced.metrics),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    json.loads(ended.stdout)
    collector.wait_for(before + COUNT, "sample")
    samples = {
        name: [*spans]
        for name, spans in by_sample(collector.all()).items()
        if all(span.service for span in spans)
    }
    check(samples, run)
    assert {one.service for one in samples["tiny-0"]} == {"i2s-sdk", "render-latex", "metrics"}
    check_silence((span for spans in samples.values() for span in spans), replay.parent)


def test_without_the_variables_nothing_is_exported(
    traced: Settings, collector: Collector, replay: Path
) -> None:
    before = len(collector.all())
    evaluate(replay.parent / "data", f"replay:{replay}", out=replay.parent / "run", settings=traced)
    collector.wait_until(lambda: len(collector.all()) > before)
    new = collector.all()[before:]
    assert {one.service for one in new} <= {"render-latex", "metrics"}
    assert not any(one.attributes.get("i2s.sample.id") for one in new)
