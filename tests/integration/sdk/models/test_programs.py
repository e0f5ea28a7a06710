"""Programs of one's own as models."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from i2s_sdk.data import Instance
from i2s_sdk.errors import UsageError
from i2s_sdk.models import ModelFailedError, ModelOptions, ModelRefusedError, close_model, open_model
from questions import complete

pytestmark = pytest.mark.integration

LINES = """
import json, os, sys
print("loading", flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    number = asked["instance"]
    if {die} and number == "i1" and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        os._exit(7)
    answer = {{"id": asked["id"]}}
    if number == "i2":
        answer["refused"] = "I do not want to"
    elif number == "i3":
        answer["error"] = "out of paper"
    elif number == "i4":
        answer["completion"] = 7
    else:
        picture = open(asked["image"], "rb").read().rpartition(b"IEND")[2][4:].decode()
        answer |= {{"completion": asked["prompt"] + picture, "tokens_in": 3, "tokens_out": 4}}
    print(json.dumps(answer), flush=True)
open({mark!r} + ".end", "w").close()
"""


def _options(**more: object) -> ModelOptions:
    given: dict[str, object] = {
        "call_seconds": 60.0, "first_pause": 0.01, "longest_pause": 0.02, "failures": 2, "cache": None,
    }  # fmt: skip
    return ModelOptions(**{**given, **more})  # type: ignore[arg-type]


def _program(folder: Path, *, die: bool = False) -> str:
    file = folder / "program.py"
    file.write_text(LINES.format(die=die, mark=str(folder / "mark")))
    return f"command:{sys.executable} {file}"


async def test_one_program_answers_all_in_any_order(
    tmp_path: Path, instances: Callable[[int], list[Instance]]
) -> None:
    model = open_model(_program(tmp_path), _options())
    first, second, *others = instances(5)
    both = await asyncio.gather(complete(model, first), complete(model, second))
    assert [one.text for one in both] == [f"Be short.\nWrite LaTeX.question-{n}" for n in (0, 1)]
    assert (both[0].tokens_in, both[0].tokens_out, both[0].cost) == (3, 4, None)
    with pytest.raises(ModelRefusedError, match="I do not want to"):
        await complete(model, others[0])
    with pytest.raises(ModelFailedError, match="2 attempts; the last: the program says: out of paper"):
        await complete(model, others[1])
    with pytest.raises(ModelFailedError, match="has no text 'completion'"):
        await complete(model, others[2])
    await close_model(model)
    assert (tmp_path / "mark.end").exists()  # it was let to its end


async def test_a_program_that_dies_is_started_again(
    tmp_path: Path, instances: Callable[[int], list[Instance]]
) -> None:
    model = open_model(_program(tmp_path, die=True), _options())
    found = await asyncio.gather(*(complete(model, instance) for instance in instances(2)))
    await close_model(model)
    assert [one.text[-10:] for one in found] == ["question-0", "question-1"]
    assert found[1].attempts == 2


async def test_a_program_that_only_dies_is_given_up(instances: Callable[[int], list[Instance]]) -> None:
    model = open_model("command:false", _options())
    with pytest.raises(ModelFailedError, match="ended with code 1 before it answered"):
        await complete(model, instances(1)[0])
    await close_model(model)


async def test_with_a_place_for_the_picture_a_program_runs_for_each(
    tmp_path: Path, instances: Callable[[int], list[Instance]]
) -> None:
    code = """
import sys
picture = open(sys.argv[1][2:], "rb").read().rpartition(b"IEND")[2][4:].decode()
print(sys.argv[2], sys.argv[3], picture, sys.stdin.read(), end="")
"""
    (tmp_path / "p.py").write_text(code)
    model = open_model(f"command:{sys.executable} {tmp_path}/p.py p={{image}} {{id}} {{prompt}}", _options())
    found = await asyncio.gather(*(complete(model, instance) for instance in instances(2)))
    text = "Be short.\nWrite LaTeX."
    assert [one.text for one in found] == [f"i{n} {text} question-{n} {text}" for n in (0, 1)]


async def test_a_program_that_fails_says_why(instances: Callable[[int], list[Instance]]) -> None:
    model = open_model("command:sh -c 'echo no luck >&2; exit 3' {image}", _options())
    with pytest.raises(ModelFailedError, match="ended with code 3: no luck"):
        await complete(model, instances(1)[0])


async def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(
    tmp_path: Path, instances: Callable[[int], list[Instance]]
) -> None:
    (tmp_path / "p.sh").write_text(f"sleep 1000 & echo $! > {tmp_path}/pid; wait\n")
    model = open_model(f"command:sh {tmp_path}/p.sh {{image}}", _options(call_seconds=5.0, failures=1))
    with pytest.raises(ModelFailedError, match="no answer within 5 s"):
        await complete(model, instances(1)[0])
    pid = int((tmp_path / "pid").read_text())
    async with asyncio.timeout(60):
        while _runs(pid):
            await asyncio.sleep(0.01)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("line", ["no-such-program-at-all", "'unclosed", "no-such {image}"])
def test_a_line_that_is_no_command_is_told(line: str) -> None:
    with pytest.raises(UsageError, match=r"no program|quotation"):
        open_model(f"command:{line}")
