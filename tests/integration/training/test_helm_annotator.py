"""The example of a HELM annotator, with real services.

The three classes that the annotator takes from HELM stand here as HELM documents them; tests/training runs it
with HELM's own.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from i2s_sdk import Settings
from i2s_sdk.data import Instance, read_folder

pytestmark = pytest.mark.integration

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "integrations" / "helm_annotator.py"
BROKEN = r"\begin{equation} \frac{1}{ \end{equation}"


@pytest.fixture(autouse=True)
def _services(endpoints: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in endpoints.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def posterior(running: Settings) -> Instance:
    assert running.examples is not None
    return read_folder(running.examples).instances[0]


def load() -> Any:
    spec = importlib.util.spec_from_file_location("helm_annotator", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(annotator: Any, state: Any, tmp_path: Path) -> None:
    """Annotate ground truth and broken code, and look at what HELM's metrics look at."""
    (good, bad), (again,) = annotator.annotate_all([state(2), state(1)])
    assert (good["verdict"], bad["verdict"]) == ("RENDERED", "COMPILE_ERROR")
    assert good["i2s_metrics"]["ems"] == pytest.approx(1.0)
    assert set(bad["i2s_metrics"].values()) == {0.0}
    assert bad["error"]
    assert "media_object" not in bad
    picture = Path(good["media_object"].location)
    assert picture.is_relative_to(tmp_path)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert (good["media_object"].content_type, again) == ("image/png", good)
    assert annotator.annotate(state(1)) == [good]


@dataclass(frozen=True)
class StandInMedia:
    content_type: str
    location: str | None = None
    text: str | None = None


def test_its_logic_with_the_interface_that_helm_documents(
    posterior: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {
        "helm.benchmark.adaptation.request_state": {"RequestState": object},
        "helm.benchmark.annotation.annotator": {"Annotator": object},
        "helm.common.media_object": {"MediaObject": StandInMedia},
    }
    for name, content in modules.items():
        parts = name.split(".")
        for length in range(1, len(parts)):
            package = ".".join(parts[:length])
            monkeypatch.setitem(sys.modules, package, ModuleType(package))
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    media = [StandInMedia("text/plain", text="look"), StandInMedia("image/png", str(posterior.image))]
    source = SimpleNamespace(multimedia_content=SimpleNamespace(media_objects=media))

    def state(completions: int) -> Any:
        texts = [SimpleNamespace(text=text) for text in _answers(posterior)[:completions]]
        return SimpleNamespace(
            instance=SimpleNamespace(id="id1", input=source), result=SimpleNamespace(completions=texts)
        )

    annotator = load().RoundTripAnnotator(str(tmp_path / "pictures"))
    check(annotator, state, tmp_path)
    with pytest.raises(ValueError, match="after the model has answered"):
        annotator.annotate(SimpleNamespace(result=None))


def _answers(posterior: Instance) -> list[str]:
    assert posterior.structure is not None
    return [f"```latex\n{posterior.structure.read_text()}```", BROKEN]
