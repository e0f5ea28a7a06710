from pathlib import Path

import pytest

from i2s_render_latex.hints import source_error
from i2s_render_latex.log import LoggedError
from i2s_render_latex.texindex import TexIndex
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.store import write
from i2s_wire.render.source_error import ErrorKind, Provider, ProviderKind


@pytest.fixture
def index(tmp_path: Path):
    package = Provider(ProviderKind.PACKAGE, "booktabs")
    library = Provider(ProviderKind.TIKZ_LIBRARY, "shapes.geometric")
    rows = [
        (Category.COMMAND, "toprule", [package]),
        (Category.ENVIRONMENT, "tabularx", [Provider(ProviderKind.PACKAGE, "tabularx")]),
        (Category.KEY, "diamond", [library]),
    ]
    write(tmp_path / "index", "digest", rows)
    opened = TexIndex.load(tmp_path / "index")
    yield opened
    opened.close()


def error(message, command=""):
    return LoggedError(message, 3, "", "context", command)


def test_undefined_command_comes_with_its_package(index):
    found = source_error(error("Undefined control sequence.", "toprule"), index)
    assert found.undefined.name == "toprule"
    assert found.undefined.providers == (Provider(ProviderKind.PACKAGE, "booktabs"),)
    assert (found.kind, found.line, found.context) == (ErrorKind.UNDEFINED_COMMAND, 3, "context")


def test_undefined_environment_comes_with_its_package(index):
    found = source_error(error("LaTeX Error: Environment tabularx undefined."), index)
    assert [one.name for one in found.undefined.providers] == ["tabularx"]


def test_undefined_key_comes_with_its_library_and_without_its_root(index):
    message = "Package pgfkeys Error: I do not know the key '/tikz/diamond' and I am going to ignore it."
    found = source_error(error(message), index)
    assert found.undefined.name == "diamond"
    assert found.undefined.providers[0].kind is ProviderKind.TIKZ_LIBRARY


def test_a_name_that_nothing_defines_has_no_providers(index):
    assert source_error(error("Undefined control sequence.", "nonesuch"), index).undefined.providers == ()


def test_an_error_about_nothing_undefined_has_no_name(index):
    assert source_error(error("Missing $ inserted."), index).undefined is None
