"""A run of the task omr: scores in files, answers in several formats, a worker that compares them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from i2s_sdk import Settings, evaluate
from i2s_sdk.run.storage.folder import read_records

pytestmark = pytest.mark.integration

SCORES = Path("benchmarks/ladder/documents/omr")
NAMES = ("round", "waltz", "two-staves")
QUIET = Settings(reference_points="no")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "set"
    folder.mkdir()
    Image.new("RGB", (40, 20), "white").save(folder / "a.png")
    lines = []
    for name in NAMES:
        (folder / f"{name}.krn").write_bytes((SCORES / f"{name}.krn").read_bytes())
        target = {"structure": f"{name}.krn"}
        lines.append(
            {"id": name, "task": "omr", "subset": "s", "inputs": {"image": "a.png"}, "target": target}
        )
    (folder / "instances.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return folder


def test_answers_have_their_distances_and_what_is_no_score_has_1(data: Path, tmp_path: Path) -> None:
    right = (data / "round.krn").read_text("utf-8")
    wrong = right.replace("4f\n4g\n", "4f\n4a\n", 1)
    entities = '<!DOCTYPE score-partwise [<!ENTITY a "a">]><score-partwise>&a;</score-partwise>'
    answers = {
        "round": f"```kern\n{wrong}```",
        "waltz": f"```musicxml\n{entities}\n```",
        "two-staves": "No music.",
    }
    replay = tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": name, "completion": said}) for name, said in answers.items()]
    replay.write_text("\n".join(lines), "utf-8")
    evaluate(data, f"replay:{replay}", out=tmp_path / "run", settings=QUIET)
    records = read_records(tmp_path / "run")
    metrics = {name: record.score.metrics for name, record in records.items()}
    assert 0 < (metrics["round"]["omr_ned"] or 0) < 0.1
    assert metrics["waltz"] == metrics["two-staves"] == {"omr_similarity": 0.0, "omr_ned": 1.0}
    assert records["waltz"].message == "the score defines the entity 'a'; entities are not read"
