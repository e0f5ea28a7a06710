"""What is sent for a question, byte for byte: of a text and an image, and of every other form."""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import UsageError
from i2s_sdk.models import ModelOptions, close_model, open_model
from i2s_sdk.models.completion import ModelAccessError
from i2s_sdk.models.openai_chat import OpenAIChat
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.tasks import ImagePart, Question, Sampling, TextPart
from questions import complete, question_of

from .conftest import ModelServer, answer_to

pytestmark = pytest.mark.integration

TEXT = "Be short.\nWrite LaTeX."


def _options(server: ModelServer, vendor: str) -> ModelOptions:
    return ModelOptions(base_url=server.base + ("/v1" if vendor == "openai" else ""), cache=None)


def _base64(instance: Instance) -> str:
    return base64.b64encode(instance.image.read_bytes()).decode()


def _openai(picture: str) -> dict[str, Any]:
    content = [
        {"type": "text", "text": TEXT},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}},
    ]
    return {
        "messages": [{"role": "user", "content": content}],
        "model": "m",
        "max_tokens": 2000,
        "temperature": 0.0,
    }


def _anthropic(picture: str) -> dict[str, Any]:
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    content = [{"type": "text", "text": TEXT}, {"type": "image", "source": source}]
    return {
        "max_tokens": 2000,
        "messages": [{"role": "user", "content": content}],
        "model": "m",
        "temperature": 0.0,
    }


def _google(picture: str) -> dict[str, Any]:
    data = picture.replace("+", "-").replace("/", "_")
    parts = [{"text": TEXT}, {"inlineData": {"data": data, "mime_type": "image/png"}}]
    config = {"temperature": 0.0, "candidateCount": 1, "maxOutputTokens": 2000}
    return {"contents": [{"parts": parts, "role": "user"}], "generationConfig": config}


@pytest.mark.parametrize(
    ("vendor", "body"), [("openai", _openai), ("anthropic", _anthropic), ("google", _google)]
)
async def test_a_text_and_a_picture_are_sent_as_ever(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    vendor: str,
    body: Callable[[str], dict[str, Any]],
) -> None:
    (instance,) = instances(1)
    model = open_model(f"{vendor}/m", _options(server, vendor))
    await complete(model, instance)
    await close_model(model)
    expected = body(_base64(instance))
    assert server.requests[0].body == expected


ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "completion": line}), flush=True)
"""


async def test_a_program_of_lines_reads_a_text_and_a_picture_as_ever(
    tmp_path: Path, instances: Callable[[int], list[Instance]]
) -> None:
    (tmp_path / "echo.py").write_text(ECHO)
    (instance,) = instances(1)
    model = open_model(f"command:{sys.executable} {tmp_path}/echo.py", ModelOptions(cache=None))
    line = (await complete(model, instance)).text
    await close_model(model)
    expected = {
        "id": "1", "instance": "i0", "prompt": TEXT, "image": str(instance.image.resolve()),
        "media_type": "image/png", "temperature": 0.0, "max_tokens": 2000,
    }  # fmt: skip
    assert line == json.dumps(expected) + "\n"


SCHEMA = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}


def _every_form(instance: Instance) -> Question:
    image = ImagePart(instance.image)
    return Question(
        (image, TextPart("This?"), TextPart("\nOr"), image, TextPart("that?")),
        system="Be exact.",
        max_tokens=7,
        json_schema=SCHEMA,
        name="page-2",
    )


def _openai_of_every_form(picture: str) -> dict[str, Any]:
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    content = [image, {"type": "text", "text": "This?\nOr"}, image, {"type": "text", "text": "that?"}]
    return {
        "messages": [{"role": "system", "content": "Be exact."}, {"role": "user", "content": content}],
        "model": "m",
        "max_tokens": 7,
        "temperature": 0.0,
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}},
    }


def _anthropic_of_every_form(picture: str) -> dict[str, Any]:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": picture}}
    content = [image, {"type": "text", "text": "This?\nOr"}, image, {"type": "text", "text": "that?"}]
    return {
        "max_tokens": 7,
        "messages": [{"role": "user", "content": content}],
        "model": "m",
        "system": "Be exact.",
        "temperature": 0.0,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


def _google_of_every_form(picture: str) -> dict[str, Any]:
    data = picture.replace("+", "-").replace("/", "_")
    image = {"inlineData": {"data": data, "mime_type": "image/png"}}
    return {
        "contents": [{"parts": [image, {"text": "This?\nOr"}, image, {"text": "that?"}], "role": "user"}],
        "systemInstruction": {"parts": [{"text": "Be exact."}], "role": "user"},
        "generationConfig": {
            "temperature": 0.0,
            "candidateCount": 1,
            "maxOutputTokens": 7,
            "responseMimeType": "application/json",
            "responseJsonSchema": SCHEMA,
        },
    }


@pytest.mark.parametrize(
    ("vendor", "body"),
    [
        ("openai", _openai_of_every_form),
        ("anthropic", _anthropic_of_every_form),
        ("google", _google_of_every_form),
    ],
)
async def test_images_stand_where_they_stand_and_system_text_schema_and_most_tokens_are_sent(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    vendor: str,
    body: Callable[[str], dict[str, Any]],
) -> None:
    (instance,) = instances(1)
    model = open_model(f"{vendor}/m", _options(server, vendor))
    await model.complete(instance, _every_form(instance))
    await close_model(model)
    assert server.requests[0].body == body(_base64(instance))


@pytest.mark.parametrize(
    ("vendor", "first"), [("openai", "text"), ("anthropic", "image"), ("google", "text")]
)
async def test_a_question_that_leaves_the_order_to_vendors_has_its_image_first_at_anthropic_alone(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str, first: str
) -> None:
    (instance,) = instances(1)
    model = open_model(f"{vendor}/m", _options(server, vendor))
    parts = (TextPart("Which?"), ImagePart(instance.image))
    await model.complete(instance, Question(parts, vendor_order=True))
    await close_model(model)
    body = server.requests[0].body
    sent = body["contents"][0]["parts"] if vendor == "google" else body["messages"][0]["content"]
    assert ("text" in sent[0], "text" in sent[1]) == (first == "text", first == "image")


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "google"])
async def test_a_question_without_an_image_is_its_text(
    server: ModelServer, instances: Callable[[int], list[Instance]], vendor: str
) -> None:
    model = open_model(f"{vendor}/m", _options(server, vendor))
    completion = await model.complete(instances(1)[0], Question((TextPart("Draw a circle."),)))
    await close_model(model)
    assert completion.text == answer_to("")
    body = server.requests[0].body
    sent = body["contents"][0]["parts"] if vendor == "google" else body["messages"][0]["content"]
    assert [one["text"] for one in sent] == ["Draw a circle."]


async def test_inspect_ai_is_sent_every_form(
    server: ModelServer, instances: Callable[[int], list[Instance]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("inspect_ai")
    monkeypatch.setenv("HERE_API_KEY", "k")
    (instance,) = instances(1)
    model = open_model("inspect/openai-api/here/m", _options(server, "openai"))
    await model.complete(instance, _every_form(instance))
    await close_model(model)
    body, expected = server.requests[0].body, _openai_of_every_form(_base64(instance))
    kinds = [one["type"] for one in body["messages"][1]["content"]]
    assert body["messages"][0] == expected["messages"][0]
    assert (kinds, server.requests[0].text) == (["image_url", "text"] * 2, "This?\nOrthat?")
    assert (body["max_tokens"], body["temperature"]) == (7, 0.0)
    sent = body["response_format"]["json_schema"]
    assert (sent["name"], sent["schema"]) == ("answer", SCHEMA)


async def test_inspect_ai_asks_another_server_of_openais_protocol_for_chat_completions(
    server: ModelServer, instances: Callable[[int], list[Instance]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("inspect_ai")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    (instance,) = instances(1)
    model = open_model("inspect/openai/my-model", _options(server, "openai"))
    await model.complete(instance, _every_form(instance))
    await close_model(model)
    assert server.requests[0].path.endswith("/chat/completions")


async def test_inspect_ai_is_sent_no_schema_that_it_would_change(
    server: ModelServer, instances: Callable[[int], list[Instance]], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("inspect_ai")
    monkeypatch.setenv("HERE_API_KEY", "k")
    (instance,) = instances(1)
    model = open_model("inspect/openai-api/here/m", _options(server, "openai"))
    question = replace(_every_form(instance), json_schema={"$defs": {"a": {}}, "$ref": "#/$defs/a"})
    with pytest.raises(UsageError, match="sobench_mode=fenced"):
        await model.complete(instance, question)
    await close_model(model)
    assert server.requests == []


async def test_a_program_of_lines_reads_the_parts_of_every_other_form(
    tmp_path: Path, instances: Callable[[int], list[Instance]]
) -> None:
    (tmp_path / "echo.py").write_text(ECHO)
    (instance,) = instances(1)
    image = {"image": str(instance.image.resolve()), "media_type": "image/png"}
    model = open_model(f"command:{sys.executable} {tmp_path}/echo.py", ModelOptions(cache=None))
    several = json.loads((await model.complete(instance, _every_form(instance))).text)
    behind = Question((ImagePart(instance.image), TextPart("What?")))
    one = json.loads((await model.complete(instance, behind)).text)
    none = json.loads((await model.complete(instance, Question((TextPart("What?"),)))).text)
    await close_model(model)
    assert several == {
        "id": "1", "instance": "i0", "question": "page-2", "prompt": "This?\nOrthat?", "temperature": 0.0,
        "max_tokens": 7, "system": "Be exact.", "json_schema": SCHEMA,
        "parts": [image, {"text": "This?\nOr"}, image, {"text": "that?"}],
    }  # fmt: skip
    parameters = {"temperature": 0.0, "max_tokens": 2000, "instance": "i0", "prompt": "What?"}
    assert one == {"id": "2", **parameters, **image, "parts": [image, {"text": "What?"}]}
    assert none == {"id": "3", **parameters, "parts": [{"text": "What?"}]}


PRINT = "import json, sys; print(json.dumps([sys.argv[1:], sys.stdin.read()]), end='')"


@pytest.mark.parametrize("has_place", [True, False])
async def test_a_program_for_each_question_has_an_argument_for_each_image_and_loses_no_system_text(
    tmp_path: Path, instances: Callable[[int], list[Instance]], has_place: bool
) -> None:
    (tmp_path / "print.py").write_text(PRINT)
    (instance,) = instances(1)
    place = " {system}" if has_place else ""
    line = f"command:{sys.executable} {tmp_path}/print.py --image={{image}} {{prompt}}{place}"
    model = open_model(line, ModelOptions(cache=None))
    question = replace(_every_form(instance), json_schema=None)
    several = json.loads((await model.complete(instance, question)).text)
    none = json.loads((await model.complete(instance, Question((TextPart("What?"),)))).text)
    with pytest.raises(ModelAccessError, match="no mode for structured output"):
        await model.complete(instance, _every_form(instance))
    text = "This?\nOrthat?" if has_place else "Be exact.\n\nThis?\nOrthat?"
    image = f"--image={instance.image.resolve()}"
    assert several == [[image, image, text, *(["Be exact."] if has_place else [])], text]
    assert none == [["What?", *([""] if has_place else [])], "What?"]


SAMPLING = Sampling(temperature=0.7, top_p=0.8, top_k=100, repetition_penalty=1.05)
ALL = {"temperature": 0.7, "top_p": 0.8, "top_k": 100, "repetition_penalty": 1.05}
NAMES = {"temperature", "top_p", "top_k", "topP", "topK", "repetition_penalty"}


def _sampled(body: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in body.items() if name in NAMES}


@pytest.mark.parametrize(
    ("vendor", "chosen", "sent"),
    [
        ("openai", {}, ALL),
        ("openai", {"temperature": 0.0}, {**ALL, "temperature": 0.0}),
        ("openai", {"temperature": None}, {}),
        ("anthropic", {}, {"temperature": 0.7, "top_k": 100}),
        ("anthropic", {"temperature": 0.2}, {"temperature": 0.2, "top_k": 100}),
        ("anthropic", {"temperature": None}, {}),
        ("google", {}, {"temperature": 0.7, "topP": 0.8, "topK": 100}),
        ("google", {"temperature": 0.2}, {"temperature": 0.2, "topP": 0.8, "topK": 100}),
        ("google", {"temperature": None}, {}),
        ("inspect", {}, ALL),
        ("inspect", {"temperature": None}, {}),
    ],
)  # fmt: skip
async def test_the_sampling_of_a_question_is_sent_unless_the_user_chose_a_temperature(
    server: ModelServer,
    instances: Callable[[int], list[Instance]],
    monkeypatch: pytest.MonkeyPatch,
    vendor: str,
    chosen: dict[str, Any],
    sent: dict[str, Any],
) -> None:
    name = f"{vendor}/m"
    if vendor == "inspect":
        pytest.importorskip("inspect_ai")
        monkeypatch.setenv("HERE_API_KEY", "k")
        name = "inspect/openai-api/here/m"
    options = replace(_options(server, "openai" if vendor == "inspect" else vendor), **chosen)
    (instance,) = instances(1)
    model = open_model(name, options)
    await model.complete(instance, replace(question_of(instance), sampling=SAMPLING))
    await close_model(model)
    body = server.requests[0].body
    assert _sampled(body["generationConfig"] if vendor == "google" else body) == sent


@pytest.mark.parametrize("temperature", [None, 0.0])
async def test_anthropic_is_asked_in_the_version_that_has_a_temperature_if_one_is_sent(
    server: ModelServer, instances: Callable[[int], list[Instance]], temperature: float | None
) -> None:
    model = open_model("anthropic/m", replace(_options(server, "anthropic"), temperature=temperature))
    await complete(model, instances(1)[0])
    await close_model(model)
    headers = {name.lower(): value for name, value in server.requests[0].headers.items()}
    assert (headers["anthropic-version"] == "2023-06-01") == (temperature is not None)


async def test_anthropic_is_sent_top_p_where_a_question_has_no_temperature(
    server: ModelServer, instances: Callable[[int], list[Instance]]
) -> None:
    (instance,) = instances(1)
    model = open_model("anthropic/m", _options(server, "anthropic"))
    await model.complete(instance, replace(question_of(instance), sampling=Sampling(top_p=0.8)))
    await close_model(model)
    assert _sampled(server.requests[0].body) == {"top_p": 0.8}


def test_openai_itself_is_sent_no_field_that_its_protocol_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    question = ReadQuestion("a", ("text",), sampling=SAMPLING)
    request = OpenAIChat("gpt-4o-mini", ModelOptions(cache=None)).request(question)
    assert _sampled(request) == {"temperature": 0.7, "top_p": 0.8}
    assert "extra_body" not in request


@pytest.mark.parametrize(
    ("chosen", "sent"),
    [
        ({}, ALL),
        ({"temperature": 0.0}, {**ALL, "temperature": 0.0}),
        ({"temperature": None}, {"temperature": None}),
    ],
)
async def test_a_program_of_lines_reads_the_sampling_of_a_question(
    tmp_path: Path,
    instances: Callable[[int], list[Instance]],
    chosen: dict[str, Any],
    sent: dict[str, Any],
) -> None:
    (tmp_path / "echo.py").write_text(ECHO)
    (instance,) = instances(1)
    line = f"command:{sys.executable} {tmp_path}/echo.py"
    model = open_model(line, ModelOptions(cache=None, **chosen))
    asked = replace(question_of(instance), sampling=SAMPLING)
    said = json.loads((await model.complete(instance, asked)).text)
    await close_model(model)
    assert _sampled(said) == sent
