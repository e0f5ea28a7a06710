"""Gates: what tells that an answer earns without doing the task, and what does not."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from i2s_sdk.instances.instance import Content
from i2s_sdk.run.storage.record import (
    Outcome,
    ReadingNote,
    Record,
    RepairNote,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
)
from i2s_training.completion_scorer import RoundTripResult
from i2s_training.gates import MOST_NUMBERS, MOST_RECTANGLES, ClosedGate, Gate, Judged, closed_gates
from i2s_training.reward import RoundTripReward
from i2s_wire.render.figure import Figure, FigureBox, FigureText, Mark, MarkKind
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.site import SiteResult


def png(image: Image.Image, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, "PNG", **options)
    return file.getvalue()


REFERENCE = png(Image.effect_noise((64, 48), 80))
DRAWN = png(Image.effect_noise((64, 48), 20))


def judged(
    code: str = "x",
    *,
    task: str = "webpage",
    image: bytes | None = DRAWN,
    rendering: Rendering | None = None,
    content: Content | None = None,
    ems: float = 0.5,
    outcome: Outcome = Outcome.SCORED,
    finish: str = "",
    **of_rendering: object,
) -> Judged:
    verdict = Verdict.RENDERED if image else Verdict.NO_OUTPUT
    read = SampleRendering(
        usable=image is not None, verdict=verdict, structure=code, width=64, height=48, **of_rendering
    )  # type: ignore[arg-type]
    record = Record(
        SampleInstance("a", task, "", ""),
        SampleAnswer("x", finish=finish),
        read,
        SampleScore(outcome, metrics={"ems": ems}),
    )
    return Judged(record, image, content or Content(REFERENCE), rendering)


def closed(*given: object, **more: object) -> list[tuple[Gate, bool]]:
    return [(closed_gate.gate, closed_gate.lowers) for closed_gate in closed_gates(judged(*given, **more))]  # type: ignore[arg-type]


def embedded(image: bytes) -> str:
    return f'<img src="data:image/png;base64,{base64.b64encode(image).decode()}">'


def test_an_honest_answer_passes_all() -> None:
    assert closed("<h1>Prices</h1><p>1,2,3</p>") == []


def test_what_became_of_the_completion_is_named() -> None:
    assert closed(outcome=Outcome.REFUSED, image=None)[0] == (Gate.REFUSAL, True)
    assert closed(outcome=Outcome.ENDED_IN_REASONING)[0] == (Gate.CUT_OFF, True)
    assert closed(finish="length") == [(Gate.CUT_OFF, False)]
    assert closed(reading=ReadingNote(0, 1, origin="unclosed_fence")) == [(Gate.CUT_OFF, False)]
    assert closed(repairs=(RepairNote("salvage_json", ""),)) == [(Gate.CUT_OFF, False)]
    assert closed(reading=ReadingNote(0, 1, origin="excerpt")) == []


def test_nothing_drawn_and_one_color_lower() -> None:
    assert closed(image=None) == [(Gate.BLANK, True)]
    white = png(Image.new("RGB", (64, 48), "white"))
    assert closed(image=white) == [(Gate.ONE_COLOR, True)]
    assert closed(image=white, ems=1.0) == []  # it was to be drawn
    gray = png(Image.new("RGB", (90, 30), "gray"))
    assert closed(image=white, content=Content(gray)) == []


def test_an_embedded_image_lowers_only_if_the_page_has_no_text_beside_it() -> None:
    photograph = embedded(png(Image.effect_noise((60, 40), 90)))
    page = Rendering(Verdict.RENDERED, site=SiteResult(text="Our prices"))
    alone = Rendering(Verdict.RENDERED, site=SiteResult(text=" \n"))
    assert closed(photograph, rendering=page) == [(Gate.EMBEDDED_RASTER, False)]
    assert closed(photograph, rendering=alone) == [(Gate.EMBEDDED_RASTER, True)]
    assert closed(photograph) == [(Gate.EMBEDDED_RASTER, False)]  # the engine does not say
    icon = embedded(png(Image.effect_noise((12, 12), 90)))
    assert closed(icon, rendering=alone) == [(Gate.EMBEDDED_RASTER, False)]


def test_the_same_holds_of_a_figure_and_its_objects() -> None:
    code = f"im = imread(b64decode('{base64.b64encode(png(Image.effect_noise((60, 40), 90))).decode()}'))"
    bare = Rendering(Verdict.RENDERED, figures=(Figure(),))
    lines = Rendering(Verdict.RENDERED, figures=(Figure(marks=(Mark(MarkKind.LINE),)),))
    assert closed(code, task="chart", rendering=bare) == [(Gate.EMBEDDED_RASTER, True)]
    assert closed(code, task="chart", rendering=lines) == [(Gate.EMBEDDED_RASTER, False)]


@pytest.mark.parametrize(
    "code",
    [
        r"open('a','wb').write(b'\x89PNG\r\n')",
        r"\pdfliteral{q BI /W 8 /H 8 ID 00 EI Q}",
        f"plt.imshow([{', '.join(str(at) for at in range(MOST_NUMBERS))}])",
        r"\rule{1pt}{1pt}" * MOST_RECTANGLES,
    ],
)
def test_pixels_that_are_written_down_are_reported(code: str) -> None:
    assert closed(code, task="latex") == [(Gate.EMBEDDED_RASTER, False)]


@pytest.mark.parametrize(
    "code",
    ["plt.imshow([[1, 2], [3, 4]])", r"\rule{1pt}{1pt}" * 20, r"\[ BI = ID \]", "x = [1, 2, 3] * 9000"],
)
def test_a_heat_map_and_some_rules_are_not(code: str) -> None:
    assert closed(code, task="latex") == []


def test_a_copy_of_the_reference_lowers_however_it_is_encoded() -> None:
    again = png(Image.open(io.BytesIO(REFERENCE)).convert("RGB"), compress_level=1)
    assert again != REFERENCE
    text = Rendering(Verdict.RENDERED, site=SiteResult(text="a"))
    for code in (embedded(REFERENCE), embedded(again)):
        assert (Gate.REFERENCE_COPIED, True) in closed(code, rendering=text)
    assets = {"hero.png": again, "logo.png": DRAWN}
    content = Content(REFERENCE, assets=assets)
    assert closed('<img src="hero.png">', content=content) == [(Gate.REFERENCE_COPIED, True)]
    assert closed('<img src="logo.png">', content=content) == []


def test_a_broken_image_in_a_source_is_no_copy() -> None:
    broken = embedded(REFERENCE[: len(REFERENCE) // 2])
    assert closed(broken) == [(Gate.EMBEDDED_RASTER, False)]


def test_texts_outside_of_the_figure_are_counted() -> None:
    inside = FigureText("a", box=FigureBox(0.9, 0.9, 0.3, 0.1))
    outside = FigureText("b", box=FigureBox(1.2, 0.5, 0.1, 0.1))
    figure = Figure(texts=(inside, outside, FigureText(" ", box=FigureBox(2, 2, 1, 1))))
    rendering = Rendering(Verdict.RENDERED, figures=(figure,))
    (gate,) = closed_gates(judged(task="chart", rendering=rendering))
    assert (gate.gate, gate.lowers) == (Gate.OUTSIDE_PAGE, False)
    assert gate.detail.startswith("1 of 3")


def test_a_gate_that_lowers_leaves_the_reward_of_a_blank_image() -> None:
    record = judged(ems=0.9).record
    reward = RoundTripReward("webpage")
    for lowers, value in ((True, 0.01), (False, 0.9)):
        gates = (ClosedGate(Gate.EMBEDDED_RASTER, "", lowers=lowers),)
        assert reward.value(RoundTripResult(record, DRAWN, gates)) == value
