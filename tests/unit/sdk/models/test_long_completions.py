"""A completion that is too long is not usable, and little of it is ever held."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_sdk.data.folder import read_folder
from i2s_sdk.instances.instance import Instance
from i2s_sdk.models import Completion, Finish, ModelOptions
from i2s_sdk.models.command import command_provider
from i2s_sdk.models.completion_bound import (
    KEPT_CHARACTERS,
    AnswerTooLongError,
    BoundedLines,
    LongLine,
    bounded_completion,
    most_bytes,
    read_bounded,
)
from i2s_sdk.models.provider import Answer
from i2s_sdk.models.provider_model import ProviderModel
from i2s_sdk.models.question import ReadQuestion
from i2s_sdk.models.replay import open_replay
from i2s_sdk.run.generate import answer_of
from i2s_sdk.run.storage.codec import answer_line, read_answer
from i2s_sdk.run.storage.record import Outcome
from questions import complete, question_of, read_text_and_image
from tiny_formulas import write_tiny_formulas

MOST = 100
LONG = most_bytes(MOST) + 7


def instance(folder: Path, identity: str = "a") -> Instance:
    return Instance(identity, "latex", "s", folder / "a.png")


def test_a_completion_at_the_bound_is_kept_and_a_longer_one_is_its_beginning() -> None:
    assert bounded_completion(Completion("x" * MOST), MOST).text == "x" * MOST
    longer = bounded_completion(Completion("x" * 5000), MOST)
    assert (longer.text, longer.finish) == ("x" * KEPT_CHARACTERS, Finish.TOO_LONG)
    assert bounded_completion(Completion("x" * 5000, Finish.REFUSED), MOST).finish is Finish.REFUSED


def test_the_answer_of_a_run_says_that_it_is_not_usable_and_stays_so() -> None:
    answer = answer_of(Completion("x" * 5000), 0.0, MOST)
    assert answer.outcome is Outcome.NO_STRUCTURE
    assert answer.final
    assert answer.message.startswith("not usable: too long: the completion has more than 100 characters")
    assert read_answer(json.loads(json.dumps(answer_line("a", answer)))) == answer


@pytest.mark.parametrize("text", ["x", "\\n", "\\\\", '\\"', "\\ud83d\\ude00", "{[,:"])
@pytest.mark.parametrize("front", [True, False])
async def test_a_replay_finds_the_id_of_a_line_that_is_too_long(
    tmp_path: Path, text: str, front: bool
) -> None:
    repeated = text * (LONG // len(text))
    fields = [f'"completion": "{repeated}"', '"id": "a", "x": {"id": "no", "completion": ["no"]}']
    path = tmp_path / "answers.jsonl"
    path.write_text(f"{{{', '.join(fields[:: 1 if front else -1])}}}\n" + '{"id": "b", "completion": "y"}\n')
    model = open_replay(str(path), MOST)
    long = await complete(model, instance(tmp_path))
    assert long.finish is Finish.TOO_LONG
    assert 0 < len(long.text) <= KEPT_CHARACTERS
    assert json.loads(f'"{repeated}"').startswith(long.text)
    assert (await complete(model, instance(tmp_path, "b"))).text == "y"


async def test_a_long_line_whose_completion_is_short_is_usable(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"picture": "x" * LONG, "id": "a", "completion": "y"}))
    answer = await complete(open_replay(str(path), MOST), instance(tmp_path))
    assert (answer.text, answer.finish) == ("y", Finish.OTHER)


@pytest.mark.parametrize("front", [True, False])
async def test_a_later_answer_that_is_too_long_leaves_the_first_as_it_is(tmp_path: Path, front: bool) -> None:
    long, turn = {"completion": "x" * LONG}, {"seconds": {"turn": 7}, "turn": 2}
    later = {"id": "a", **(turn | long if front else long | turn)}
    (tmp_path / "records.jsonl").write_text(json.dumps({"id": "a", "completion": "y"}) + "\n")
    (tmp_path / "turn-records.jsonl").write_text(json.dumps(later) + "\n")
    model = open_replay(str(tmp_path), MOST)
    assert (await complete(model, instance(tmp_path))).text == "y"
    assert model.no_turn(instance(tmp_path), "turn-2") == ""
    question = replace(question_of(instance(tmp_path)), name="turn-2")
    assert (await model.complete(instance(tmp_path), question)).finish is Finish.TOO_LONG


async def test_what_a_run_has_kept_of_it_is_replayed_as_too_long(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(answer_line("a", answer_of(Completion("x" * 5000), 0.0, MOST))))
    answer = await complete(open_replay(str(path), 10**6), instance(tmp_path))
    assert answer.finish is Finish.TOO_LONG


@pytest.mark.parametrize("finish", ["stop", "length", "other"])
async def test_a_replay_says_why_a_completion_ends_if_its_line_does(tmp_path: Path, finish: str) -> None:
    path = tmp_path / "answers.jsonl"
    lines = [
        {"id": "a", "completion": "x", "finish": finish},
        {"id": "b", "completion": "x", "finish": ["?"]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    model = open_replay(str(path), MOST)
    assert (await complete(model, instance(tmp_path))).finish == finish
    assert (await complete(model, instance(tmp_path, "b"))).finish is Finish.OTHER


@given(st.lists(st.binary(max_size=30), max_size=6), st.integers(1, 40))
def test_lines_are_the_same_however_they_are_cut_into_chunks(lines: list[bytes], size: int) -> None:
    whole = b"\n".join(line.replace(b"\n", b"") for line in lines)
    collector = BoundedLines(MOST)
    found = [one for at in range(0, len(whole), size) for one in collector.feed(whole[at : at + size])]
    last = collector.last()
    assert [*found, *([last] if last is not None else [])] == (
        whole.split(b"\n") if not whole.endswith(b"\n") else whole.split(b"\n")[:-1]
    ) or not whole


@given(
    st.dictionaries(
        st.text(max_size=4),
        st.text(max_size=30)
        | st.lists(st.text(max_size=4) | st.integers(), max_size=2)
        | st.integers(-(10**15) + 1, 10**15 - 1),
        max_size=4,
    ),
    st.lists(st.integers(1, 400), min_size=1, max_size=5),
)
def test_the_texts_and_whole_numbers_of_a_long_line_are_found_however_it_is_cut(
    fields: dict[str, object], sizes: list[int]
) -> None:
    collector = BoundedLines(MOST)
    raw = (
        json.dumps({"fill": "x" * LONG, **fields}, ensure_ascii=False).encode("utf-8", "surrogatepass")
        + b"\n"
    )
    start, found = LONG - 50, list(collector.feed(raw[: LONG - 50]))
    for size in [*sizes, len(raw)]:
        found += collector.feed(raw[start : start + size])
        start += size
    (line,) = found
    assert isinstance(line, LongLine)
    wanted = {
        name: text for name, text in fields.items() if isinstance(text, str) and name not in ("", "fill")
    }
    assert {name: line.texts.get(name) for name in wanted} == wanted
    numbers = {name: field for name, field in fields.items() if isinstance(field, int) and name}
    assert line.numbers == numbers


class Verbose:
    """A provider whose answer is too long."""

    vendor, model, base_url, repeatable = "x", "y", "", True
    parameters: dict[str, float | int | str | None] = {}  # noqa: RUF012 - as of the protocol
    asked = 0

    async def ask(self, question: ReadQuestion) -> Answer:
        self.asked += 1
        return Answer("x" * 5000, Finish.STOP)

    async def close(self) -> None:
        pass


async def test_the_cache_keeps_no_answer_that_is_too_long(tmp_path: Path) -> None:
    one = read_folder(write_tiny_formulas(tmp_path / "data", 1).folder).instances[0]
    provider = Verbose()
    for number in (1, 2):
        model = ProviderModel(provider, ModelOptions(cache=tmp_path / "cache", completion_characters=MOST))
        assert (await complete(model, one)).finish is Finish.TOO_LONG
        assert provider.asked == number
    assert not (tmp_path / "cache").exists()


async def test_a_body_is_read_no_further_than_allowed() -> None:
    given: list[int] = []

    async def chunks() -> AsyncIterator[bytes]:
        for number in range(1000):
            given.append(number)
            yield b"x" * 10

    with pytest.raises(AnswerTooLongError):
        await read_bounded(chunks(), 95)
    assert len(given) == 10


PROGRAMS = {
    "one": "import sys\nsys.stdout.write('x' * 30_000_000)",
    "lines": textwrap.dedent("""
        import sys, json
        for line in sys.stdin:
            number = json.loads(line)["id"]
            said = "x" * 30_000_000 if number == "1" else "y"
            print(json.dumps({"completion": said, "id": number}), flush=True)
    """),
}


@pytest.mark.parametrize("form", PROGRAMS)
async def test_a_program_that_says_too_much_is_answered_for(tmp_path: Path, form: str) -> None:
    (tmp_path / "model.py").write_text(PROGRAMS[form])
    line = f"{sys.executable} {tmp_path / 'model.py'}" + (" {image}" if form == "one" else "")
    provider = command_provider(line, ModelOptions(completion_characters=MOST, cache=None))
    question = read_text_and_image()
    try:
        assert (await provider.ask(question)).finish is Finish.TOO_LONG
        if form == "lines":
            assert (await provider.ask(question)).text == "y"
    finally:
        await provider.close()


@pytest.mark.slow
def test_memory_does_not_grow_with_a_completion_of_45_mb(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    peaks = []
    for size in (1, 45_000_000):
        path.write_text(json.dumps({"id": "a", "completion": "é" * 2 + "x" * size}))
        code = textwrap.dedent(f"""
            import asyncio, re
            from pathlib import Path
            from i2s_sdk.instances.instance import Instance
            from i2s_sdk.models.replay import open_replay
            from i2s_sdk.tasks.question import Question
            model = open_replay({str(path)!r})
            asyncio.run(model.complete(Instance("a", "latex", "s", Path("a.png")), Question(())))
            print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
        """)
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        peaks.append(int(answer.stdout) / 1024)
    assert peaks[1] - peaks[0] < 50, peaks  # MiB; the line alone has 43
