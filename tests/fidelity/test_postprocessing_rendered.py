"""The recorded LaTeX vectors of profile ``helm``, compiled by the render service through the SDK."""

import asyncio
import json
from pathlib import Path

import pytest

from i2s_sdk.settings import Settings
from i2s_sdk.stack import open_services
from i2s_sdk.tasks import Structure, render_with_repairs_async
from i2s_sdk.tasks.latex import LatexTask
from i2s_wire.metrics.profile import Profile

pytestmark = [pytest.mark.fidelity, pytest.mark.integration]

RECORDED = json.loads((Path(__file__).parent / "data" / "postprocessing.json").read_text(encoding="utf-8"))
VECTORS = {vector["id"]: vector for vector in RECORDED["vectors"] if vector["kind"] == "latex"}
TASK = LatexTask(Profile.HELM)

# Sizes depend on fonts and on the versions of TeX and poppler.
SIZE_TOLERANCE = 2


async def rendered(logs):
    """Every vector, rendered with its repairs, by name."""
    done = {}
    async with open_services(Settings(), logs, ["render-latex"]) as services:

        async def render(document):
            return await services.renderers["render-latex"].render_latex(document.source, page=TASK.page())

        for name, vector in VECTORS.items():
            structure = TASK.structure_from(vector["completion"])
            assert isinstance(structure, Structure)
            done[name] = await render_with_repairs_async(TASK, TASK.document(structure), render)
    return done


@pytest.fixture(scope="module")
def attempts(tmp_path_factory):
    return asyncio.run(rendered(tmp_path_factory.mktemp("services")))


@pytest.mark.parametrize("name", VECTORS)
def test_the_outcome_is_the_recorded_one(attempts, name):
    assert attempts[name].last.verdict.has_picture == (VECTORS[name]["outcome"] == "rendered")


@pytest.mark.parametrize("name", VECTORS)
def test_it_is_compiled_as_often_as_recorded(attempts, name):
    assert len(attempts[name].renderings) == VECTORS[name]["compiles"]


@pytest.mark.parametrize("name", [name for name, vector in VECTORS.items() if "image_size" in vector])
def test_the_picture_has_the_recorded_size(attempts, name):
    (picture,) = attempts[name].last.pictures
    assert (picture.width, picture.height) == pytest.approx(VECTORS[name]["image_size"], abs=SIZE_TOLERANCE)


@pytest.mark.parametrize("name", [name for name, vector in VECTORS.items() if vector.get("first_tex_error")])
def test_the_first_error_is_the_recorded_one(attempts, name):
    error = attempts[name].first.error
    assert error is not None
    # The recorded words end where TeX broke the line of its log.
    assert error.message.startswith(VECTORS[name]["first_tex_error"])
