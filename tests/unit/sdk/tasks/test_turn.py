import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from i2s_sdk.errors import UsageError
from i2s_sdk.tasks.question import Exchange, ImagePart, TextPart, texts_then_image
from i2s_sdk.tasks.registry import BUILT_IN, open_task
from i2s_sdk.tasks.turn import (
    DIFFERENCE,
    DONE,
    MOST_BYTES,
    MOST_ERROR_CHARACTERS,
    MOST_SIDE,
    RENDERING,
    ObservedImage,
    TurnResult,
    bounded_png,
    difference_png,
    follow_up,
    observe,
    require_turns,
    says_done,
    spoken,
    turn_name,
    turn_texts,
)
from i2s_wire.metrics.profile import Profile
from i2s_wire.metrics.score import SizePolicy
from i2s_wire.render.rendering import Verdict

LATEX = open_task("latex")


def png(size: tuple[int, int] = (40, 20), *boxes: tuple[int, int, int, int], color: str = "black") -> bytes:
    image = Image.new("RGB", size, "white")
    for box in boxes:
        ImageDraw.Draw(image).rectangle(box, fill=color)
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def pixels(content: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(content)))


def texts(parts: Sequence[str | ObservedImage]) -> str:
    return "".join(part for part in parts if isinstance(part, str))


def names(parts: Sequence[str | ObservedImage]) -> list[str]:
    return [part.name for part in parts if isinstance(part, ObservedImage)]


def test_only_tasks_that_render_have_turns() -> None:
    for name, spec in BUILT_IN.items():
        task = spec.open(Profile.PAPER)
        if spec.renders:
            require_turns(task)
        else:
            with pytest.raises(UsageError, match=f"task {name} has no turns"):
                require_turns(task)


def test_the_difference_is_red_where_the_rendering_is_darker_and_blue_where_the_reference_is() -> None:
    reference, rendering = png((30, 10), (0, 0, 9, 9)), png((30, 10), (20, 0, 29, 9))
    shown = pixels(difference_png(reference, rendering, SizePolicy.PAD))
    assert shown.shape == (10, 30, 3)
    assert [shown[5, column].tolist() for column in (5, 15, 25)] == [[0, 0, 255], [255] * 3, [255, 0, 0]]


def test_equal_images_differ_nowhere() -> None:
    image = png((31, 17), (3, 3, 9, 9), color="teal")
    assert (pixels(difference_png(image, image, SizePolicy.RESIZE)) == 255).all()


def test_a_difference_in_colour_alone_is_grey() -> None:
    one, other = (png((8, 8), (0, 0, 7, 7), color=color) for color in ("#ff0000", "#0000ff"))
    assert pixels(difference_png(one, other, SizePolicy.PAD))[4, 4].tolist() == [0, 0, 0]


@pytest.mark.parametrize(("policy", "size"), [(SizePolicy.PAD, (50, 40)), (SizePolicy.RESIZE, (50, 20))])
def test_the_difference_has_the_size_that_metrics_compare(policy: SizePolicy, size: tuple[int, int]) -> None:
    shown = difference_png(png((50, 20)), png((30, 40)), policy)
    assert Image.open(io.BytesIO(shown)).size == size


@pytest.mark.parametrize("size", [(9000, 30), (30, 9000), (2000, 2000)])
def test_images_of_an_observation_are_bounded(size: tuple[int, int]) -> None:
    chance = np.random.default_rng(0).integers(0, 256, (size[1], size[0], 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(chance).save(file, "PNG", compress_level=1)
    for content in (
        bounded_png(file.getvalue()),
        difference_png(png((50, 20)), file.getvalue(), SizePolicy.PAD),
    ):
        assert max(Image.open(io.BytesIO(content)).size) <= MOST_SIDE
        assert len(content) <= MOST_BYTES


def test_a_rendering_is_shown_with_its_difference_and_the_first_error() -> None:
    result = TurnResult(png(), Verdict.RENDERED_WITH_ERRORS, "Undefined control\n  sequence \\foo", 3)
    parts = observe(LATEX, result, png((40, 20), (0, 0, 5, 5))).parts
    assert names(parts) == [RENDERING, DIFFERENCE]
    assert "in line 3 of your answer: Undefined control sequence \\foo" in texts(parts)
    assert texts(parts).endswith(f"the word {DONE} alone.")


def test_a_task_without_references_shows_no_difference() -> None:
    parts = observe(open_task("scimage"), TurnResult(png(), Verdict.RENDERED)).parts
    assert names(parts) == [RENDERING]
    assert "error" not in texts(parts)


def test_an_answer_without_a_rendering_is_said_to_have_none() -> None:
    failed = observe(LATEX, TurnResult(None, Verdict.TIME_LIMIT), png()).parts
    assert names(failed) == []
    assert texts(failed).startswith("Your answer could not be rendered.\nThe first error is: TIME_LIMIT")
    unread = observe(LATEX, TurnResult(None, None, "there is no code"), png()).parts
    assert texts(unread).startswith("Your answer could not be read: there is no code.\nIf you can")


def test_a_long_error_is_cut() -> None:
    parts = observe(LATEX, TurnResult(None, Verdict.COMPILE_ERROR, "x" * 10**6)).parts
    assert texts(parts).count("x") < MOST_ERROR_CHARACTERS + 10


def test_the_question_of_a_turn_goes_on_with_the_conversation(tmp_path: Path) -> None:
    first = texts_then_image(("Write LaTeX.",), tmp_path / "reference.png")
    observation = observe(LATEX, TurnResult(png(), Verdict.RENDERED), png())
    question = follow_up(first, [Exchange(first.parts, "$x$")], observation, 2, tmp_path)
    assert (question.name, question.earlier) == ("turn-2", (Exchange(first.parts, "$x$"),))
    images = [part.path for part in question.parts if isinstance(part, ImagePart)]
    assert [image.name for image in images] == [RENDERING, DIFFERENCE]
    assert all(image.read_bytes().startswith(b"\x89PNG") for image in images)
    assert isinstance(question.parts[-1], TextPart)


@pytest.mark.parametrize(
    ("completion", "done"),
    [
        ("DONE", True),
        ("  **DONE**.\n", True),
        ("<think>Is it right? It is not DONE</think>DONE", True),
        ("The rendering agrees with the image.\n\nDONE", True),
        ("done", False),
        ("I am DONE with this", False),
        ("\\frac{a}{b}\nDONE", False),
        ("```latex\nx\n```\nDONE", False),
        ("<think>DONE", False),
        ("", False),
    ],
)
def test_an_answer_says_done_by_the_word_on_its_last_line_without_code(completion: str, done: bool) -> None:
    assert says_done(LATEX, completion) is done


def test_half_of_a_character_is_not_sent() -> None:
    assert spoken(LATEX, "$x$ \ud83d") == "$x$ ?"
    parts = observe(LATEX, TurnResult(None, Verdict.COMPILE_ERROR, "bad \ud83d", 1)).parts
    assert "of your answer: bad ?" in texts(parts)


def test_the_first_turn_has_no_name() -> None:
    assert [turn_name(one) for one in (1, 2, 3)] == ["", "turn-2", "turn-3"]


def test_no_text_of_turns_is_one_of_a_task() -> None:
    assert len(turn_texts(open_task("latex"))) == 7
    for spec in BUILT_IN.values():
        task = spec.open(Profile.PAPER)
        assert not set(turn_texts(task)).intersection(task.prompt_texts())
