import pytest

from i2s_sdk.tasks.latex.loading import loading_lines
from i2s_sdk.tasks.latex.packages import Package
from i2s_sdk.tasks.latex.preamble import preamble
from i2s_wire.metrics.profile import Profile

FIXED = preamble(Profile.PAPER)


def lines(*packages: Package) -> list[str]:
    return list(loading_lines(packages, FIXED))


def test_an_unknown_package_is_loaded_as_written() -> None:
    assert lines(Package("mhchem", "version=4")) == [r"\usepackage[version=4]{mhchem}"]


@pytest.mark.parametrize(
    "package", [Package("amsmath"), Package("hyperref", "colorlinks"), Package("inputenc", "utf8")]
)
def test_a_package_that_has_nothing_left_to_do_is_not_loaded(package: Package) -> None:
    assert lines(package) == []


def test_a_package_of_the_page_becomes_silent() -> None:
    silent = lines(Package("geometry", "margin=1in"))
    assert silent
    assert all(line.startswith(r"\providecommand") for line in silent)


def test_options_that_can_come_late_do() -> None:
    assert lines(Package("xcolor", "table, svgnames")) == [r"\input{svgnam.def}"]
    assert lines(Package("siunitx", "per-mode=symbol"))[-1] == r"\sisetup{per-mode=symbol}"
    assert r"\algtext*{EndIf}" in lines(Package("algpseudocode", "noend"))[0]


def test_a_name_that_two_packages_want_goes_to_the_one_asked_for() -> None:
    assert lines(Package("siunitx")) == [r"\RenewCommandCopy\qty\SI"]
    assert lines(Package("physics")) == [r"\physicsnames"]
    assert lines(Package("siunitx"), Package("physics")) == [r"\physicsnames"]
