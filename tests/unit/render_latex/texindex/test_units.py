import pytest

from i2s_render_latex.texindex.definitions import clean
from i2s_render_latex.texindex.units import (
    Load,
    Scanned,
    Unit,
    demands_other_engine,
    loadable_units,
    loads,
    provider_of,
    units,
)
from i2s_wire.render.source_error import Provider, ProviderKind


def package(name: str) -> Provider:
    return Provider(ProviderKind.PACKAGE, name)


def tree(**files: tuple[str, ...]) -> dict[str, Scanned]:
    """One bundle; keyword ``graphicx_sty=("graphics.sty",)`` is a file and what it always loads."""
    return {
        name.replace("_", "."): Scanned("bundle", tuple(Load((target,), True) for target in targets))
        for name, targets in files.items()
    }


def by_name(files: dict[str, Scanned]) -> dict[str, Unit]:
    return {unit.provider.name: unit for unit in units(files)}


@pytest.mark.parametrize(
    ("file", "provider"),
    [
        ("booktabs.sty", package("booktabs")),
        ("article.cls", Provider(ProviderKind.CLASS, "article")),
        ("tikzlibraryarrows.meta.code.tex", Provider(ProviderKind.TIKZ_LIBRARY, "arrows.meta")),
        ("pgflibraryfit.code.tex", Provider(ProviderKind.TIKZ_LIBRARY, "fit")),
        ("tikzlibrarypgfplots.polar.code.tex", Provider(ProviderKind.PGFPLOTS_LIBRARY, "polar")),
        ("tikz.code.tex", None),
        ("ot1enc.def", None),
    ],
)
def test_the_name_of_a_file_says_how_it_is_loaded(file: str, provider: Provider | None) -> None:
    assert provider_of(file) == provider


def test_input_files_belong_to_what_inputs_them() -> None:
    files = tree(tikz_sty=("tikz.tex",), tikz_tex=("deep.tex",), deep_tex=())
    assert by_name(files)["tikz"].own == {"tikz.sty", "tikz.tex", "deep.tex"}


def test_a_package_borrows_from_packages_of_its_bundle_that_it_always_loads() -> None:
    files = tree(graphicx_sty=("graphics.sty",), graphics_sty=("trig.sty",), trig_sty=())
    unit = by_name(files)["graphicx"]
    assert unit.own == {"graphicx.sty"}
    assert unit.lent == {"graphics.sty", "trig.sty"}


def test_a_package_does_not_borrow_from_another_bundle() -> None:
    files = tree(graphicx_sty=("xcolor.sty",)) | {"xcolor.sty": Scanned("other", ())}
    assert by_name(files)["graphicx"].lent == frozenset()


def test_a_library_in_two_files_is_one_unit() -> None:
    files = {
        "tikzlibraryfit.code.tex": Scanned("pgf", (Load(("pgflibraryfit.code.tex",), True),)),
        "pgflibraryfit.code.tex": Scanned("pgf", ()),
    }
    assert [unit.own for unit in units(files)] == [frozenset(files)]


def test_dated_copies_are_left_out_and_names_with_digits_are_not() -> None:
    files = {
        name: Scanned("bundle", ())
        for name in (
            "amsmath.sty",
            "amsmath-2018-12-01.sty",
            "siunitx.sty",
            "siunitx-v2.sty",
            "tikz-3dplot.sty",
        )
    }
    assert set(by_name(files)) == {"amsmath", "siunitx", "tikz-3dplot"}


@pytest.mark.parametrize("word", ["RequireLuaTeX", "RequireXeTeX", "RequireTUTeX"])
def test_a_file_that_asks_for_another_engine_demands_it(word: str) -> None:
    assert demands_other_engine(f"\\RequirePackage{{iftex}}\n\\{word}\n")
    assert not demands_other_engine(f"\\protected\\def\\{word}{{x}}")


def loadable(files: dict[str, Scanned], demanding: frozenset[str] = frozenset()) -> set[str]:
    return {unit.provider.name for unit in loadable_units(units(files), files, files, demanding)}


def test_what_needs_an_unloadable_package_is_unloadable_too() -> None:
    files = tree(a_sty=("b.sty",), b_sty=("fontspec.sty",), fontspec_sty=(), c_sty=())
    assert loadable(files) == {"c"}


def test_what_needs_a_file_that_is_not_installed_is_unloadable() -> None:
    files = tree(a_sty=("missing.tex",), b_sty=())
    assert loadable(files) == {"b"}


def test_what_demands_another_engine_is_unloadable() -> None:
    assert loadable(tree(a_sty=(), b_sty=("a.sty",), c_sty=()), frozenset(["a.sty"])) == {"c"}


def test_a_missing_package_under_a_condition_hinders_nothing() -> None:
    files = {"a.sty": Scanned("bundle", (Load(("missing.sty",), False),))}
    assert loadable(files) == {"a"}


def test_packages_classes_libraries_and_inputs_are_seen() -> None:
    text = (
        r"\RequirePackage[opt]{a, b}[2020/01/01]\LoadClass{c}\usetikzlibrary{calc,fit}"
        r"\usepgfplotslibrary{polar}\usepgfmodule{plot}\input tikz.code.tex \input{x}"
    )
    assert list(loads(clean(text))) == [
        Load(("a.sty",), True),
        Load(("b.sty",), True),
        Load(("c.cls",), True),
        Load(("tikzlibrarycalc.code.tex", "pgflibrarycalc.code.tex"), True),
        Load(("tikzlibraryfit.code.tex", "pgflibraryfit.code.tex"), True),
        Load(("tikzlibrarypgfplots.polar.code.tex", "pgflibrarypgfplots.polar.code.tex"), True),
        Load(("pgfmoduleplot.code.tex",), True),
        Load(("tikz.code.tex", "tikz.code.tex.tex"), True),
        Load(("x", "x.tex"), True),
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"\ifluatex\RequirePackage{a}\fi",
        r"\newif\ifmine \ifmine x\else\RequirePackage{a}\fi",
        r"\ifx\a\b \ifnum1=1 \fi\RequirePackage{a}\fi",
        r"\AtEndOfPackage{\RequirePackage{a}}",
        r"\@ifpackageloaded{x}{}{\RequirePackage{a}}",
        r"\InputIfFileExists{a.sty}{}{}",
    ],
)
def test_loading_under_a_condition_is_not_always(text: str) -> None:
    assert [load.always for load in loads(clean(text))] == [False]


def test_conditions_that_take_braces_and_closed_ones_do_not_count() -> None:
    text = r"\ifthenelse{a}{b}{c}\ifx\a\b\fi\RequirePackage{a}"
    assert [load.always for load in loads(clean(text))] == [True]


def test_names_that_macros_make_are_not_followed() -> None:
    assert list(loads(clean(r"\input{\jobname.aux}\RequirePackage{#1}"))) == []
