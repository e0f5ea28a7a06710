"""What a report says to people who do not have the machine of its run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from i2s_sdk.models.options import OPTIONS_FACT, ModelOptions, option_words
from i2s_sdk.report import write_report
from i2s_sdk.report.samples import shareable_texts
from i2s_sdk.report.sharing import is_digest, licences, repeat_command, shareable_facts
from i2s_sdk.report.view import RunView, shareable_model, views_of, without_paths
from i2s_sdk.run.storage.folder import read_run
from i2s_sdk.run.storage.manifest import PlannedInstance, parse_planned, planned_lines
from i2s_sdk.run.storage.record import Failure, Outcome
from i2s_sdk.settings import Settings
from run_folders import instances, options, record_of, write_run
from sample_records import changed


def view(folder: Path, about: dict[str, str], **changes: object) -> RunView:
    planned = [
        replace(instance, licence="CC0-1.0", source=f"page {instance.id}") for instance in instances(5)
    ]
    write_run(folder, planned, {one.id: record_of(one) for one in planned}, options(**changes))
    plain = json.loads((folder / "manifest.json").read_text())
    plain["about"] |= about
    (folder / "manifest.json").write_text(json.dumps(plain))
    return views_of([read_run(folder)])[0]


def test_no_path_of_the_machine_is_in_a_report(tmp_path: Path) -> None:
    about = {"data": "/nowhere/somebody/my-set", "merged from": "/nowhere/somebody/a, /nowhere/somebody/b"}
    one = view(tmp_path / "run", about)
    assert shareable_facts(one)["data"] == "my-set"
    assert shareable_facts(one)["merged from"] == "2 shards"
    page = Path(str(write_report([tmp_path / "run"]).path)).read_text()
    assert "somebody" not in page
    assert str(tmp_path) not in page


def test_the_command_makes_the_run_again(tmp_path: Path) -> None:
    one = view(tmp_path / "a", {"data": "/x/my set"}, model="openai/m", limit=3, seed=1, tasks=("latex",))
    assert repeat_command(one) == (
        "i2s-sdk evaluate --data 'my set' --model openai/m --profile paper --task latex --limit 3 --seed 1"
    )
    hub = view(tmp_path / "b", {"data": "/x/y", "data set": "hf:stanford-crfm/i2s-latex"})
    assert "--data hf:stanford-crfm/i2s-latex " in repeat_command(hub)


def test_the_tasks_of_a_run_are_in_its_command_and_bundled_data_need_no_option(tmp_path: Path) -> None:
    about = {"data": "examples", "bundled examples": "those of i2s-sdk 0.1.0"}
    one = view(tmp_path / "run", about, model="oracle", limit=2, tasks=("music", "webpage"))
    assert repeat_command(one) == (
        "i2s-sdk evaluate --model oracle --profile paper --task music --task webpage --limit 2"
    )


def test_licences_and_sources_are_those_of_the_instances(tmp_path: Path) -> None:
    one = view(tmp_path / "run", {})
    assert licences([one]) == [("CC0-1.0", 5)]
    page = Path(str(write_report([tmp_path / "run"]).path)).read_text()
    assert "CC0-1.0: 5" in page
    assert "Licence: CC0-1.0. page equation-0000" in page


def test_instances_without_licence_are_written_as_before() -> None:
    plain = planned_lines([PlannedInstance("a", "latex", "equation")])
    assert plain == b'{"id": "a", "task": "latex", "subset": "equation", "difficulty": ""}\n'
    assert parse_planned(plain, "x") == (PlannedInstance("a", "latex", "equation"),)


def test_digests_are_folded_away() -> None:
    assert is_digest("ab" * 32)
    assert not is_digest("2026-11-24T00:00:00+00:00")


def test_names_of_models_and_messages_name_no_folder() -> None:
    line = "command:/nowhere/somebody/bin/model --weights /nowhere/somebody/w.pt {image}"
    assert shareable_model(line) == "command:model --weights w.pt '{image}'"
    assert shareable_model("replay:/nowhere/somebody/a.jsonl") == "replay:a.jsonl"
    assert shareable_model("openai/some/name") == "openai/some/name"
    said = "/nowhere/somebody/bin/model: No such file; see https://example.org/a/b and src/a/b.py, 1/2"
    assert without_paths(said) == ("…/model: No such file; see https://example.org/a/b and src/a/b.py, 1/2")


def test_a_path_in_the_name_of_a_model_and_in_a_failure_is_not_in_the_report(tmp_path: Path) -> None:
    one = instances(1)[0]
    failure = Failure("ModelFailedError", "/nowhere/somebody/bin/model ended with 1")
    record = changed(record_of(one), outcome=Outcome.MODEL_FAILURE, failure=failure)
    given = options(model="command:/nowhere/somebody/bin/model {image}")
    run = write_run(tmp_path / "run", [one], {one.id: record}, given)
    assert "somebody" not in Path(str(write_report([run]).path)).read_text()
    assert shareable_texts({"a": [failure.message]}) == {"a": ["…/model ended with 1"]}


def test_the_options_of_the_model_are_in_the_command(tmp_path: Path) -> None:
    asked = ModelOptions(
        base_url="http://name:secret@127.0.0.1:8000/v1",
        temperature=0.7,
        top_p=0.9,
        seed=3,
        stop=("a b",),
        reasoning_effort="low",
        extra_body={"min_p": 0.1},
        max_tokens=99,
        repeats=4,
    )
    settings = replace(Settings(), prompts=tmp_path / "own.toml", sobench_mode="structured")
    said = option_words(asked, settings)
    assert said == (
        "--base-url http://127.0.0.1:8000/v1 --temperature 0.7 --max-tokens 99 --top-p 0.9 --model-seed 3 "
        "--stop 'a b' --reasoning-effort low --extra-body '{\"min_p\": 0.1}' --repeats 4 "
        "--prompts own.toml --set sobench_mode=structured"
    )
    one = view(tmp_path / "run", {OPTIONS_FACT: said}, model="openai/m (repeat 2)")
    assert "--model openai/m --profile" in repeat_command(one)
    assert repeat_command(one).endswith(said)
    assert option_words(None, Settings()) == option_words(ModelOptions(), Settings()) == ""
