"""The example of a HELM annotator, made and run by HELM itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helm.benchmark.adaptation.adapter_spec import AdapterSpec
from helm.benchmark.adaptation.request_state import RequestState
from helm.benchmark.adaptation.scenario_state import ScenarioState
from helm.benchmark.annotation.annotator import Annotator, AnnotatorSpec
from helm.benchmark.annotation.annotator_factory import AnnotatorFactory
from helm.benchmark.annotation_executor import (
    AnnotationExecutionSpec,
    AnnotationExecutor,
    AnnotationExecutorError,
)
from helm.benchmark.scenarios.scenario import Input
from helm.benchmark.scenarios.scenario import Instance as HelmInstance
from helm.common.cache_backend_config import BlackHoleCacheBackendConfig
from helm.common.media_object import MediaObject, MultimediaObject
from helm.common.request import GeneratedOutput, Request, RequestResult

from i2s_sdk.data import Instance

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "integrations"
SPEC = AnnotatorSpec(class_name="helm_annotator.RoundTripAnnotator", args={"task": "latex"})


@pytest.fixture(autouse=True)
def _importable(found_by_name: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(EXAMPLES)


def state(picture: Path, *texts: str) -> RequestState:
    media = [
        MediaObject(text="look", content_type="text/plain"),
        MediaObject(location=str(picture), content_type="image/png"),
    ]
    instance = HelmInstance(input=Input(multimedia_content=MultimediaObject(media)), references=[], id="id1")
    outputs = [GeneratedOutput(text=text, logprob=0, tokens=[]) for text in texts]
    result = RequestResult(success=True, embedding=[], completions=outputs, cached=False)
    return RequestState(instance, None, "original", 0, None, Request(), result, 0, False)


def executed(states: list[RequestState], folder: Path) -> ScenarioState:
    """Have HELM's own executor annotate requests, several at a time."""
    execution = AnnotationExecutionSpec(local_path=str(folder), parallelism=2)
    return AnnotationExecutor(execution).execute(ScenarioState(AdapterSpec(), states, [SPEC]))


def checked(annotations: list[dict[str, Any]], folder: Path) -> None:
    """Look at what HELM's metrics look at."""
    good, bad = annotations
    assert (good["verdict"], bad["verdict"]) == ("RENDERED", "COMPILE_ERROR")
    assert good["i2s_metrics"]["ems"] == pytest.approx(1.0)
    assert set(bad["i2s_metrics"].values()) == {0.0}
    assert bad["error"]
    assert "media_object" not in bad
    picture = Path(good["media_object"].location)
    assert picture.is_relative_to(folder)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_helm_makes_it_of_its_specification(
    posterior: Instance, truth: str, broken: str, tmp_path: Path
) -> None:
    annotator = AnnotatorFactory({}, str(tmp_path), BlackHoleCacheBackendConfig()).get_annotator(SPEC)
    assert isinstance(annotator, Annotator)
    checked(annotator.annotate(state(posterior.image, truth, broken)), tmp_path)


def test_helm_annotates_the_requests_of_a_run_with_it(
    posterior: Instance, truth: str, broken: str, tmp_path: Path
) -> None:
    answered = executed([state(posterior.image, truth, broken)] * 4, tmp_path)
    assert len(answered.request_states) == 4
    for request_state in answered.request_states:
        checked(request_state.annotations["i2s"], tmp_path)


def test_a_picture_that_cannot_be_read_ends_the_annotation_of_helm(truth: str, tmp_path: Path) -> None:
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"no picture")
    with pytest.raises(AnnotationExecutorError, match=r"broken\.png"):
        executed([state(broken, truth)], tmp_path)
