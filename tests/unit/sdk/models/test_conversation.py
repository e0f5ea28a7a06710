"""Questions that go on with a conversation, as each provider sends them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.models import open_model
from i2s_sdk.models.anthropic_messages import AnthropicMessages
from i2s_sdk.models.cache import question_key
from i2s_sdk.models.command import command_provider
from i2s_sdk.models.costs import estimate
from i2s_sdk.models.google_genai import GoogleGenAI
from i2s_sdk.models.openai_chat import OpenAIChat
from i2s_sdk.models.options import ModelOptions
from i2s_sdk.models.question import ReadExchange, ReadQuestion, read_question
from i2s_sdk.tasks.question import Exchange, ImagePart, Question, TextPart, texts_then_image
from i2s_sdk.tasks.turn import DONE
from named_pictures import named_picture
from questions import read_image

OPTIONS = ModelOptions()
EARLIER = (ReadExchange(("write it", read_image(b"\x89PNG1")), "x^2"),)
ASKED = ReadQuestion(
    "a", ("look", read_image(b"\x89PNG2")), system="be brief", name="turn-2", earlier=EARLIER
)
ALONE = replace(ASKED, earlier=())


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(name, "k")


@dataclass(frozen=True)
class _Who:
    vendor: str = "openai"
    model: str = "m"
    base_url: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)


def test_the_key_of_an_answer_has_the_conversation() -> None:
    other = replace(ASKED, earlier=(replace(EARLIER[0], answer="x^3"),))
    keys = {question_key(_Who(), one) for one in (ASKED, ALONE, other)}
    assert len(keys) == 3


def test_openai_gets_the_conversation_as_messages() -> None:
    request = OpenAIChat("m", OPTIONS).request(ASKED)
    assert [message["role"] for message in request["messages"]] == ["system", "user", "assistant", "user"]
    assert request["messages"][2]["content"] == "x^2"
    assert [part["type"] for part in request["messages"][3]["content"]] == ["text", "image_url"]


def test_anthropic_gets_the_conversation_as_messages() -> None:
    request = AnthropicMessages("m", OPTIONS).request(ASKED)
    assert [message["role"] for message in request["messages"]] == ["user", "assistant", "user"]
    assert request["messages"][1]["content"] == [{"type": "text", "text": "x^2"}]


def test_google_gets_the_conversation_with_its_own_name_of_the_model() -> None:
    request = GoogleGenAI("m", OPTIONS).request(ASKED)
    assert [one.role for one in request["contents"]] == ["user", "model", "user"]
    assert request["contents"][1].parts[0].text == "x^2"


async def test_a_program_of_lines_gets_the_conversation(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'id': asked['id'], 'completion': json.dumps(asked['earlier'])}), flush=True)\n"
    )
    provider = command_provider(f"python3 {program}", OPTIONS)
    try:
        said = json.loads((await provider.ask(ASKED)).text)
    finally:
        await provider.close()
    assert [one["completion"] for one in said] == ["x^2"]
    assert said[0]["parts"][0] == {"text": "write it"}


async def test_a_program_for_each_question_gets_one_text_and_all_images() -> None:
    provider = command_provider("echo {prompt} {image}", OPTIONS)
    text = (await provider.ask(replace(ASKED, system=""))).text
    assert text.startswith("write it\n\nAnswer:\nx^2\n\nlook ")
    assert text.count("a.png") == 2


def test_an_estimate_counts_the_conversation(tmp_path: Path) -> None:
    image = tmp_path / "a.png"
    image.write_bytes(named_picture("a"))
    first = texts_then_image(("write it",), image)
    later = replace(first, earlier=(Exchange(first.parts, "x" * 400),))
    instance = Instance("a", "latex", "equation", image)
    one, two = (estimate("openai/gpt-4o", [(instance, question)]) for question in (first, later))
    assert two.tokens_in > 2 * one.tokens_in


def test_images_of_earlier_messages_are_read(tmp_path: Path) -> None:
    image = tmp_path / "a.png"
    image.write_bytes(named_picture("a"))
    question = Question((TextPart("b"),), earlier=(Exchange((ImagePart(image),), "x"),))
    read = read_question(Instance("a", "latex", "equation", image), question)
    assert (read.images, len(read.all_images), read.all_images[0].content) == ((), 1, image.read_bytes())


async def test_the_oracle_has_nothing_to_correct(tmp_path: Path) -> None:
    instance = Instance("a", "latex", "equation", tmp_path / "a.png")
    question = Question((TextPart("b"),), earlier=(Exchange((), "x"),))
    assert (await open_model("oracle").complete(instance, question)).text == DONE


@pytest.mark.parametrize("name", ["baseline/blank", "baseline/constant", "baseline/shuffled"])
def test_baselines_that_look_at_nothing_have_one_turn(name: str, tmp_path: Path) -> None:
    assert (
        open_model(name).no_turn(Instance("a", "latex", "equation", None), "turn-2") == "it looks at nothing"
    )


async def test_a_replay_has_the_turns_that_its_lines_have(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    lines = [
        {"id": "a", "completion": "one"},
        {"id": "a", "completion": "two", "turn": 2},
        {"id": "a", "completion": "three", "question": "turn-3"},
        {"id": "b", "completion": "alone", "question": "What?"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = open_model(f"replay:{file}")
    a, b = (Instance(name, "latex", "equation", None) for name in "ab")
    names = ("", "turn-2", "turn-3")
    said = [(await model.complete(a, Question((), name=name))).text for name in names]
    assert said == ["one", "two", "three"]
    assert (await model.complete(b, Question(()))).text == "alone"
    assert [model.no_turn(one, "turn-2") for one in (a, b)] == [
        "",
        "replay:answers.jsonl has no further turn",
    ]
    assert model.no_turn(a, "turn-4")


async def test_the_replay_of_a_run_reads_its_later_turns_beside_its_records(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "records.jsonl").write_text('{"id": "a", "completion": "one"}\n')
    alone = open_model(f"replay:{run}").fingerprint
    (run / "turn-records.jsonl").write_text('{"id": "a", "completion": "two", "turn": 2}\n')
    model = open_model(f"replay:{run}")
    instance = Instance("a", "latex", "equation", None)
    said = [(await model.complete(instance, Question((), name=name))).text for name in ("", "turn-2")]
    assert said == ["one", "two"]
    assert model.fingerprint != alone
