import subprocess
import sys
from typing import ClassVar

import pytest
from pydantic import Field

from i2s_chassis.errors import StartError
from i2s_chassis.server.configure import CommandSettings
from i2s_chassis.server.entry import Command, run


class BakeSettings(CommandSettings):
    service: ClassVar[str] = "oven"

    degrees: int = Field(180, le=300, description="How hot, 100 % of the time.")
    toppings: tuple[str, ...] = Field((), description="What goes on it.")
    fan: bool = Field(True, description="Whether the air moves.")


@pytest.fixture
def oven():
    """Run a command line; returns the exit code and the settings that the action got."""
    seen: list[BakeSettings] = []

    def bake(settings: BakeSettings) -> int:
        seen.append(settings)
        if settings.degrees == 0:
            raise StartError("the oven is cold; install a stove")
        if settings.degrees == 1:
            raise KeyboardInterrupt
        return 7

    def ran(*words: str) -> tuple[int, BakeSettings | None]:
        commands = [Command("bake", "Bake.", BakeSettings, bake, ("bake --degrees 200",))]
        return run("oven", commands, words), seen[-1] if seen else None

    return ran


def test_action_gets_the_settings_and_gives_the_exit_code(oven):
    code, settings = oven("bake", "--degrees", "200", "--toppings", "salt", "--toppings", "oil", "--no-fan")
    assert (code, settings.degrees, settings.toppings, settings.fan) == (7, 200, ("salt", "oil"), False)


def test_defaults_hold_where_nothing_is_said(oven):
    assert oven("bake")[1].degrees == 180


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["bake", "--degree", "3"],
            "oven: unknown option --degree; did you mean --degrees; see oven --help\n",
        ),
        (["boil"], 'oven: unknown command "boil"; there are: bake; see oven --help\n'),
        ([], "oven: name a command: bake; see oven --help\n"),
        (["--degrees", "3"], "oven: --degrees: options stand after the command: bake; see oven --help\n"),
    ],
)
def test_mistake_is_one_line_and_exit_code_2(oven, capsys, words, line):
    assert oven(*words)[0] == 2
    assert capsys.readouterr() == ("", line)


def test_value_out_of_bounds_names_option_and_variable(oven, capsys):
    assert oven("bake", "--degrees", "900")[0] == 2
    assert (
        "--degrees (I2S_OVEN_DEGREES): input should be less than or equal to 300" in capsys.readouterr().err
    )


def test_action_that_cannot_start_is_one_line_and_exit_code_1(oven, capsys):
    assert oven("bake", "--degrees", "0")[0] == 1
    assert capsys.readouterr().err == "oven: the oven is cold; install a stove\n"


def test_interruption_is_quiet(oven, capsys):
    assert oven("bake", "--degrees", "1")[0] == 130
    assert capsys.readouterr() == ("", "")


def test_printing_the_settings_does_not_act(oven, capsys):
    assert oven("bake", "--print-config") == (0, None)
    assert '"degrees": 180' in capsys.readouterr().out


def test_help_says_what_where_and_how(oven, capsys):
    assert oven("bake", "--help") == (0, None)
    text = capsys.readouterr().out
    for words in ("100 % of the time", "I2S_OVEN_DEGREES", "Default: 180", "oven bake --degrees 200"):
        assert words in text


def test_command_line_does_not_import_grpc():
    code = (
        "import sys, i2s_chassis.server.entry, i2s_chassis.server.settings; assert 'grpc' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
