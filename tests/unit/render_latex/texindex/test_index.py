import os
import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_latex.texindex import IndexFileError, TexIndex, load_command
from i2s_render_latex.texindex.definitions import Category
from i2s_render_latex.texindex.index import pack, unpack, write
from i2s_render_latex.texindex.rank import folded
from i2s_wire.render.source_error import Provider, ProviderKind

BOOKTABS = Provider(ProviderKind.PACKAGE, "booktabs")
TIKZ_CD = Provider(ProviderKind.PACKAGE, "tikz-cd")
CALC = Provider(ProviderKind.TIKZ_LIBRARY, "calc")
CALC_PACKAGE = Provider(ProviderKind.PACKAGE, "calc")
POSITIONING = Provider(ProviderKind.TIKZ_LIBRARY, "positioning")
FILLBETWEEN = Provider(ProviderKind.PGFPLOTS_LIBRARY, "fillbetween")


@pytest.fixture
def index(tmp_path: Path) -> TexIndex:
    rows = [
        (Category.COMMAND, "toprule", [BOOKTABS, TIKZ_CD]),
        (Category.ENVIRONMENT, "tikzcd", [TIKZ_CD]),
        (Category.KEY, "on grid", [POSITIONING]),
        (Category.KEY, "fill between", [FILLBETWEEN]),
    ]
    files = {
        "booktabs": [BOOKTABS],
        "tikzcd": [TIKZ_CD],
        "calc": [CALC_PACKAGE, CALC],
        "positioning": [POSITIONING],
    }
    rows += [(Category.FILE, folded(name), providers) for name, providers in files.items()]
    write(tmp_path / "index", "abc", rows)
    return TexIndex.load(tmp_path / "index")


def test_commands_are_found_with_and_without_backslash(index: TexIndex) -> None:
    assert index.providers_of_command("toprule") == (BOOKTABS, TIKZ_CD)
    assert index.providers_of_command("\\toprule") == (BOOKTABS, TIKZ_CD)


def test_unknown_names_have_no_provider(index: TexIndex) -> None:
    assert index.providers_of_command("nosuchthing") == ()
    assert index.providers_of_environment("nosuchthing") == ()
    assert index.providers_of_key("/tikz/nosuchthing") == ()
    assert index.providers_of_key("/tcb/enhanced") == ()
    assert index.providers_of_file("nosuchthing.sty") == ()
    assert index.providers_of_file("data.csv") == ()


def test_names_are_told_apart_by_case(index: TexIndex) -> None:
    assert index.providers_of_command("Toprule") == ()


def test_a_starred_environment_is_found_by_its_plain_form(index: TexIndex) -> None:
    assert index.providers_of_environment("tikzcd*") == (TIKZ_CD,)


def test_keys_are_found_under_any_root(index: TexIndex) -> None:
    for key in ("/tikz/on grid", "/pgfplots/on grid", "on grid"):
        assert index.providers_of_key(key) == (POSITIONING,)


def test_a_key_is_found_by_the_family_it_is_in(index: TexIndex) -> None:
    assert index.providers_of_key("/tikz/fill between/split") == (FILLBETWEEN,)


def test_an_installed_file_is_its_own_first_provider(index: TexIndex) -> None:
    assert index.providers_of_file("booktabs.sty") == (BOOKTABS,)
    assert index.providers_of_file("calc.sty") == (CALC_PACKAGE, CALC)
    assert index.providers_of_file("tikzlibrarycalc.code.tex") == (CALC, CALC_PACKAGE)


def test_a_missing_file_is_found_by_similar_names(index: TexIndex) -> None:
    assert index.providers_of_file("tikzcd.sty") == (TIKZ_CD,)
    assert index.providers_of_file("booktab.sty") == (BOOKTABS,)
    assert index.providers_of_file("positioning.sty") == (POSITIONING,)


def test_the_index_knows_the_digest_of_its_tree(index: TexIndex) -> None:
    assert index.digest == "abc"


def test_the_index_answers_in_any_thread(index: TexIndex) -> None:
    answers: list[tuple[Provider, ...]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(index.providers_of_command("toprule")))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [(BOOKTABS, TIKZ_CD)] * 8


def test_a_missing_or_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(IndexFileError, match=r"does not exist.*index command"):
        TexIndex.load(tmp_path / "none")
    (tmp_path / "damaged").write_bytes(b"not a database" * 100)
    with pytest.raises(IndexFileError, match=r"is not an index.*index command"):
        TexIndex.load(tmp_path / "damaged")


def test_an_index_that_other_users_may_write_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "index", "abc", [])
    for mode in (0o664, 0o646):
        (tmp_path / "index").chmod(mode)
        with pytest.raises(IndexFileError, match="another user can have written"):
            TexIndex.load(tmp_path / "index")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_an_index_of_another_user_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "index", "abc", [])
    os.chown(tmp_path / "index", 4711, 4711)
    with pytest.raises(IndexFileError, match="belongs to uid 4711"):
        TexIndex.load(tmp_path / "index")


def test_an_index_of_another_version_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "index", "abc", [])
    with sqlite3.connect(tmp_path / "index") as connection:
        connection.execute("UPDATE facts SET value = 'older' WHERE name = 'schema'")
    with pytest.raises(IndexFileError, match="older"):
        TexIndex.load(tmp_path / "index")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "index", "abc", [])

    def failing():  # type: ignore[no-untyped-def]
        yield Category.COMMAND, "a", [BOOKTABS]
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        write(tmp_path / "index", "def", failing())
    assert TexIndex.load(tmp_path / "index").digest == "abc"
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


_NAMES = st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1)


@given(st.lists(st.builds(Provider, st.sampled_from(ProviderKind), _NAMES), min_size=1))
def test_what_is_packed_is_unpacked(providers: list[Provider]) -> None:
    assert unpack(pack(providers)) == tuple(providers)


def test_each_kind_of_provider_is_loaded_by_its_command() -> None:
    assert load_command(BOOKTABS) == r"\usepackage{booktabs}"
    assert load_command(CALC) == r"\usetikzlibrary{calc}"
    assert load_command(FILLBETWEEN) == r"\usepgfplotslibrary{fillbetween}"
    assert load_command(Provider(ProviderKind.CLASS, "book")) == r"\documentclass{book}"
