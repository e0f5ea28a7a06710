"""Lines with inputs and target, beside those of format 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data import read_folder
from i2s_sdk.errors import DataError

GOOD: dict[str, Any] = {"id": "a", "task": "latex", "subset": "equation", "inputs": {"image": "a.png"}}


def _write(folder: Path, *lines: dict[str, Any]) -> Path:
    (folder / "a.png").write_bytes(b"png")
    (folder / "a.tex").write_text("x")
    (folder / "instances.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_both_formats_say_the_same_of_an_instance(tmp_path: Path) -> None:
    first = {
        "id": "a",
        "task": "latex",
        "subset": "equation",
        "difficulty": "easy",
        "image": "a.png",
        "structure": "a.tex",
        "text": "t",
        "assets": [{"name": "b.png", "path": "a.png"}],
    }
    second = {
        **GOOD,
        "id": "b",
        "difficulty": "easy",
        "inputs": {"image": "a.png", "assets": first["assets"]},
        "target": {"structure": "a.tex", "text": "t"},
    }
    one, two = read_folder(_write(tmp_path, first, second)).instances
    assert (one.image, one.structure, one.text, one.assets) == (
        two.image,
        two.structure,
        two.text,
        two.assets,
    )
    assert (one.difficulty, one.target) == (two.difficulty, two.target)


def test_licence_and_provenance_are_kept(tmp_path: Path) -> None:
    line = {**GOOD, "licence": "CC-BY-4.0", "provenance": {"source": "arXiv:1", "page": 3}}
    (instance,) = read_folder(_write(tmp_path, line)).instances
    assert (instance.licence, instance.source) == ("CC-BY-4.0", "arXiv:1")
    assert instance.provenance == {"source": "arXiv:1", "page": 3}
    assert instance.inputs == {"image": "a.png"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"inputs": None}, "field 'inputs' must be an object"),
        ({"inputs": ["a.png"]}, "field 'inputs' must be an object"),
        ({"inputs": {}}, "inputs: 'image' is a required property"),
        ({"inputs": {"image": "a.png", "imgae": "a.png"}}, "inputs: .*'imgae' was unexpected"),
        (
            {"inputs": {"image": "a.png", "assets": [{"name": "b", "path": 3}]}},
            "inputs.assets.0..path: 3 is not",
        ),
        ({"inputs": {"image": 3}}, "inputs.image: 3 is not of type 'string'"),
        ({"inputs": {"image": "../a.png"}}, "leads out of the folder"),
        ({"inputs": {"image": "b.png"}}, "is not a file of the folder"),
        ({"image": "a.png"}, "no field is called 'image'"),
        ({"target": "a.tex"}, "target: 'a.tex' is not of type 'object', 'null'"),
        ({"target": {"structure": 3}}, "target.structure: 3 is not of type 'string', 'null'"),
        ({"target": {"answer": "x"}}, "target: .*'answer' was unexpected"),
        ({"target": {"structure": "b.tex"}}, "is not a file of the folder"),
        ({"provenance": "here"}, "field 'provenance' must be an object"),
        ({"licence": 4}, "field 'licence' must be a text or null"),
        ({"subset": ""}, "field 'subset' must be a text"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(DataError, match=reason) as caught:
        read_folder(_write(tmp_path, GOOD, {**GOOD, "id": "b", **change}))
    assert caught.value.line == 2
