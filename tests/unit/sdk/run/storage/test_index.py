"""Files of lines that are only appended to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.errors import DataError
from i2s_sdk.run.storage.index import JsonlIndex, key_of, read_lines
from i2s_sdk.run.storage.local import LineFile, LocalStorage


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
    assert [one["value"] for one in read_lines(LineFile(tmp_path / "a.jsonl"))] == [1, 2, 3]


@pytest.mark.parametrize("torn", [b'{"id": "b"', b"x" * 200_000, b'{"id": "b", "value": 2}'])
def test_what_a_kill_left_torn_is_cut_off_and_lines_go_on_behind_it(torn: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    whole = b'{"id": "a", "value": 1}\n'
    file.write_bytes(whole + torn)
    assert [one["id"] for one in read_lines(LineFile(file))] == ["a"]
    with JsonlIndex.open(LocalStorage(tmp_path), "a.jsonl", _mark) as ledger:
        assert file.read_bytes() == whole
        ledger.append({"id": "c", "value": 3})
        assert ledger.read("c", dict) == {"id": "c", "value": 3}
    assert [one["id"] for one in read_lines(LineFile(file))] == ["a", "c"]


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
