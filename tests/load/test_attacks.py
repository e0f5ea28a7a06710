"""The security suite passes on a busy machine, and each attack has the verdict that it has on a quiet one."""

from __future__ import annotations

from pathlib import Path

import pytest

from load_parts import Part, chosen_attacks
from load_runs import quiet_verdicts, run_recorded
from verdict_differences import differences, read_records


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param(name, part, id=name, marks=pytest.mark.timeout(part.seconds))
        for name, part in chosen_attacks().items()
    ],
)
def test_attacks_have_the_verdicts_and_pictures_of_a_quiet_machine(
    name: str, part: Part, tmp_path: Path
) -> None:
    quiet = read_records(quiet_verdicts(name)) if part.has_verdicts else []
    busy = tmp_path / "busy.jsonl"
    busy.write_text("")
    run_recorded(part, busy)
    found = differences(quiet, read_records(busy))
    assert found == [], "\n".join(map(str, found))
