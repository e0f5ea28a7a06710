from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import pytest
from pydantic import Field, SecretStr

from i2s_chassis.errors import ServiceSettingsError
from i2s_chassis.server.configure import CommandSettings


@dataclass(frozen=True)
class Table:
    """Values of a table.

    Attributes:
        first: The first value, which
            has a long description.
        size_bytes: A size.
    """

    first: int = 1
    size_bytes: int = 10


class Example(CommandSettings):
    service: ClassVar[str] = "an-example"

    count: int = Field(2, ge=0, description="How many.")
    names: tuple[str, ...] = Field((), description="Names.")
    folder: Path | None = Field(None, description="A folder.")
    mode: Literal["a", "b"] = Field("a", description="A mode.")
    table: Table = Field(Table(size_bytes=77), description="Of the table.")
    secret: SecretStr | None = Field(None, description="A secret.")


@pytest.fixture
def file(tmp_path):
    def written(text: str) -> str:
        path = tmp_path / "settings.toml"
        path.write_text(text)
        return str(path)

    return written


def test_each_setting_gives_an_option_and_a_variable():
    named = {leaf.path: (leaf.option, leaf.variable) for leaf in Example.leaves()}
    assert named["count",] == ("--count", "I2S_AN_EXAMPLE_COUNT")
    assert named["table", "size_bytes"] == ("--table-size-bytes", "I2S_AN_EXAMPLE_TABLE_SIZE_BYTES")


def test_description_of_a_table_comes_from_its_docstring():
    texts = {leaf.path: leaf.description for leaf in Example.leaves()}
    assert texts["table", "first"] == "Of the table. The first value, which has a long description."


def test_option_beats_environment_beats_file_beats_default(file, monkeypatch):
    config = file('count = 3\nmode = "b"\nnames = ["f"]\n[table]\nfirst = 5\n')
    monkeypatch.setenv("I2S_AN_EXAMPLE_COUNT", "4")
    monkeypatch.setenv("I2S_AN_EXAMPLE_NAMES", "e1,e2")
    settings = Example.load({"config": config, "count": "6"})
    assert (settings.count, settings.names, settings.mode) == (6, ("e1", "e2"), "b")
    assert Example.load({"config": config}).count == 4
    monkeypatch.delenv("I2S_AN_EXAMPLE_COUNT")
    assert Example.load({"config": config}).count == 3
    assert Example.load({}).count == 2


def test_sources_of_one_table_are_merged_onto_its_own_default(file, monkeypatch):
    assert Example.load({"table": {"first": "9"}}).table == Table(9, 77)
    monkeypatch.setenv("I2S_AN_EXAMPLE_TABLE_SIZE_BYTES", "2KiB")
    settings = Example.load({"config": file("[table]\nfirst = 5\nsize_bytes = 6\n")})
    assert settings.table == Table(5, 2048)


def test_file_may_be_named_by_the_environment(file, monkeypatch):
    monkeypatch.setenv("I2S_AN_EXAMPLE_CONFIG", file("count = 8\n"))
    assert Example.load({}).count == 8


def test_empty_variable_is_no_value(monkeypatch):
    monkeypatch.setenv("I2S_AN_EXAMPLE_COUNT", "")
    assert Example.load({}).count == 2


def test_unknown_variable_with_our_prefix_is_left_alone(monkeypatch):
    monkeypatch.setenv("I2S_AN_EXAMPLE_SERVICE_HOST", "10.0.0.1")
    assert Example.load({}).count == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("count = -1", ["--count", "I2S_AN_EXAMPLE_COUNT"]),
        ("colour = 1", ['"colour"', "unknown"]),
        ("[table]\nthird = 1", ["[table]", '"third"', "first"]),
        ('[table]\nsize_bytes = "big"', ["[table]", "size_bytes", '"big"']),
        ('[table]\nfirst = "x"', ["--table-first"]),
        ("table = 3", ["table: "]),
        ("count = ", ["--config", "TOML"]),
    ],
)
def test_mistake_in_the_file_is_one_line_that_names_it(file, text, words):
    with pytest.raises(ServiceSettingsError) as mistake:
        Example.load({"config": file(text)})
    assert "\n" not in mistake.value.message
    for word in words:
        assert word in mistake.value.message


def test_missing_file_is_named():
    with pytest.raises(ServiceSettingsError, match=r"--config /nowhere: there is no such file"):
        Example.load({"config": "/nowhere"})


def test_wrong_secret_is_not_repeated():
    with pytest.raises(ServiceSettingsError) as mistake:
        Example.load({"secret": {"hunter2": 1}})
    assert "hunter2" not in mistake.value.message
