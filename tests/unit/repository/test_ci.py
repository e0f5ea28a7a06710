"""Continuous integration: each path has a rule, each part fits into its time, and no test is lost."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import check
import ci
from attack_places import parts as attack_parts
from guest_results import ALL as GUESTS
from load_parts import all_names

TABLE = ci.read_table()


def test_every_path_has_a_rule(files: list[Path]) -> None:
    assert ci.without_rule(map(str, files), TABLE) == []
    assert ci.without_rule(["nonesuch/file"], TABLE) == ["nonesuch/file"]


def test_every_part_fits_beside_the_tests_of_each_run() -> None:
    left = TABLE.seconds - ci.SETUP_SECONDS - ci.default_seconds()
    assert [part.name for part in TABLE.parts if part.seconds > left] == []


def test_every_suite_is_in_a_run_and_every_folder_of_tests_is_in_a_suite(root: Path) -> None:
    in_turn = {suite for part in TABLE.parts for suite in part.suites}
    # A cluster has to be given, and chaos is a repetition.
    assert set(check.SUITES) == in_turn | {*check.DEFAULT, "cluster", "chaos"}
    assert in_turn | {*check.DEFAULT} == {*check.GROUPS["nightly"]}
    folders = {path.name for path in (root / "tests").iterdir() if any(path.glob("**/test_*.py"))}
    assert folders <= set(check.SUITES)


@pytest.mark.parametrize(
    ("suite", "variable", "names"),
    [
        ("attacks", "I2S_REQUIRE_ATTACKS", attack_parts()),
        ("load", "I2S_LOAD_PARTS", all_names()),
        ("kernels", "I2S_REQUIRE_KERNELS", GUESTS),
    ],
)
def test_parts_of_a_suite_are_all_of_it_together(suite: str, variable: str, names: object) -> None:
    chosen = [part.variables[variable] for part in TABLE.parts if suite in part.suites]
    assert {name for value in chosen for name in value.split(",")} == set(names)


def test_what_was_changed_decides_what_is_run() -> None:
    jail = ci.touched(["services/chassis/src/i2s_chassis/jail/cell.py"], TABLE.parts)
    assert {("security",), ("kernels",)} <= {part.suites for part in jail}
    assert ("containers",) in [part.suites for part in ci.touched(["deploy/images/build"], TABLE.parts)]
    assert ci.touched(["README.md"], TABLE.parts) == []


def test_a_week_has_a_turn_of_every_part() -> None:
    parts = [ci.by_turn(TABLE, time)[0] for time in range(0, 7 * ci.DAY, TABLE.slot)]
    assert [part for part in TABLE.parts if part not in parts] == []


def part(name: str, seconds: float, *paths: str) -> ci.Part:
    return ci.Part(name, (), seconds, paths, {})


A, B, C = part("a", 10), part("b", 20, "b"), part("c", 30, "c")
SMALL = ci.Table(100, 10, (), (A, B, C))


@pytest.mark.parametrize(
    ("moment", "seconds", "changed", "further"),
    [
        (0, 60, [B, C], A),
        (0, 55, [B, C], None),  # a does not fit beside what was changed
        (10, 35, [B], A),  # c does not fit; b is in turn and was changed, and is run once
        (20, 35, [B], A),  # the order of what was changed is that of the table, whatever is in turn
        (0, 5, [], None),
    ],
)
def test_what_was_changed_and_what_is_in_turn_share_the_time(
    moment: int, seconds: float, changed: list[ci.Part], further: ci.Part | None
) -> None:
    assert ci.choose(SMALL, moment, ["b", "c"], seconds) == (changed, further)


def test_tests_that_are_left_out_exist(root: Path, texts: dict[Path, str]) -> None:
    """A line of tests/left_out.toml that covers nothing may stand for a test that was renamed."""
    rules = tomllib.loads(texts[Path("tests/left_out.toml")])["left_out"]
    contract = "services/chassis/src/i2s_chassis/contract/"
    tests = {f"{path}::": text for path, text in texts.items() if str(path).startswith(("tests/", contract))}
    for suite, pattern in ((rule["suite"], pattern) for rule in rules for pattern in rule["tests"]):
        file, _, name = pattern.rpartition("::")
        function = re.match(r"test_\w+", name)
        assert [
            path
            for path, text in tests.items()
            if path.startswith((f"tests/{suite}/", "tests/support/", contract))
            and re.search(f"{file}::", path)
            and (function is None or f"def {function[0]}" in text)
        ], pattern


def test_named_suites_are_complete_and_those_of_the_default_are_short() -> None:
    assert [(step.name, step.short) for step in check.steps(["default", "security", "containers"])] == [
        *((name, name != "security") for name in check.DEFAULT),
        ("containers", False),
    ]
    assert all(not step.short for step in check.steps(["all"]))
