"""What ``i2s-sdk render`` says of a source that has an error."""

from __future__ import annotations

import pytest

from i2s_sdk.cli.render import say_error
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind, SourceError, Undefined

STOPPED = "TeX stopped on line 4: Undefined control sequence."


def _error(*providers: str) -> SourceError:
    found = tuple(Provider(ProviderKind.PACKAGE, name) for name in providers)
    undefined = Undefined("toprule", found)
    return SourceError(
        "Undefined control sequence.", ErrorKind.UNDEFINED_COMMAND, undefined=undefined, line=4
    )


def test_a_name_that_packages_define_is_said_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(_error("booktabs", "memoir"), STOPPED)
    assert capsys.readouterr().err == "undefined: toprule; defined by booktabs, memoir\n"


def test_of_many_packages_the_first_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(_error(*(f"p{number}" for number in range(9))), STOPPED)
    assert capsys.readouterr().err == "undefined: toprule; defined by p0, p1, p2, p3, p4, …\n"


def test_a_name_that_nothing_defines_is_said_to_be_one(capsys: pytest.CaptureFixture[str]) -> None:
    say_error(_error(), STOPPED)
    assert "nothing that is installed defines it" in capsys.readouterr().err


def test_an_error_that_the_verdict_does_not_name_is_said_with_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    say_error(SourceError("Missing $ inserted.", line=7), "There is no page 2 among the 1.")
    assert capsys.readouterr().err == "first error: line 7: Missing $ inserted.\n"
