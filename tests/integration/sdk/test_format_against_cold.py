"""The guard of the precompiled formats: the same image as from the first line, byte for byte.

Over every example in both profiles, the recorded imperfect answers, fragments that need every
kind of repair, and each document on the way of those repairs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from i2s_client import RenderClient
from i2s_sdk.settings import Settings
from i2s_sdk.tasks import Structure, render_with_repairs
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.document import LatexDocument
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.rendering import Rendering

pytestmark = pytest.mark.integration

_EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
_NEED_REPAIR = {
    "maths": r"\frac{a}{b} + \alpha^2",
    "package": r"\chemfig{A-B=C} and \ce{H2O}",
    "environment": r"\begin{circuitikz}\draw (0,0) to[R, l=$R$] (2,0);\end{circuitikz}",
    "two packages": r"\begin{forest}[a[b][c]]\end{forest}\enquote{x}",
    "tikz library": r"\begin{tikzpicture}\node[regular polygon, draw] {x};\draw[snake=coil] (0,0)--(1,0);"
    r"\end{tikzpicture}",
    "algorithm2e": r"\begin{algorithm}\KwData{$x$}\KwResult{$y$}\While{$x>0$}{$x \gets x-1$\;}"
    r"\caption{A}\end{algorithm}",
    "missing package": "\\usepackage{no-such-package}\n\\begin{document}text\\end{document}",
    "unmendable": r"\begin{tabular}{cc} a & b & c & d \wrong \end{tabular}",
}


def _completions() -> dict[str, str]:
    found = dict(_NEED_REPAIR)
    for path in sorted((_EXAMPLES / "structures").glob("*.tex")):
        found[f"example {path.stem}"] = path.read_text()
    for line in (_EXAMPLES / "try" / "replay.jsonl").read_text().splitlines():
        answer = json.loads(line)
        found[f"answer {answer['id']}"] = answer["completion"]
    return found


@pytest.fixture(scope="module")
def client(running: Settings) -> Iterator[RenderClient]:
    with RenderClient(str(running.render_latex)) as client:
        yield client


def _cases() -> Iterator[object]:
    for place, name in enumerate(_completions()):
        for profile in Profile:
            # Answers are in one profile and the other by turns.
            other = (Profile.HELM, Profile.PAPER)[place % 2] if name.startswith("answer ") else Profile.HELM
            # What needs repair is compared in one profile, every second document in both. Of the rest every
            # second one is compared.
            if name in _NEED_REPAIR:
                repeated = profile is other and place % 2 == 1
            else:
                repeated = profile is other or place % 4 > 1
            mark = pytest.mark.nightly(instead="other documents, and this one in neither or one profile")
            yield pytest.param(name, profile, id=f"{name}-{profile.value}", marks=mark if repeated else ())


@pytest.mark.parametrize(("name", "profile"), list(_cases()))
def test_every_document_looks_the_same_with_a_format_and_from_the_first_line(
    client: RenderClient, profile: Profile, name: str
) -> None:
    task = LatexTask(profile)
    structure = task.structure_from(_completions()[name])
    if not isinstance(structure, Structure):
        return  # an answer without code: nothing is rendered
    compared = 0

    def render(document: LatexDocument) -> Rendering:
        nonlocal compared
        warm = client.render_latex(document.source, page=task.page())
        cold = client.render_latex(document.source, page=task.page(), cold=True)
        assert (warm.verdict, warm.total_pages) == (cold.verdict, cold.total_pages)
        assert warm.error == cold.error
        assert [picture.png for picture in warm.pictures] == [picture.png for picture in cold.pictures]
        compared += 1
        return warm

    attempts = render_with_repairs(task, task.document(structure), render)
    assert compared == len(attempts.repairs) + 1


def test_the_examples_are_served_by_formats(client: RenderClient) -> None:
    task = LatexTask(Profile.PAPER)
    for path in (_EXAMPLES / "structures").glob("*.tex"):
        structure = task.structure_from(path.read_text())
        assert isinstance(structure, Structure)
        rendering = client.render_latex(task.document(structure).source, page=task.page())
        assert {stage.detail for stage in rendering.stages if stage.name == "compile"} == {"format"}, (
            path.stem
        )
