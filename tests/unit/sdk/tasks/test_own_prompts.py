"""Prompts of a user in place of those of the tasks."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk import generate
from i2s_sdk.errors import RunConflictError, UnknownNameError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.model import Completion, Finish, Model
from i2s_sdk.settings import Settings
from i2s_sdk.tasks.own_prompts import read_prompts
from i2s_sdk.tasks.question import ImagePart, Question, TextPart

EXAMPLES = Path(__file__).parents[4] / "examples"


def prompts(folder: Path, text: str) -> Path:
    image = io.BytesIO()
    Image.new("RGB", (4, 4), "red").save(image, "PNG")
    (folder / "shown.png").write_bytes(image.getvalue())
    path = folder / "prompts.toml"
    path.write_text(text)
    return path


FEW_SHOT = r"""
[latex]
system = "You write LaTeX."
text = "Mine. {question}"
[[latex.examples]]
image = "shown.png"
answer = '\[ x \]'
"""


def test_text_system_and_examples_stand_around_the_question_of_the_task(tmp_path: Path) -> None:
    own = read_prompts(prompts(tmp_path, FEW_SHOT))["latex"]
    image = ImagePart(Path("reference.png"))
    asked = own.applied(Question((TextPart("Theirs."), image)))
    assert asked.system == "You write LaTeX."
    assert asked.parts == (
        TextPart("Mine. Theirs."),
        ImagePart(tmp_path / "shown.png"),
        TextPart("\nAnswer:\n\\[ x \\]\n\n"),
        image,
    )


def test_a_system_text_alone_leaves_the_question_as_it_is(tmp_path: Path) -> None:
    own = read_prompts(prompts(tmp_path, '[latex]\nsystem = "S"'))["latex"]
    question = Question((TextPart("a"), ImagePart(Path("b.png")), TextPart("c")))
    assert own.applied(question).parts == question.parts
    assert own.applied(question).system == "S"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[latex", "is not TOML"),
        ("[latex]\ntemperature = 1", "fields other than"),
        ("[latex]\ntext = 1", "is not a text"),
        ('[[latex.examples]]\nimage = "shown.png"', "image and answer"),
        ('[[latex.examples]]\nimage = "no.png"\nanswer = ""', "cannot be read"),
        ('[[latex.examples]]\nimage = "prompts.toml"\nanswer = ""', "prompts.toml"),
        ("latex = 1", "fields other than"),
    ],
)
def test_a_fault_of_the_file_is_one_line(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as raised:
        read_prompts(prompts(tmp_path, text))
    assert "\n" not in raised.value.message


def test_an_unknown_task_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="latx"):
        read_prompts(prompts(tmp_path, '[latx]\ntext = "a"'))


class Listener(Model):
    """A model that keeps what it is asked."""

    name, fingerprint = "mine/listener", ""

    def __init__(self) -> None:
        self.asked: list[Question] = []

    async def complete(self, instance: Instance, question: Question) -> Completion:
        self.asked.append(question)
        return Completion("x", Finish.STOP)


def test_they_are_asked_and_are_part_of_what_a_run_is(tmp_path: Path) -> None:
    path = prompts(tmp_path, FEW_SHOT)
    model = Listener()
    settings = Settings(examples=EXAMPLES, prompts=path)
    generate(model=model, out=tmp_path / "run", settings=settings, tasks=["latex"], limit=1)
    (asked,) = model.asked
    assert isinstance(asked.parts[0], TextPart)
    assert asked.parts[0].text.startswith("Mine. ")
    without = Settings(examples=EXAMPLES)
    with pytest.raises(RunConflictError, match="prompts"):
        generate(model=model, out=tmp_path / "run", settings=without, tasks=["latex"], limit=1)
    generate(model=model, out=tmp_path / "other", settings=without, tasks=["latex"], limit=1)
    digests = [
        json.loads((tmp_path / name / "manifest.json").read_text())["options"]["prompts"]["latex"]
        for name in ("run", "other")
    ]
    assert digests[0] != digests[1]
