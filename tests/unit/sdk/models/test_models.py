"""Models that need no network."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError, ModelError, UnknownNameError, UsageError
from i2s_sdk.models import Finish, open_model
from i2s_sdk.run.generate import answer_of
from i2s_sdk.run.storage.record import Outcome
from i2s_sdk.tasks import Question, Structure
from i2s_sdk.tasks.latex import LatexTask
from i2s_wire.metrics.profile import Profile
from questions import complete


def _instance(structure: Path | None = None, task: str = "latex") -> Instance:
    image = structure.with_suffix(".png") if structure else Path("a.png")
    return Instance("a", task, "equation", image, structure=structure)


@pytest.mark.parametrize("profile", list(Profile))
async def test_the_oracle_says_what_is_extracted_as_the_ground_truth(
    profile: Profile, tmp_path: Path
) -> None:
    truth = tmp_path / "a.tex"
    (tmp_path / "a.png").write_bytes(b"")
    truth.write_text("\\begin{equation}\n  é = 1\n\\end{equation}\n")
    completion = await complete(open_model("oracle"), _instance(truth))
    structure = LatexTask(profile).structure_from(completion.text)
    assert isinstance(structure, Structure)
    assert structure.code.strip() == truth.read_text().strip()


async def test_the_oracle_has_nothing_to_say_without_ground_truth() -> None:
    with pytest.raises(ModelError, match="no ground truth"):
        await complete(open_model("oracle"), _instance())


def _file(folder: Path, *lines: object) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


async def test_a_replay_says_what_was_recorded_verbatim(tmp_path: Path) -> None:
    text = " ```latex\r\nx\n``` \n"
    path = _file(tmp_path, {"id": "a", "completion": text, "verdict": "RENDERED"}, "\n")
    assert (await complete(open_model(f"replay:{path}"), _instance())).text == text


async def test_a_replay_keeps_that_an_answer_was_cut_off_and_ended_in_reasoning(tmp_path: Path) -> None:
    said = "the model's reasoning came without an answer"
    thought = {"completion": "", "finish": "length", "outcome": "ended_in_reasoning", "message": said}
    path = _file(tmp_path, {"id": "a", **thought})
    answer = answer_of(await complete(open_model(f"replay:{path}"), _instance()), 0.0)
    assert (answer.outcome, answer.finish, answer.message) == (Outcome.ENDED_IN_REASONING, "length", said)
    path = _file(tmp_path, {"id": "a", "completion": "x", "finish": "words of another program"})
    assert (await complete(open_model(f"replay:{path}"), _instance())).finish is Finish.OTHER


async def test_the_later_line_counts_unless_it_says_nothing(tmp_path: Path) -> None:
    lines = [{"id": "a", "completion": text} for text in ("first", "second", None)]
    model = open_model(f"replay:{_file(tmp_path, *lines)}")
    assert (await complete(model, _instance())).text == "second"


async def test_an_instance_that_was_not_recorded_has_no_completion(tmp_path: Path) -> None:
    model = open_model(f"replay:{_file(tmp_path, {'id': 'b', 'completion': 'x'})}")
    with pytest.raises(ModelError, match="no completion for instance 'a'"):
        await complete(model, _instance())


async def test_a_question_of_several_is_answered_by_its_own_line(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "question": "p1", "completion": "one"},
        {"id": "a", "question": "p2", "completion": "two"},
        {"id": "b", "question": "What is this?", "completion": "three"},
        {"id": "b", "question": 7, "completion": "four"},
    ]
    model = open_model(f"replay:{_file(tmp_path, *lines)}")
    named = [Question((), name=name) for name in ("p1", "p2", "p3")]
    assert [(await model.complete(_instance(), one)).text for one in named[:2]] == ["one", "two"]
    with pytest.raises(ModelError, match=r"no completion for question 'p3' of instance 'a' \(it has 5;"):
        await model.complete(_instance(), named[2])
    other = replace(_instance(), id="b")  # files of other programs may have anything in that field
    assert (await model.complete(other, Question(()))).text == "four"


async def test_a_replayed_run_says_where_the_answers_to_single_questions_are(tmp_path: Path) -> None:
    (tmp_path / "records.jsonl").write_text('{"id": "a", "completion": "one\\n\\ntwo"}\n')
    with pytest.raises(ModelError, match=r"answers to single questions are in .*answers\.jsonl"):
        await open_model(f"replay:{tmp_path}").complete(_instance(), Question((), name="p1"))


def test_two_files_of_other_content_are_other_models(tmp_path: Path) -> None:
    first = open_model(f"replay:{_file(tmp_path, {'id': 'a', 'completion': 'x'})}")
    second = open_model(f"replay:{_file(tmp_path, {'id': 'a', 'completion': 'y'})}")
    assert first.name == second.name
    assert first.fingerprint != second.fingerprint


@pytest.mark.parametrize("line", ["{\n", "[]\n", '{"id": "a"}\n', '{"id": 1, "completion": "x"}\n'])
def test_a_malformed_line_is_told_by_its_number(line: str, tmp_path: Path) -> None:
    path = _file(tmp_path, {"id": "a", "completion": "x"}, line)
    with pytest.raises(DataError, match=r"answers\.jsonl:2"):
        open_model(f"replay:{path}")


def test_names_that_mean_no_model_are_told() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'oracle'"):
        open_model("orcale")
    with pytest.raises(UnknownNameError):
        open_model("oracle:x")
    with pytest.raises(UsageError, match=r"replay:completions\.jsonl"):
        open_model("replay")
    with pytest.raises(DataError, match="cannot be read"):
        open_model("replay:/nowhere.jsonl")
