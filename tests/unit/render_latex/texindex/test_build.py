import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from i2s_render_latex.texindex import TexIndex, TreeError, build, build_index, current_digest, reading
from i2s_render_latex.texindex.rank import preferences_text
from i2s_render_latex.texindex.trial import Trial
from i2s_wire.render.source_error import Provider, ProviderKind


def package(name: str) -> Provider:
    return Provider(ProviderKind.PACKAGE, name)


class Remembered:
    """Answers as an engine would for a tree whose truth is written down."""

    def __init__(self, kernel: Collection[str], brings: Mapping[str, Collection[str] | None]) -> None:
        self._kernel = kernel
        self._brings = brings
        self.tried: list[str] = []
        self.identity = "engine"

    def known(self, names: Collection[str]) -> frozenset[str]:
        return frozenset(names) & frozenset(self._kernel)

    def load(self, package: str, names: Collection[str]) -> Trial:
        self.tried.append(package)
        brought = self._brings[package]
        found = None if brought is None else frozenset(names) & frozenset(brought)
        return Trial(found, frozenset({f"{package}.sty", f"{package}.cfg"}))


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


def tried_again(tree: Path, engine: Remembered, tmp_path: Path) -> list[str]:
    """Build the index once more; return what was tried for it."""
    engine.tried.clear()
    build_index([tree], tmp_path / "out" / "index", engine=engine)
    return sorted(engine.tried)


def rows(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT * FROM names").fetchall()


def test_a_package_whose_files_are_unchanged_is_not_tried_again(
    index: TexIndex, tree: Path, engine: Remembered, tmp_path: Path
) -> None:
    before = rows(tmp_path / "out" / "index")
    assert tried_again(tree, engine, tmp_path) == []
    assert rows(tmp_path / "out" / "index") == before


def test_a_package_is_tried_again_after_a_file_that_it_reads_has_changed(
    index: TexIndex, tree: Path, engine: Remembered, tmp_path: Path
) -> None:
    with (tree / "tex/latex/tables/tables.sty").open("a") as file:
        file.write("\\relax")
    assert tried_again(tree, engine, tmp_path) == ["tables"]


def test_a_package_is_tried_again_once_a_file_that_it_looked_for_is_there(
    index: TexIndex, tree: Path, engine: Remembered, tmp_path: Path
) -> None:
    (tree / "tex/plain/other/broken.cfg").write_text("")
    assert tried_again(tree, engine, tmp_path) == ["broken"]


def test_another_engine_tries_every_package_again(
    index: TexIndex, tree: Path, engine: Remembered, tmp_path: Path
) -> None:
    engine.identity = "a newer engine"
    assert tried_again(tree, engine, tmp_path) == ["broken", "tables", "words"]


def test_processes_read_the_same_as_one_process(
    index: TexIndex, tree: Path, engine: Remembered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_WORTH_PROCESSES", 1)
    monkeypatch.setattr(reading, "processors", lambda: 2)
    build_index([tree], tmp_path / "by processes", engine=engine)
    assert rows(tmp_path / "by processes") == rows(tmp_path / "out" / "index")


def test_a_build_says_how_far_it_is(tree: Path, engine: Remembered, tmp_path: Path) -> None:
    said: list[tuple[str, int, int]] = []
    build_index([tree], tmp_path / "index", engine=engine, progress=lambda *one: said.append(one))
    assert said == [
        *(("files read for what they load", done, 5) for done in range(1, 6)),
        *(("files read for what they define", done, 5) for done in range(1, 6)),
        *(("packages tried out", done, 3) for done in range(1, 4)),
    ]
