"""Files of lines that are only appended to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import DataError
from i2s_sdk.models import ModelOptions
from i2s_sdk.models.baselines import Oracle
from i2s_sdk.models.model import Finish
from i2s_sdk.models.provider import Answer as Said
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.run.generate import SampleAnswer, answer_of, joined_answer
from i2s_sdk.run.storage.folder import RunFolder
from i2s_sdk.run.storage.index import CallLog, JsonlIndex, key_of, marked_calls, read_lines
from i2s_sdk.run.storage.local import LineFile, LocalStorage
from i2s_sdk.run.storage.record import Outcome
from named_pictures import named_picture
from questions import complete, question_of


def _mark(plain: Mapping[str, Any]) -> int:
    return int(plain["value"])


def test_a_line_is_found_by_its_id_in_the_same_and_in_a_later_start(tmp_path: Path) -> None:
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
        for number in range(5):
            ledger.append({"id": f"é{number}", "value": number, "text": "\ud800\n" * number})
        assert ledger.read("é3", dict) == {"id": "é3", "value": 3, "text": "\ud800\n" * 3}
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
        assert ledger.marks == {f"é{number}": number for number in range(5)}
        assert ledger.read("é4", dict)["text"] == "\ud800\n" * 4
        assert ("é0" in ledger, "x" in ledger, len(ledger)) == (True, False, 5)


def test_the_last_line_of_an_id_counts(tmp_path: Path) -> None:
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
        ledger.append({"id": "a", "value": 1})
        ledger.append({"id": "b", "value": 2})
        ledger.append({"id": "a", "value": 3})
        assert (ledger.marks, ledger.read("a", dict)["value"], len(ledger)) == ({"a": 3, "b": 2}, 3, 2)
    assert [line["value"] for line in read_lines(LineFile(tmp_path / "a.jsonl"))] == [1, 2, 3]


@pytest.mark.parametrize("torn", [b'{"id": "b"', b"x" * 200_000, b'{"id": "b", "value": 2}'])
def test_what_a_kill_left_torn_is_cut_off_and_lines_go_on_behind_it(torn: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    whole = b'{"id": "a", "value": 1}\n'
    file.write_bytes(whole + torn)
    assert [line["id"] for line in read_lines(LineFile(file))] == ["a"]
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
        assert file.read_bytes() == whole
        ledger.append({"id": "c", "value": 3})
        assert ledger.read("c", dict) == {"id": "c", "value": 3}
    assert [line["id"] for line in read_lines(LineFile(file))] == ["a", "c"]


def test_lines_of_several_questions_of_an_instance_are_found_by_their_names(tmp_path: Path) -> None:
    for _ in range(2):
        with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
            ledger.append({"id": "a", "question": "1", "value": 1})
            ledger.append({"id": "a", "question": "2", "value": 2})
            assert (key_of("a") in ledger, key_of("a", "1") in ledger) == (len(ledger) > 2, True)
            ledger.append({"id": "a", "value": 3})
            ledger.append({"id": "a", "question": "1", "value": 4})
            assert ledger.marks == {"a": 3, key_of("a", "1"): 4, key_of("a", "2"): 2}
            assert ledger.read(key_of("a", "1"), dict)["value"] == 4


_NO_QUESTION = '{"id": "a", "question": 1, "value": 1}'


@pytest.mark.parametrize("line", ["[]", '{"value": 1}', '{"id": 1, "value": 1}', "{", "null", _NO_QUESTION])
def test_a_whole_line_that_is_damaged_is_told_by_its_number(line: str, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "a", "value": 1}\n' + line + "\n")
    with (
        pytest.raises(DataError, match=r"a\.jsonl:2"),
        JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark),
    ):
        pass


def test_an_id_that_was_never_written_has_no_line(tmp_path: Path) -> None:
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger, pytest.raises(KeyError):
        ledger.read("a", dict)


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    assert list(read_lines(LineFile(tmp_path / "a.jsonl"))) == []


def test_lines_are_plain_json_for_any_reader(tmp_path: Path) -> None:
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
        ledger.append({"id": "a", "value": 1})
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {"id": "a", "value": 1}


class Slow:
    """A provider that answers every question but that of "stuck"."""

    vendor, model, base_url, repeatable = "openai", "tiny", "", True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as the protocol has it

    async def ask(self, question: ReadQuestion) -> Said:
        if question.id == "stuck":
            await asyncio.Event().wait()
        return Said("$x$", Finish.STOP)

    async def close(self) -> None:
        pass


def _instance(tmp_path: Path, name: str) -> Instance:
    image = tmp_path / f"{name}.png"
    image.write_bytes(named_picture(name))
    return Instance(name, "latex", "equation", image)


async def test_a_call_is_on_disk_before_it_is_made_and_a_kept_answer_is_no_call(tmp_path: Path) -> None:
    model = ProviderModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    with RunFolder.open(tmp_path / "run") as folder:
        with marked_calls(model, folder.calls):
            for name in ("a", "a"):
                completion = await complete(model, _instance(tmp_path, name))
                folder.put_answer(name, answer_of(completion, 0.0))
            stuck = asyncio.create_task(complete(model, _instance(tmp_path, "stuck")))
            while "stuck" not in folder.calls:
                await asyncio.sleep(0)
            assert folder.unanswered_calls() == {"stuck": 1}
            stuck.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stuck
        assert model.on_call is None
    with RunFolder.open(tmp_path / "run") as folder:
        assert folder.unanswered_calls() == {"stuck": 1}
        lines = (tmp_path / "run" / "calls.jsonl").read_text().splitlines()
        assert len(lines) == 2  # one of "a": the second answer was kept


def test_models_that_cost_nothing_leave_no_marks(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        with marked_calls(Oracle(), folder.calls):
            pass
        assert len(folder.calls) == 0
        assert folder.unanswered_calls() == {}


async def _paid_and_killed(tmp_path: Path, name: str) -> None:
    """Have a call answered and its answer kept; the process ends before the run has written it down."""
    model = ProviderModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    with RunFolder.open(tmp_path / "run") as folder, marked_calls(model, folder.calls):
        await complete(model, _instance(tmp_path, name))


async def test_an_answer_that_a_killed_start_has_paid_counts_as_paid_by_the_run_and_nothing_is_unanswered(
    tmp_path: Path,
) -> None:
    await _paid_and_killed(tmp_path, "a")
    model = ProviderModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    with RunFolder.open(tmp_path / "run") as folder, marked_calls(model, folder.calls):
        assert folder.unanswered_calls() == {"a": 1}
        completion = await complete(model, _instance(tmp_path, "a"))
        assert (completion.cached, completion.attempts) == (False, 1)
        assert completion.seconds is not None
        folder.put_answer("a", answer_of(completion, 0.0))
        assert folder.unanswered_calls() == {}
        assert len((tmp_path / "run" / "calls.jsonl").read_text().splitlines()) == 1


async def test_an_answer_that_another_run_has_paid_counts_as_kept(tmp_path: Path) -> None:
    await _paid_and_killed(tmp_path, "a")
    model = ProviderModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    with RunFolder.open(tmp_path / "other") as folder, marked_calls(model, folder.calls):
        completion = await complete(model, _instance(tmp_path, "a"))
    assert (completion.cached, completion.attempts) == (True, 0)


async def test_the_same_question_of_another_sample_counts_as_kept_after_a_kill_as_without(
    tmp_path: Path,
) -> None:
    await _paid_and_killed(tmp_path, "a")
    model = ProviderModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    same = Instance("b", "latex", "equation", tmp_path / "a.png")
    with RunFolder.open(tmp_path / "run") as folder, marked_calls(model, folder.calls):
        completion = await complete(model, same)
    assert completion.cached


def test_only_an_answer_for_which_a_call_was_made_closes_a_call(tmp_path: Path) -> None:
    """A kept answer costs nothing, so the call that was begun for the sample stays unanswered."""
    with RunFolder.open(tmp_path) as folder:
        for name in ("paid", "kept", "twice", "twice", "failed"):
            folder.calls.append({"id": name, "call": name})
        folder.put_answer("paid", SampleAnswer("$x$", attempts=1))
        folder.put_answer("kept", SampleAnswer("$x$", cached=True, attempts=0))
        folder.put_answer("twice", SampleAnswer("$x$", attempts=3))
        folder.put_answer("failed", SampleAnswer(outcome=Outcome.MODEL_FAILURE, attempts=5))
        folder.put_answer("never begun here", SampleAnswer("$x$", attempts=1))
        assert folder.unanswered_calls() == {"kept": 1, "twice": 1}


async def test_a_call_has_a_name_only_once_its_line_is_flushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunFolder.open(tmp_path) as folder:
        flushing, flushed = asyncio.Event(), asyncio.Event()

        async def wait_durable() -> None:
            assert "a" in folder.calls
            flushing.set()
            await flushed.wait()

        monkeypatch.setattr(folder.calls, "wait_durable", wait_durable)
        call = asyncio.ensure_future(CallLog(folder.calls)("a"))
        await flushing.wait()
        assert not call.done()
        flushed.set()
        assert CallLog(folder.calls).is_last("a", await call)


async def test_the_last_call_of_an_instance_is_known_by_its_name(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path) as folder:
        first, last = [await CallLog(folder.calls)("a") for _ in range(2)]
        other = await CallLog(folder.calls)("b")
    with RunFolder.open(tmp_path) as folder:
        calls = CallLog(folder.calls)
        assert calls.is_last("a", last)
        assert not any(calls.is_last("a", name) for name in (first, other, ""))
        assert not calls.is_last("c", last)
        folder.calls.append({"id": "c", "begun": "by an earlier version"})
        assert not calls.is_last("c", "")


async def test_calls_of_several_questions_are_told_apart_and_each_answer_closes_one(tmp_path: Path) -> None:
    model = ProviderModel(Slow(), ModelOptions(cache=tmp_path / "cache"))
    instance = _instance(tmp_path, "a")
    questions = [replace(question_of(instance, f"Say {name}."), name=name) for name in ("p1", "p2")]
    with RunFolder.open(tmp_path / "run") as folder, marked_calls(model, folder.calls):
        said = [await model.complete(instance, question) for question in questions]
        assert [(one.cached, one.attempts) for one in said] == [(False, 1)] * 2
        # Killed before anything was written down: both answers are kept elsewhere, and are of this run.
        assert folder.unanswered_calls() == {"a": 2}
        again = [await model.complete(instance, question) for question in questions]
        assert [(one.cached, one.attempts) for one in again] == [(False, 1)] * 2
        answers = [
            replace(answer_of(completion, 0.0), question=one.name)
            for completion, one in zip(again, questions, strict=True)
        ]
        folder.put_answer("a", answers[0])
        assert folder.unanswered_calls() == {"a": 1}
        folder.put_answer("a", joined_answer(answers[:1], "".join))
        assert folder.unanswered_calls() == {"a": 1}  # what joins answers closes no call
        folder.put_answer("a", answers[1])
        assert folder.unanswered_calls() == {}
    lines = [json.loads(line) for line in (tmp_path / "run" / "calls.jsonl").read_text().splitlines()]
    assert [(line["id"], line["question"]) for line in lines] == [("a", "p1"), ("a", "p2")]
