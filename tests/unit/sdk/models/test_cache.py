"""Answers on disk."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from i2s_sdk.models.cache import AnswerCache, RecordedCall, question_key
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer
from i2s_sdk.tasks.question import Sampling
from i2s_sdk.tasks.structure import Absence, NoStructure
from questions import read_image, read_text_and_image

KEY = "ab" * 32
CALL = RecordedCall("c1", 3, 0.25)
ANSWER = Answer("é\r\n\x00 \ud83d", Finish.LENGTH, 7, None, "served")
THOUGHT = Answer(
    "", Finish.LENGTH, reasoning="hm", no_answer=NoStructure("cut off", Absence.ENDED_IN_REASONING)
)
QUESTION = read_text_and_image()


@dataclasses.dataclass(frozen=True)
class _Who:
    vendor: str = "openai"
    model: str = "m"
    base_url: str = "http://a/v1"
    parameters: dict[str, float | int | str | None] = dataclasses.field(
        default_factory=lambda: {"temperature": 0.0}
    )


def _kept(cache: AnswerCache) -> tuple[Answer, RecordedCall | None]:
    found = cache.get(KEY)
    assert found is not None
    return found.answer, found.call


@pytest.mark.parametrize("answer", [ANSWER, THOUGHT])
def test_an_answer_comes_back_as_it_was(tmp_path: Path, answer: Answer) -> None:
    AnswerCache(tmp_path).put(KEY, answer)
    assert _kept(AnswerCache(tmp_path)) == (answer, None)
    assert AnswerCache(tmp_path).get("cd" * 32) is None


def test_an_entry_of_an_earlier_version_is_read_and_says_when_it_was_written(tmp_path: Path) -> None:
    answer = {"text": "x", "finish": "stop", "tokens_in": 1, "tokens_out": 2, "served": "m"}
    digest = hashlib.sha256(json.dumps([KEY, answer], sort_keys=True, separators=(",", ":")).encode())
    file = tmp_path / KEY[:2] / f"{KEY}.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"format": 1, "key": KEY, "sha256": digest.hexdigest(), "answer": answer}))
    os.utime(file, (86400, 86400))
    found = AnswerCache(tmp_path).get(KEY)
    assert found is not None
    assert found.answer == Answer("x", Finish.STOP, 1, 2, "m")
    assert found.at == "1970-01-02T00:00:00+00:00"


def test_the_call_that_was_made_comes_back_with_its_answer(tmp_path: Path) -> None:
    AnswerCache(tmp_path).put(KEY, ANSWER, CALL)
    assert _kept(AnswerCache(tmp_path)) == (ANSWER, CALL)


def test_a_file_whose_call_was_changed_is_no_answer(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    cache.put(KEY, ANSWER, CALL)
    (file,) = tmp_path.rglob("*.json")
    content = json.loads(file.read_text())
    content["call"]["attempts"] = 1
    file.write_text(json.dumps(content))
    assert cache.get(KEY) is None


def test_no_folder_keeps_nothing() -> None:
    cache = AnswerCache(None)
    cache.put(KEY, ANSWER)
    assert cache.get(KEY) is None


def test_everything_that_decides_an_answer_is_in_its_key() -> None:
    keys = {
        question_key(who, question)
        for who in (
            _Who(),
            _Who(vendor="google"),
            _Who(model="n"),
            _Who(base_url="http://b/v1"),
            _Who(parameters={"temperature": 0.5}),
        )
        for question in (
            QUESTION,
            read_text_and_image(text="other"),
            read_text_and_image(content=b"\x89PNH"),
        )
    }
    assert len(keys) == 15
    elsewhere = read_text_and_image("b")
    assert question_key(_Who(), elsewhere) == question_key(_Who(), QUESTION)


def test_a_text_and_an_image_have_the_key_under_which_their_answers_were_kept_before() -> None:
    """The literal is of the code that knew no other form; another key would have every user pay again."""
    before = "13905d7c405cbc1326ebfe5080172b87637a0ee9259126136e8f065f09e25d04"
    assert question_key(_Who(), QUESTION) == before
    assert question_key(_Who(), dataclasses.replace(QUESTION, name="page-2")) == before


def test_questions_of_other_forms_have_keys_of_their_own() -> None:
    image, other = read_image(), read_image(b"\x89PNH")
    schema = {"properties": {"a": {}, "b": {}}}
    questions = [
        QUESTION,
        *(
            dataclasses.replace(QUESTION, parts=parts)
            for parts in (
                ("text",),
                (image,),
                (image, "text"),
                ("text", image, image),
                ("text", image, other),
                ("text", other, image),
                ("te", image, "xt"),
            )
        ),
        dataclasses.replace(QUESTION, system="text"),
        dataclasses.replace(QUESTION, system="other"),
        dataclasses.replace(QUESTION, max_tokens=7),
        dataclasses.replace(QUESTION, max_tokens=8),
        dataclasses.replace(QUESTION, vendor_order=True),
        dataclasses.replace(QUESTION, json_schema={}),
        dataclasses.replace(QUESTION, json_schema=schema),
        dataclasses.replace(QUESTION, json_schema={"properties": {"b": {}, "a": {}}}),
    ]
    assert len({question_key(_Who(), question) for question in questions}) == len(questions)


@pytest.mark.parametrize("cut", [0, 1, 40, -1])
def test_a_file_that_was_cut_off_is_no_answer_and_is_written_again(tmp_path: Path, cut: int) -> None:
    cache = AnswerCache(tmp_path)
    cache.put(KEY, ANSWER)
    (file,) = tmp_path.rglob("*.json")
    file.write_bytes(file.read_bytes()[:cut])
    assert cache.get(KEY) is None
    cache.put(KEY, ANSWER, CALL)
    assert _kept(cache) == (ANSWER, CALL)


def test_a_file_whose_text_was_changed_is_no_answer(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    cache.put(KEY, ANSWER)
    (file,) = tmp_path.rglob("*.json")
    content = json.loads(file.read_text())
    content["answer"]["text"] = "something else"
    file.write_text(json.dumps(content))
    assert cache.get(KEY) is None


@pytest.mark.parametrize("content", [b"[]", b"7", b"\xff\xfe", b'{"key": 1}', b'{"key": null, "answer": []}'])
def test_a_file_of_another_kind_is_no_answer(tmp_path: Path, content: bytes) -> None:
    AnswerCache(tmp_path).put(KEY, ANSWER)
    (file,) = tmp_path.rglob("*.json")
    file.write_bytes(content)
    assert AnswerCache(tmp_path).get(KEY) is None


def test_a_file_under_the_name_of_another_question_is_no_answer(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    cache.put(KEY, ANSWER)
    (file,) = tmp_path.rglob("*.json")
    file.rename(file.with_name(f"{KEY[:-2]}ff.json"))
    assert cache.get(f"{KEY[:-2]}ff") is None


def test_a_folder_that_cannot_be_written_loses_no_answer(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    cache = AnswerCache(blocked)
    cache.put(KEY, ANSWER)
    assert cache.get(KEY) is None


_WRITE_OFTEN = """
import sys
from pathlib import Path
from i2s_sdk.models.cache import AnswerCache
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer
from i2s_sdk.tasks.question import Sampling

cache, answer = AnswerCache(Path(sys.argv[1])), Answer("x" * 10_000, Finish.STOP)
for _ in range(150):
    cache.put("ab" * 32, answer)
    assert cache.get("ab" * 32).answer == answer
"""


def test_processes_that_write_the_same_answer_never_see_half_of_it(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITE_OFTEN, str(tmp_path)]
    both = [subprocess.Popen(command) for _ in range(2)]
    assert [one.wait(60) for one in both] == [0, 0]
    assert [file.suffix for file in tmp_path.rglob("*") if file.is_file()] == [".json"]


def test_the_sampling_of_a_question_is_in_its_key() -> None:
    questions = [
        QUESTION,
        *(
            dataclasses.replace(QUESTION, sampling=one)
            for one in (
                Sampling(),
                Sampling(temperature=0.7),
                Sampling(top_p=0.7),
                Sampling(top_k=100),
                Sampling(repetition_penalty=1.05),
                Sampling(temperature=0.7, top_k=100),
            )
        ),
    ]
    assert len({question_key(_Who(), question) for question in questions}) == len(questions)
