"""inspect_ai finds the tasks in the wheels, and the documented command evaluates with them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chat_server import ChatServer
from i2s_sdk.data import read_folder
from i2s_sdk.tasks.registry import SPECS
from inspect_commands import inspect_commands

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def server() -> Iterator[ChatServer]:
    """A server that answers the image of each LaTeX example with its ground truth."""
    instances = [instance for instance in read_folder(EXAMPLES).instances if instance.task == "latex"]
    answers = {instance.id: f"```latex\n{instance.structure.read_text()}\n```" for instance in instances}
    questions = {
        hashlib.sha256(instance.image.read_bytes()).hexdigest(): instance.id for instance in instances
    }
    with ChatServer(answers, questions).serving() as chat:
        yield chat


def test_the_tasks_of_the_wheel_are_those_that_inspect_ai_finds(install_alone):
    installed = install_alone("i2s-training")
    script = (
        "from inspect_ai._util.entrypoints import ensure_entry_points\n"
        "from inspect_ai._util.registry import registry_find, registry_info\n"
        "ensure_entry_points()\n"
        "import i2s_sdk\n"
        "print(i2s_sdk.__file__)\n"
        "found = registry_find(lambda one: one.type == 'task' and one.name.startswith('i2s/'))\n"
        "print(*sorted(registry_info(one).name for one in found))\n"
    )
    told = installed.run("python", "-c", script)
    assert told.returncode == 0, told.stderr
    file, tasks = told.stdout.splitlines()[-2:]
    assert Path(file).is_relative_to(installed.environment)
    assert set(tasks.split()) == {f"i2s/{name}" for name in SPECS}


def test_the_documented_command_evaluates_from_wheels_alone(inspect_from_index, server):
    evaluate = inspect_commands()[1]
    assert evaluate[:2] == ["inspect", "eval"]
    evaluate[evaluate.index("--limit") + 1] = "2"
    done = inspect_from_index.run(
        *evaluate,
        "--log-format",
        "json",
        OPENAI_API_KEY="none",
        OPENAI_BASE_URL=server.base,
        INSPECT_DISPLAY="plain",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = (inspect_from_index.empty / "logs").glob("*.json")
    log = json.loads(path.read_text(encoding="utf-8"))
    assert log["status"] == "success"
    values = {score["name"]: score["metrics"]["mean"]["value"] for score in log["results"]["scores"]}
    assert values["rendered"] == 1.0
    assert values["ems"] == pytest.approx(1.0)
    assert server.done["answer"] == 2
