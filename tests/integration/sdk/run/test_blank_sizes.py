"""The blank baseline through real engines: as large as the reference, in one color that is almost white."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk import evaluate, render_lilypond
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.registry import task_spec

pytestmark = pytest.mark.integration


def opened(png: bytes | None) -> Image.Image:
    assert png
    return Image.open(io.BytesIO(png)).convert("RGB")


@pytest.mark.parametrize("profile", ["paper", "helm"])
@pytest.mark.parametrize("task", ["latex", "music", "webpage"])
def test_blank_answers_have_the_sizes_of_their_references(
    everything_running_without_networks: Settings, tmp_path: Path, task: str, profile: str
) -> None:
    settings = everything_running_without_networks
    evaluate(model="baseline/blank", out=tmp_path, settings=settings, tasks=[task], profile=profile)
    run = read_run(tmp_path)
    assert len(run.records) > 10
    sizes = {}
    for name, record in run.records.items():
        assert record.usable, f"{name}: {record.rendering.verdict}: {record.message}"
        sizes[name] = (
            (record.rendering.width, record.rendering.height),
            opened(run.image(record.instance.reference_sha256)).size,
        )
    assert {name: ours for name, (ours, _) in sizes.items()} == {
        name: theirs for name, (_, theirs) in sizes.items()
    }


# The page of a score is 835 pixels wide, and 795 of them are right of its left margin.
@pytest.mark.parametrize(
    "size", [(755, 100), (401, 38), (2, 2), (795, 60), (796, 61), (834, 40), (600, 1140)]
)
def test_a_blank_score_has_any_size_that_a_page_has_room_for(
    everything_running_without_networks: Settings, size: tuple[int, int]
) -> None:
    score = task_spec("music").blank(size)
    drawn = opened(render_lilypond(score, settings=everything_running_without_networks).png)
    assert drawn.size == size
    assert drawn.getcolors() == [(size[0] * size[1], (254, 254, 254))]
