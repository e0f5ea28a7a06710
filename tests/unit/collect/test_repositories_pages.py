"""Sites are cut out of archives of repositories, whatever the archives hold."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_sources.archives import archive
from fake_sources.small_sites import site, site_repositories
from i2s_collect.candidates import Dropped, Licence, Piece, Reason, SourceDocument
from i2s_collect.github import GithubPagesSource
from i2s_collect.github.pages import SiteCounts, count, published_files, site_fault, tree_hash
from i2s_sdk.instances.site_files import read_tar
from i2s_wire.render.isolation import PolicyEvent, PolicyKind
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.site import SiteResult

SOURCE = GithubPagesSource()
DOCUMENT = SourceDocument(
    "ann/ann.github.io", date(2026, 10, 1), "ann", Licence(), "", (), "", {"branch": "main", "subset": "css"}
)


def cut(content: bytes, source: GithubPagesSource = SOURCE) -> Piece | Dropped:
    (found,) = source.cut(DOCUMENT, content)
    return found


def piece(files: dict[str, bytes]) -> Piece:
    found = cut(archive("ann-ann.github.io-0000001", files))
    assert isinstance(found, Piece), found
    return found


def reason(files: dict[str, bytes]) -> Reason | None:
    found = cut(archive("ann-ann.github.io-0000001", files))
    return found.reason if isinstance(found, Dropped) else None


def test_a_site_is_one_piece_with_its_files_as_they_came() -> None:
    files = {**site(2), "logo.PNG": b"\x89PNG\r\n\x1a\n", "_site/index.html": b"made", ".nojekyll": b""}
    found = piece(files)
    kept = {name: raw for name, raw in files.items() if not name.startswith(("_site/", ".github/"))}
    assert read_tar(found.structure) == kept
    assert (found.subset, found.member, found.span) == ("css", "", (0, 0))
    assert found.assets == ("logo.PNG",)
    counts = count(kept)
    assert found.length == counts.code_lines + counts.style_lines
    assert "Bicycle repair" in found.text
    assert "querySelector" in found.text
    assert found.notes == {"tree": tree_hash(kept)}


def test_the_same_files_make_the_same_bytes_whatever_their_folder_and_order() -> None:
    files = site(3)
    turned = dict(reversed(files.items()))
    one, other = cut(archive("a-1", files)), cut(archive("b-2", turned))
    assert isinstance(one, Piece)
    assert one == other


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("linked", Reason.LINKS),
        ("escaping", Reason.BAD_ARCHIVE),
        ("absolute", Reason.BAD_ARCHIVE),
        ("bomb", Reason.BAD_ARCHIVE),
        ("noarchive", Reason.BAD_ARCHIVE),
        ("many", Reason.TOO_MANY_FILES),
        ("readme", Reason.NO_INDEX_PAGE),
        ("noindex", Reason.NO_INDEX_PAGE),
        ("binary", Reason.CODE_LINES),
        ("cdn", None),
        ("lost", None),
    ],
)
def test_repositories_of_the_stand_in_are_cut_or_dropped_for_their_reason(
    name: str, expected: Reason | None
) -> None:
    (repository,) = (
        site_repository
        for site_repository in site_repositories()
        if site_repository.full_name.startswith(f"{name}/")
    )
    found = cut(repository.content)
    assert (found.reason if isinstance(found, Dropped) else None) == expected
    if isinstance(found, Dropped):
        assert (found.key, found.subset) == (DOCUMENT.key, "css")
        assert "\n" not in found.detail


def test_all_good_repositories_are_cut_and_differ() -> None:
    pieces = [
        cut(site_repository.content) for site_repository in site_repositories() if site_repository.id < 12
    ]
    assert all(isinstance(one, Piece) for one in pieces)
    assert len({one.structure for one in pieces if isinstance(one, Piece)}) == 12


def lines(number: int) -> bytes:
    return b"a\n" * number


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"index.html": lines(9)}, Reason.CODE_LINES),
        ({"index.html": lines(10)}, None),
        ({"index.html": lines(1000)}, None),
        ({"index.html": lines(1000), "a.js": lines(1)}, Reason.CODE_LINES),
        ({"index.html": lines(10), "a.css": lines(2000)}, None),
        ({"index.html": lines(10), "a.css": lines(2000), "b.css": lines(1)}, Reason.CODE_LINES),
        ({"index.html": lines(10), **{f"{n}.js": b"" for n in range(4)}}, None),
        ({"index.html": lines(10), **{f"{n}.js": b"" for n in range(5)}}, Reason.TOO_MANY_FILES),
        ({"index.html": lines(10), **{f"{n}.gif": b"" for n in range(5)}}, None),
        ({"index.html": lines(10), **{f"{n}.gif": b"" for n in range(6)}}, Reason.TOO_MANY_FILES),
        ({"index.html": lines(10), "License.MD": lines(5000), "_config.yml": b"\xff"}, None),
        ({"index.html": lines(10), "docs/license.md": lines(991)}, Reason.CODE_LINES),
        (
            {"index.html": lines(10), "a.png": b"version https://git-lfs.github.com/spec/v1\n"},
            Reason.MISSING_FILE,
        ),
        ({"index.htm": b"<p>", "README.md": lines(50)}, Reason.CODE_LINES),
        ({"index.md": lines(50)}, None),
        ({"docs/index.html": lines(50), "docs/a.js": lines(1)}, Reason.NO_INDEX_PAGE),
    ],
)
def test_limits_on_files_hold_on_both_sides(files: dict[str, bytes], expected: Reason | None) -> None:
    assert reason(files) == expected


def test_files_are_counted_by_kind() -> None:
    files = {"a.html": lines(3), "b.CSS": lines(4), "c.mp4": b"", ".hidden.js": lines(9), "d.txt": lines(8)}
    assert count(files) == SiteCounts(code_files=1, code_lines=3, style_lines=4, assets=1)
    assert count({"a.md": b"\xff"}).code_lines == 1_000_000


def test_folders_with_a_dot_and_what_jekyll_made_are_not_published() -> None:
    files = dict.fromkeys(
        ["index.html", ".nojekyll", ".git/x", "a/.b/c.js", "_site/a.html", "a/_site/b.html"], b""
    )
    assert set(published_files(files)) == {"index.html", ".nojekyll", "a/_site/b.html"}


def test_a_copy_of_a_known_template_is_dropped() -> None:
    content = archive("x-1", site(1))
    found = cut(content)
    assert isinstance(found, Piece)
    known = replace(SOURCE, templates=frozenset({found.notes["tree"]}))
    again = cut(content, known)
    assert isinstance(again, Dropped)
    assert again.reason is Reason.TEMPLATE


def rendered(site_result: SiteResult | None, *events: PolicyEvent) -> Rendering:
    return Rendering(Verdict.RENDERED, policy_events=events, site=site_result)


NETWORK = PolicyEvent(PolicyKind.NETWORK, "https://cdn.example.com/lib.js", 1)


@pytest.mark.parametrize(
    ("rendering", "expected"),
    [
        (rendered(SiteResult(settled=True)), None),
        (rendered(SiteResult(settled=True), NETWORK), Reason.NEEDS_NETWORK),
        (rendered(SiteResult(settled=False), NETWORK), Reason.NEEDS_NETWORK),
        (rendered(SiteResult(settled=True, missing=("a.png",))), Reason.MISSING_FILE),
        (rendered(SiteResult(settled=True, left_out=("the theme x is not installed",))), Reason.THEME),
        (rendered(SiteResult(settled=False)), Reason.NOT_SETTLED),
        (rendered(SiteResult(settled=True), PolicyEvent(PolicyKind.BROWSER_FEATURE, "a window")), None),
        (Rendering(Verdict.TIME_LIMIT), None),
        (Rendering(Verdict.TIME_LIMIT, policy_events=(NETWORK,)), Reason.NEEDS_NETWORK),
    ],
)
def test_only_pages_that_are_whole_without_a_network_are_references(
    rendering: Rendering, expected: Reason | None
) -> None:
    found = SOURCE.rendering_fault(piece(site(0)), rendering)
    assert (found.reason if found else None) == expected
    assert found is None or found.subset == "css"


@given(st.binary(max_size=300), st.integers(0, 2000))
def test_a_damaged_archive_is_cut_or_dropped_and_never_fails(noise: bytes, place: int) -> None:
    content = archive("x-1", site(1))
    place %= len(content)
    found = cut(content[:place] + noise + content[place + len(noise) :])
    assert isinstance(found, Piece) or found.reason in (
        Reason.BAD_ARCHIVE,
        Reason.LINKS,
        Reason.NO_INDEX_PAGE,
    )


def test_a_fault_of_files_says_what_was_found() -> None:
    fault = site_fault({"index.html": lines(5)})
    assert fault is not None
    assert fault.detail == "5 lines of code, not 10 to 1000"
