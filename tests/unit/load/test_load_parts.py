"""Parts that run on a busy machine, those of them with verdicts to compare, and runs of the examples."""

from __future__ import annotations

import json
from pathlib import Path

from i2s_sdk.data.folder import read_folder
from load_parts import MODELS, SECURITY, TASKS, attack_parts


def test_only_tests_of_the_jail_itself_have_no_verdicts() -> None:
    without = {name for name, part in attack_parts().items() if not part.has_verdicts}
    assert without == {name for name in attack_parts() if name.partition("/")[0].partition(" ")[0] == "jail"}
    assert len(without) > 2


def test_every_file_of_the_security_suite_but_that_of_gvisor_is_in_a_part() -> None:
    files = {file for part in attack_parts().values() for file in part.files}
    assert {file.name for file in set(SECURITY.rglob("test_*.py")) - files} == {"test_gvisor.py"}


def test_recorded_answers_are_there_for_every_instance_of_their_tasks() -> None:
    name, tasks = MODELS["replay"]
    lines = Path(name.removeprefix("replay:")).read_text().splitlines()
    recorded = {json.loads(line)["id"] for line in lines}
    for task in tasks:
        instances = {one.id for one in read_folder(TASKS[task]).instances if one.task == task}
        assert instances
        assert instances <= recorded
