"""Predictions that HELM recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.models import Finish, ModelFailedError, ModelRefusedError, open_model
from i2s_sdk.tasks import Question
from questions import complete


def _state(number: int, uuid: str, result: dict[str, Any]) -> dict[str, Any]:
    media = [
        {"content_type": "text/plain", "text": "Please"},
        {
            "content_type": "image/png",
            "location": f"benchmark_output/scenarios/x/data/images/equation/{uuid}.png",
        },
    ]
    shown = {"text": "", "multimedia_content": {"media_objects": media}}
    return {
        "instance": {"id": f"id{number}", "input": shown},
        "reference_index": None, "request_mode": None, "train_trial_index": 0,
        "request": {"model": "openai/gpt-4o"}, "result": result,
    }  # fmt: skip


def _said(text: str, reason: str = "stop") -> dict[str, Any]:
    one = {"text": text, "logprob": 0, "tokens": [], "finish_reason": {"reason": reason}}
    return {"success": True, "embedding": [], "completions": [one], "cached": True}


def _failed(error: str, **more: Any) -> dict[str, Any]:
    return {"success": False, "embedding": [], "completions": [], "cached": False, "error": error, **more}


def _run(folder: Path, name: str, *states: dict[str, Any], model: str = "openai/gpt-4o") -> Path:
    run = folder / name
    run.mkdir(parents=True)
    content = {"adapter_spec": {"method": "generation", "model": model}, "request_states": states}
    (run / "scenario_state.json").write_text(json.dumps(content))
    return run


def _instance(identity: str, image: str = "x.png") -> Instance:
    return Instance(identity, "latex", "equation", Path(image))


async def test_an_instance_is_found_by_the_uuid_of_its_picture(tmp_path: Path) -> None:
    run = _run(
        tmp_path, "a", _state(0, "u-1", _said(" ```latex\nx\n``` ")), _state(1, "u-2", _said("y", "length"))
    )
    model = open_model(f"replay:{run}")
    assert model.name == "replay:openai/gpt-4o"
    assert (await complete(model, _instance("u-1"))).text == " ```latex\nx\n``` "
    second = await complete(model, _instance("other", "images/u-2.png"))
    assert (second.text, second.finish) == ("y", Finish.LENGTH)
    with pytest.raises(ModelError, match="no completion for instance 'id0'"):
        await complete(model, _instance("id0"))


async def test_runs_of_one_model_are_one_model(tmp_path: Path) -> None:
    for index, subset in enumerate(("equation", "table", "plot")):
        _run(
            tmp_path,
            f"image2latex:subset={subset},model=openai_gpt-4o",
            _state(0, f"u-{index}", _said(subset)),
        )
    _run(tmp_path, "image2latex:subset=table,model=other", _state(0, "u-1", _said("else")), model="b/other")
    with pytest.raises(
        DataError, match=r"several models \(openai/gpt-4o, b/other\)|several models \(b/other"
    ):
        open_model(f"replay:{tmp_path}")
    model = open_model(f"replay:{tmp_path}/*model=openai_gpt-4o")
    assert (await complete(model, _instance("u-2"))).text == "plot"
    file = open_model(f"replay:{tmp_path}/image2latex:subset=table,model=other/scenario_state.json")
    assert (await complete(file, _instance("u-1"))).text == "else"
    assert file.fingerprint != model.fingerprint


async def test_what_failed_then_is_a_failure_and_what_was_blocked_a_refusal(tmp_path: Path) -> None:
    blocked = _failed("Content blocked", error_flags={"is_retriable": False, "is_fatal": False})
    run = _run(tmp_path, "a", _state(0, "u-1", _failed("HTTP 500")), _state(1, "u-2", blocked))
    model = open_model(f"replay:{run}")
    with pytest.raises(ModelFailedError, match="HELM recorded: HTTP 500"):
        await complete(model, _instance("u-1"))
    with pytest.raises(ModelRefusedError, match="Content blocked"):
        await complete(model, _instance("u-2"))


def test_two_answers_to_one_picture_are_told(tmp_path: Path) -> None:
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        _run(tmp_path, name, _state(0, "u-1", _said(text)))
    assert open_model(f"replay:{tmp_path}/[ab]").fingerprint
    with pytest.raises(DataError, match="another completion for 'u-1'"):
        open_model(f"replay:{tmp_path}")


@pytest.mark.parametrize(
    "content",
    ["{", "[]", "{}", '{"request_states": []}', '{"adapter_spec": {"model": "m"}, "request_states": [{}]}',
     '{"adapter_spec": {"model": "m"}, "request_states": [7]}'],
)  # fmt: skip
def test_a_file_that_helm_did_not_write_is_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "scenario_state.json").write_text(content)
    with pytest.raises(DataError, match=r"scenario_state\.json"):
        open_model(f"replay:{tmp_path}")


def test_a_folder_without_completions_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"neither records\.jsonl of a run nor scenario_state\.json"):
        open_model(f"replay:{tmp_path}")


async def test_a_run_folder_is_replayed_with_its_refusals(tmp_path: Path) -> None:
    run = tmp_path / "examples-oracle"
    run.mkdir()
    lines = [
        {"id": "a", "completion": "x", "outcome": "scored"},
        {"id": "b", "completion": None, "outcome": "model_failure", "failure": {"kind": "E", "message": "m"}},
        {"id": "c", "completion": None, "outcome": "refused", "failure": {"kind": "E", "message": "not I"}},
    ]
    (run / "records.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = open_model(f"replay:{run}")
    assert model.name == "replay:examples-oracle"
    assert (await complete(model, _instance("a"))).text == "x"
    with pytest.raises(ModelError, match="no completion"):
        await complete(model, _instance("b"))
    with pytest.raises(ModelRefusedError, match="not I"):
        await complete(model, _instance("c"))


async def test_helm_recorded_no_answers_to_single_questions_of_an_instance(tmp_path: Path) -> None:
    run = _run(tmp_path, "r", _state(0, "u-1", _said("x")))
    with pytest.raises(ModelError, match="one completion for an instance, none for 'page-2'"):
        await open_model(f"replay:{run}").complete(_instance("u-1"), Question((), name="page-2"))
