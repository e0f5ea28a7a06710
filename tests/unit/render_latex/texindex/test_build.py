from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from i2s_render_latex.texindex import TexIndex, TreeError, build, build_index, current_digest
from i2s_render_latex.texindex.rank import preferences_text
from i2s_wire.render.source_error import Provider, ProviderKind


def package(name: str) -> Provider:
    return Provider(ProviderKind.PACKAGE, name)


class Remembered:
    """Answers as an engine would for a tree whose truth is written down."""

    def __init__(self, kernel: Collection[str], brings: Mapping[str, Collection[str] | None]) -> None:
        self._kernel = kernel
        self._brings = brings
        self.tried: list[str] = []

    def known(self, names: Collection[str]) -> frozenset[str]:
        return frozenset(names) & frozenset(self._kernel)

    def load(self, packages: Mapping[str, Collection[str]]) -> dict[str, frozenset[str] | None]:
        self.tried += packages
        answers: dict[str, frozenset[str] | None] = {}
        for name, asked in packages.items():
            brought = self._brings[name]
            answers[name] = None if brought is None else frozenset(asked) & frozenset(brought)
        return answers


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "latex/tables/tables.sty": (
            "\\newcommand\\rules{}\n\\renewcommand\\hline{}\n\\def\\hidden{\\def\\inner{}}"
        ),
        "latex/words/words.sty": "\\def\\make#1{\\expandafter\\def\\csname #1\\endcsname{}}\n\\make{Made}",
        "latex/broken/broken.sty": "\\newcommand\\fragile{}",
        "latex/big/big.sty": (
            "\\RequirePackage{tables,words}\n\\IfFileExists{x}{\\RequirePackage{broken}}{}\n"
            "\\providecommand\\rules{}\n\\newcommand\\hline{}"
        ),
        "generic/lib/tikzlibrarythings.code.tex": "\\tikzset{thing/.style={}}\n\\def\\thingy{}",
        "plain/other/other.sty": "\\newcommand\\unreachable{}",
    }
    for name, text in files.items():
        path = tmp_path / "texmf" / "tex" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return tmp_path / "texmf"


@pytest.fixture
def engine() -> Remembered:
    return Remembered(
        kernel=["hline"],
        brings={"tables": ["rules", "hidden"], "words": ["Made", "make"], "broken": None, "things": []},
    )


@pytest.fixture
def index(tree: Path, engine: Remembered, tmp_path: Path) -> TexIndex:
    build_index([tree], tmp_path / "out" / "index", engine=engine)
    return TexIndex.load(tmp_path / "out" / "index")


def test_definers_are_found_best_first(index: TexIndex) -> None:
    assert index.providers_of_command("rules") == (package("tables"), package("big"))


def test_names_that_macros_put_together_are_found_by_trying(index: TexIndex) -> None:
    assert index.providers_of_command("Made") == (package("words"),)


def test_packages_that_did_not_load_provide_nothing(index: TexIndex) -> None:
    assert index.providers_of_command("fragile") == ()
    assert index.providers_of_file("broken.sty") == ()


def test_names_that_only_appear_inside_of_something_are_kept(index: TexIndex) -> None:
    assert index.providers_of_command("inner") == (package("tables"),)


def test_what_every_document_knows_is_left_out(index: TexIndex) -> None:
    assert index.providers_of_command("hline") == ()


def test_libraries_provide_their_keys_commands_and_name(index: TexIndex) -> None:
    things = (Provider(ProviderKind.TIKZ_LIBRARY, "things"),)
    assert index.providers_of_key("/tikz/thing") == things
    assert index.providers_of_key("things") == things
    assert index.providers_of_command("thingy") == things


def test_trees_of_other_formats_are_not_read(index: TexIndex) -> None:
    assert index.providers_of_command("unreachable") == ()


def test_only_packages_that_others_load_are_tried(tree: Path, engine: Remembered, tmp_path: Path) -> None:
    summary = build_index([tree], tmp_path / "index", engine=engine)
    assert sorted(engine.tried) == ["broken", "tables", "words"]
    assert (summary.tried, summary.files) == (3, 5)


def test_the_digest_tells_whether_the_tree_has_changed(index: TexIndex, tree: Path) -> None:
    assert index.digest == current_digest([tree])
    (tree / "tex/latex/tables/tables.sty").write_text("\\newcommand\\more{}")
    assert index.digest != current_digest([tree])


def test_an_index_that_other_code_has_made_is_stale(
    index: TexIndex, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_by = build._makers()
    assert Path(build.__file__).read_bytes() in made_by
    assert preferences_text() in made_by
    monkeypatch.setattr(build, "_makers", lambda: (*made_by[1:], b"other code"))
    assert index.digest != current_digest([tree])


def test_a_tree_without_packages_is_refused(tmp_path: Path, engine: Remembered) -> None:
    with pytest.raises(TreeError, match="no package"):
        build_index([tmp_path], tmp_path / "index", engine=engine)


def test_files_of_an_earlier_tree_win(tree: Path, engine: Remembered, tmp_path: Path) -> None:
    local = tmp_path / "local/tex/latex/things/tables.sty"
    local.parent.mkdir(parents=True)
    local.write_text("\\newcommand\\localrules{}")
    build_index([tmp_path / "local", tree], tmp_path / "index", engine=engine)
    index = TexIndex.load(tmp_path / "index")
    assert index.providers_of_command("localrules") == (package("tables"),)
    assert index.providers_of_command("rules") == (package("big"),)
