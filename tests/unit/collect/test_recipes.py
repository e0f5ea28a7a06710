"""Recipes come from strangers: what is none is refused, and nothing in one leads a request astray."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from i2s_collect.arxiv import ArxivSource
from i2s_collect.candidates import Dropped, Licence, Reason, SourceDocument
from i2s_collect.caps import instance_id
from i2s_collect.collecting import key_of_piece
from i2s_collect.github.pages import GithubPagesSource
from i2s_collect.music.github_scores import GithubScoresSource
from i2s_collect.music.mutopia import MutopiaSource
from i2s_collect.recipes import read_recipes
from i2s_collect.source import Source
from i2s_collect.web.answer import Ask, WebAnswer
from i2s_sdk.errors import DataError


def document(key: str = "2611.01234v1", version: str = "") -> SourceDocument:
    return SourceDocument(key, date(2026, 10, 3), "", Licence("X"), "T", ("A",), "https://a", version=version)


def recipe(key: str = "2611.01234v1", **changes: Any) -> dict[str, Any]:
    member, span = "paper.tex", (10, 50)
    piece = key_of_piece(document(key), "equation", member, span)
    provenance = {
        "source": "arxiv",
        "id": key,
        "version": "",
        "url": f"https://export.arxiv.org/src/{key}",
        "member": member,
        "bytes": list(span),
        "licence": {"name": "X", "url": "", "redistributable": False},
        "attribution": {"title": "T", "authors": ["A"], "url": "https://a"},
        "owner": "",
        "date": "2026-10-03",
        "collected": "2026-11-23",
        "collector": "i2s-sdk 0",
        "engine": {"name": "pdftex", "version": "1", "digest": "d"},
        "filters": {},
        "notes": {},
        "length": 40,
    }
    found = {
        "uuid": "u",
        "name": instance_id(document(key), "equation", piece),
        "task": "latex",
        "subset": "equation",
        "difficulty": "easy",
        "structure_sha256": "1" * 64,
        "picture_sha256": "2" * 64,
        "provenance": provenance,
    }
    for name, value in changes.items():
        outer, _, inner = name.partition("__")
        if inner:
            found[outer] = {**provenance, inner: value}
        else:
            found[outer] = value
    return found


def written(folder: Path, *lines: object) -> Path:
    path = folder / "recipes.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_a_recipe_names_the_piece_and_what_must_come_out(tmp_path: Path) -> None:
    (found,) = read_recipes(written(tmp_path, recipe()))
    assert (found.source, found.task, found.subset) == ("arxiv", "latex", "equation")
    assert (found.document.key, found.document.day) == ("2611.01234v1", date(2026, 10, 3))
    assert (found.member, found.span) == ("paper.tex", (10, 50))
    assert found.name == recipe()["name"]
    assert (found.structure, found.picture) == ("1" * 64, "2" * 64)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ([], "it is no object"),
        (recipe(name="another"), "'name' is not that of an instance of this origin"),
        (recipe(structure_sha256="../../x"), "'structure_sha256' is no SHA-256"),
        (recipe(difficulty="impossible"), "'difficulty' is none of easy, medium, hard"),
        (recipe(provenance=3), "'provenance' is no object"),
        (recipe(provenance__date="yesterday"), "Invalid isoformat string: 'yesterday'"),
        (recipe(provenance__bytes=[0, True]), "'bytes' is no pair of numbers"),
        (recipe(provenance__licence={}), "has no 'name'"),
        (recipe(provenance__attribution={"title": "T", "url": "u", "authors": [1]}), "'authors' is no list"),
        (recipe(provenance__length="1"), "'length' is no number"),
        (recipe(provenance__notes=[]), "'engine', 'filters' or 'notes' is no object"),
    ],
)
def test_what_is_no_recipe_is_named_with_its_line(tmp_path: Path, changed: object, why: str) -> None:
    with pytest.raises(DataError, match=r"recipes\.jsonl:2") as caught:
        read_recipes(written(tmp_path, recipe(), changed))
    assert why in caught.value.message


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((), "holds no recipe"),
        ((recipe(), recipe()), "stands there twice"),
        ((recipe(), recipe(task="music")), "is of another source or task than the first line"),
        ((recipe(), {"name": "x"}), "is no recipe: has no 'task'"),
    ],
)
def test_a_file_holds_recipes_of_one_source(tmp_path: Path, lines: tuple[object, ...], why: str) -> None:
    with pytest.raises(DataError) as caught:
        read_recipes(written(tmp_path, *lines))
    assert why in caught.value.message


def test_broken_files_are_one_line(tmp_path: Path) -> None:
    path = tmp_path / "recipes.jsonl"
    with pytest.raises(DataError, match="cannot be read"):
        read_recipes(path)
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(DataError, match="is no recipe"):
        read_recipes(path)


class NoWeb:
    """A web that may not be asked."""

    def get(self, ask: Ask) -> WebAnswer:
        pytest.fail(f"asked for {ask.url}")

    def forget(self, ask: Ask) -> None:
        pytest.fail(f"forgot {ask.url}")


COMMIT = "a" * 40


@pytest.mark.parametrize(
    ("source", "key", "version"),
    [
        (ArxivSource, "../../user", ""),
        (ArxivSource, "2611.01234", ""),
        (ArxivSource, "2611.01234v1?x=1", ""),
        (GithubPagesSource, "../user", COMMIT),
        (GithubPagesSource, "ann/site", "main/../../../user"),
        (GithubScoresSource, "ann/site/../..", COMMIT),
        (MutopiaSource, "ftp/a.ly", "../user"),
        (MutopiaSource, "ftp/a.ly", ""),
    ],
)
def test_a_recipe_leads_no_request_to_another_address(
    source: Callable[[], Source], key: str, version: str
) -> None:
    found = source().fetch(document(key, version), NoWeb())
    assert isinstance(found, Dropped)
    assert found.reason is Reason.MALFORMED
