"""The tree of errors."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from i2s_sdk import errors


def test_every_error_stands_in_the_drawn_tree_and_has_an_exit_code() -> None:
    drawn = errors.__doc__ or ""
    for name, kind in inspect.getmembers(errors, inspect.isclass):
        if issubclass(kind, errors.I2SError):
            assert f" {name} " in drawn.replace("\n", " \n"), name
            hopeless = (
                errors.UsageError,
                errors.RequestRefusedError,
                errors.AccessError,
                errors.StoreRefusedError,
            )
            in_use = 4 if issubclass(kind, errors.InUseError) else 1
            assert kind.exit_code == (2 if issubclass(kind, hopeless) else in_use)


@pytest.mark.parametrize(
    ("name", "meant"), [("orakle", "oracle"), ("Oracle", "oracle"), ("replay", "replay:FILE")]
)
def test_an_unknown_name_is_told_what_was_perhaps_meant(name: str, meant: str) -> None:
    error = errors.UnknownNameError("model", name, ["oracle", "replay:FILE"])
    assert f"did you mean {meant!r}" in error.message


def test_an_unknown_name_like_nothing_is_told_what_there_is() -> None:
    message = errors.UnknownNameError("model", "zzz", ["oracle", "replay:FILE"]).message
    assert "did you mean" not in message
    assert "oracle, replay:FILE" in message


def test_an_error_of_data_names_file_and_line() -> None:
    assert errors.DataError(Path("a/b.jsonl"), 7, "is odd").message == "a/b.jsonl:7: is odd"
    assert errors.DataError(Path("a/b.jsonl"), 0, "is odd").message == "a/b.jsonl: is odd"
