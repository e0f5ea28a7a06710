"""What a model is asked, what the settings change of it, and what a report shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_folder
from i2s_sdk.errors import DataError, SettingsError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models.question import read_question
from i2s_sdk.scoring.scorer import Scorable
from i2s_sdk.settings import Settings
from i2s_sdk.single.lines import LineFault, LineScore, score_lines
from i2s_sdk.tasks.question import ImagePart, TextPart
from i2s_sdk.tasks.registry import open_task
from i2s_sdk.tasks.sobench.scorer import NAME, StructuredOutputScorer
from i2s_sdk.tasks.sobench.spec import view
from i2s_sdk.tasks.sobench.task import SOBenchTask
from i2s_sdk.tasks.view import RowMark, ShownSample, TreePanel, TreeRow
from i2s_wire.metrics.profile import Profile

SCHEMA = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}}


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    return _data(tmp_path, {"schema": SCHEMA, "intent": "the bill"})


def _data(folder: Path, inputs: dict[str, Any], target: Any = None) -> Instance:
    Image.new("RGB", (8, 8)).save(folder / "a.png")
    line = {
        "id": "a",
        "task": "sobench",
        "subset": "s",
        "inputs": {"image": "a.png", **inputs},
        "target": target,
    }
    (folder / "instances.jsonl").write_text(json.dumps(line) + "\n")
    (found,) = read_folder(folder).instances
    return found


def test_the_model_reads_schema_and_intent_then_the_image(instance: Instance) -> None:
    (question,) = open_task("sobench").questions(instance)
    text, image = question.parts
    assert image == ImagePart(instance.image)
    assert isinstance(text, TextPart)
    assert text.text.startswith("JSON Schema:\n```json\n{")
    assert json.loads(text.text.split("```json\n")[1].split("\n```")[0]) == SCHEMA
    assert "\n\nUser Intent: the bill\n\n" in text.text
    assert question.system.startswith("You read images")
    assert question.json_schema is None
    assert question.max_tokens == 8192
    assert read_question(instance, question).system == question.system


def test_in_structured_mode_the_server_has_the_schema_and_the_text_has_not(instance: Instance) -> None:
    task = open_task("sobench", Profile.PAPER, Settings(sobench_mode="structured"))
    (question,) = task.questions(instance)
    text, _ = question.parts
    assert isinstance(text, TextPart)
    assert (question.json_schema, "Schema" in text.text, "```" in question.system) == (SCHEMA, False, False)
    assert "User Intent: the bill" in text.text
    assert isinstance(task, SOBenchTask)
    assert task.facts()["sobench answer mode"] == "structured"
    assert open_task("sobench").prompt_texts() != task.prompt_texts()


def test_without_an_intent_the_text_names_none(tmp_path: Path) -> None:
    (question,) = open_task("sobench").questions(_data(tmp_path, {"schema": True}))
    assert "Intent" not in question.parts[0].text
    task = open_task("sobench", Profile.PAPER, Settings(sobench_mode="structured"))
    assert task.questions(_data(tmp_path, {"schema": True}))[0].json_schema == {}
    assert task.questions(_data(tmp_path, {"schema": False}))[0].json_schema == {"not": {}}


def test_profile_reference_asks_with_the_system_text_of_the_user(instance: Instance, tmp_path: Path) -> None:
    (tmp_path / "system.txt").write_text("Extract.\n")
    settings = Settings(sobench_system_text=tmp_path / "system.txt")
    task = open_task("sobench", Profile.HELM, settings)
    (question,) = task.questions(instance)
    assert question.system == task.prompt_texts()[0] == "Extract."
    assert isinstance(task, SOBenchTask)
    assert task.facts()["sobench system text"] == "as given"
    assert read_question(instance, question).system == "Extract."


def test_profile_reference_without_it_can_be_scored_but_no_model_is_asked(instance: Instance) -> None:
    (question,) = open_task("sobench", Profile.HELM, Settings()).questions(instance)
    with pytest.raises(UsageError, match="--set sobench_system_text=FILE"):
        read_question(instance, question)


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_a_system_text_that_cannot_be_used_is_a_fault_of_the_setting(
    tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "system.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=r"sobench_system_text=.*system\.txt"):
        open_task("sobench", Profile.HELM, Settings(sobench_system_text=file))


def test_an_unknown_mode_is_a_fault_of_the_setting() -> None:
    with pytest.raises(SettingsError, match="'both' is not fenced or structured"):
        open_task("sobench", Profile.PAPER, Settings(sobench_mode="both"))


@pytest.mark.parametrize(
    ("inputs", "target", "reason"),
    [
        ({"schema": {"type": "strin"}}, None, "instance 'a': the JSON Schema cannot be used: #/type"),
        ({"schema": {"$ref": "#/$defs/b"}}, None, "leads to nothing in the schema"),
        ({"schema": []}, None, "inputs.schema"),
        ({}, None, "'schema' is a required property"),
        ({"schema": {}, "intend": "x"}, None, "intend"),
        ({"schema": {}}, {"labels": {}}, "'answer' is a required property"),
        ({"schema": {}}, {"answer": {"a": [1]}, "labels": {"a": ["exakt"]}}, "labels.a.0 is 'exakt'"),
        ({"schema": {}}, {"answer": {"a": 1}, "labels": {"a": 5}}, "labels.a is '5'"),
    ],
)
def test_a_fault_of_the_data_is_named_with_its_instance(
    tmp_path: Path, inputs: Any, target: Any, reason: str
) -> None:
    with pytest.raises(DataError) as raised:
        _data(tmp_path, inputs, target)
    assert reason in raised.value.message
    (fault,) = check(tmp_path).faults
    assert (fault.line, reason in fault.message) == (1, True)


@pytest.mark.slow
def test_lines_are_scored_and_a_schema_that_cannot_be_used_is_a_fault_of_its_line() -> None:
    target = {"answer": {"a": 1, "b": "x y"}, "labels": {"a": "exact", "b": "ignore"}}
    lines = [
        {"id": "1", "completion": '```json\n{"a": 1}\n```', "inputs": {"schema": SCHEMA}, "target": target},
        {"id": "2", "completion": "[" * 100_000, "inputs": {"schema": SCHEMA}, "target": target},
        {
            "id": "3",
            "completion": "{}",
            "inputs": {"schema": {"$ref": "http://127.0.0.1:9/"}},
            "target": target,
        },
    ]
    raw = [json.dumps(one).encode() for one in (lines[0], lines[2], lines[1])]
    found: list[LineScore] = []
    with pytest.raises(DataError, match="standard input:2: instance '3': the JSON Schema cannot be used"):
        score_lines(raw, "sobench", profile="reference", on_score=found.append)
    assert [one.id for one in found] == ["1"]
    scored: list[LineScore] = []
    faults: list[LineFault] = []
    count = score_lines(raw, "sobench", profile="reference", on_score=scored.append, on_fault=faults.append)
    assert (count, [(fault.id, fault.line) for fault in faults]) == (2, [("3", 2)])
    first, second = scored
    assert (first.usable, first.metrics["fma"], first.metrics["fsma"], first.parts["fma"]) == (
        True,
        1.0,
        1.0,
        (2.0, 2.0),
    )
    assert (second.usable, second.metrics["fma"], second.metrics["followed_schema"]) == (False, None, 0.0)
    assert "nested deeper than 100" in second.reason


def _shown(answer: str, gold: Any, labels: Any, profile: Profile = Profile.PAPER) -> ShownSample:
    sample = Scorable("a", answer, {"schema": {}}, {"answer": gold, "labels": labels})
    return ShownSample(
        structure=answer, usable=True, detail={NAME: StructuredOutputScorer(profile).score(sample).detail}
    )


def test_the_view_is_a_tree_of_the_fields_with_marks() -> None:
    gold = {"a": "x", "b": [1, 2], "c": {"d": None, "e": 1.5}, "f": "note"}
    labels = {"a": "exact", "b": ["exact", "exact"], "c": {"d": "exact", "e": "exact"}, "f": "ignore"}
    answer = '{"a": "x", "b": [1, 3], "c": {"d": null}, "f": "other", "g": true}'
    (panel,) = view(_shown(answer, gold, labels))
    assert panel == TreePanel(
        "Fields",
        (
            TreeRow(0, "", "4 fields", "5 fields", RowMark.MISSED),
            TreeRow(1, "a", "x", "x", RowMark.MATCHED),
            TreeRow(1, "b", "2 elements", "2 elements", RowMark.MISSED),
            TreeRow(2, "0", "1", "1", RowMark.MATCHED),
            TreeRow(2, "1", "2", "3", RowMark.MISSED),
            TreeRow(1, "c", "2 fields", "1 field", RowMark.MISSED),
            TreeRow(2, "d", "null", "null", RowMark.MATCHED),
            TreeRow(2, "e", "1.5", "", RowMark.MISSED),
            TreeRow(1, "f", "note", "other", RowMark.IGNORED),
            TreeRow(1, "g", "", "true", RowMark.EXTRA),
        ),
    )


def test_a_list_that_is_too_long_shows_what_is_extra() -> None:
    (panel,) = view(_shown("[1, 2]", [1], ["exact"], Profile.HELM))
    assert [(row.name, row.mark) for row in panel.rows] == [("", RowMark.MISSED), ("1", RowMark.EXTRA)]


def test_what_cannot_be_read_shows_the_gold_fields_as_missed() -> None:
    sample = Scorable("a", None, {"schema": {}}, {"answer": {"a": 1}})
    detail = {NAME: StructuredOutputScorer(Profile.PAPER).unusable(sample).detail}
    (panel,) = view(ShownSample(detail=detail))
    assert [(row.name, row.answer, row.mark) for row in panel.rows] == [
        ("", "", RowMark.MISSED),
        ("a", "", RowMark.MISSED),
    ]
    assert view(ShownSample()) == ()


def test_a_large_answer_is_cut_off_and_says_so() -> None:
    answer = json.dumps({f"name {number}": "x" * 10_000 for number in range(2_000)})
    (panel,) = view(_shown(answer, {"a": 1}, None))
    assert len(panel.rows) < 1_000
    assert panel.rows[-1].name == f"… and {2_002 - (len(panel.rows) - 1)} more"
    assert max(len(row.answer) for row in panel.rows) <= 201
