"""The bundled examples have the outcomes, documents, renderings and values that version 0.1.0 gave them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk import evaluate
from i2s_sdk.settings import Settings
from i2s_wire.metrics.profile import Profile
from recorded import findings, lost, recorded_json

pytestmark = [pytest.mark.integration, pytest.mark.timeout(1200)]

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"
MODELS = {"oracle": "oracle", "baseline": "baseline/ocr", "replay": f"replay:{EXAMPLES}/try/replay.jsonl"}
#: What other versions of an engine change, and with the rendering the values.
OF_RENDERINGS = ("rendering_sha256", "width", "height", "metrics", "undefined")


def without_renderings(found: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the version of an engine decides."""
    samples = {
        name: {key: one for key, one in sample.items() if key not in OF_RENDERINGS}
        for name, sample in found["samples"].items()
    }
    return {"samples": samples}


#: The baseline makes large images whose similarity takes seconds: a few of its samples stand for all,
#: which I2S_ALL_RECORDED=1 compares (four minutes).
FEW = ("equation-evidence-bound", "webpage-css-reading-list", "music-melody")


def _cases() -> Iterator[object]:
    mark = pytest.mark.nightly(instead="the oracle and the replay in both profiles")
    for model in MODELS:
        for profile in Profile:
            left_out = model == "baseline"
            yield pytest.param(model, profile, id=f"{model}-{profile.value}", marks=mark if left_out else ())


@pytest.mark.parametrize(("model", "profile"), list(_cases()))
def test_examples_have_the_values_of_before(
    model: str, profile: Profile, tmp_path: Path, everything_running_without_networks: Settings
) -> None:
    settings = replace(everything_running_without_networks, fail_on_error="100%")
    samples = FEW if model == "baseline" and not os.environ.get("I2S_ALL_RECORDED") else ()
    out = tmp_path / "run"
    evaluate(EXAMPLES, MODELS[model], out=out, settings=settings, profile=profile, samples=samples)
    before, now = recorded_json(f"results/{model}-{profile.value}.json"), findings(out)
    if samples:
        before = {**before, "samples": {name: before["samples"][name] for name in samples}}
        before, now = ({key: one[key] for key in ("engines", "samples")} for one in (before, now))
    if before["engines"] != now["engines"]:
        before, now = without_renderings(before), without_renderings(now)
    assert list(lost(before, now)) == []
