"""A collected data set is published with what may be, and nothing else."""

from __future__ import annotations

import base64
import io
import json
from datetime import date
from pathlib import Path

import mlcroissant
import pytest
import yaml
from PIL import Image
from pyarrow import parquet

from i2s_collect.publishing.publish import COLUMNS, Published, publish
from i2s_sdk.cli.main import run
from i2s_sdk.data.format_2 import line, put_by_content, write_index
from i2s_sdk.data.hub import packed, read_row
from i2s_sdk.errors import DataError

DAY = date(2026, 11, 30)
SITE = packed({"index.html": b"<h1>Tea</h1>", "a.png": b"x"})


def png(shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (20, 20), (shade, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()


def collected(folder: Path, count: int = 40, *, task: str = "latex") -> Path:
    """A data set as ``collect`` writes it; each third document may not be redistributed."""
    folder.mkdir()
    rows = []
    for number in range(count):
        structure = SITE if task == "webpage" else f"\\[ x_{{{number}}} \\]".encode()
        subset = ("css", "html")[number % 2] if task == "webpage" else ("equation", "table")[number % 2]
        suffix = ".tar.gz" if task == "webpage" else ".tex"
        inputs = {"image": put_by_content(folder, "references", png(number), ".png")}
        provenance = {
            "source": "github-pages",
            "id": f"owner{number}/site",
            "version": f"{number:040x}",
            "url": f"https://example.org/{number}",
            "member": "",
            "bytes": [0, 0],
            "licence": {"name": "MIT", "url": "", "redistributable": number % 3 != 0},
            "attribution": {"title": 'A "title"', "authors": ["Ännchen"], "url": "https://example.org"},
            "owner": f"owner{number}",
            "date": f"2026-10-{1 + number % 28:02}",
            "collected": "2026-11-23",
            "collector": "i2s-sdk 0",
            "engine": {"name": "pdftex", "version": "1", "digest": "d"},
            "filters": {"white_share": 0.5},
            "notes": {},
            "length": number,
        }
        target = {"structure": put_by_content(folder, "structures", structure, suffix)}
        rows.append(
            line(
                f"i{number}",
                task,
                subset,
                inputs,
                target,
                difficulty="easy",
                licence="MIT",
                provenance=provenance,
            )
        )
    write_index(folder, rows)
    (folder / "collection").mkdir()
    dropped = {"cut": [{"subset": "equation", "reason": "too_long", "count": 7}]}
    (folder / "collection" / "summary.json").write_text(json.dumps({"dropped": dropped}))
    (folder / "collection" / "thresholds.json").write_text('{"equation": {"medium": 3, "hard": 9}}')
    return folder


def published(folder: Path, out: Path, withdrawn: frozenset[str] = frozenset()) -> Published:
    return publish(folder, out, "me/set-2026-10", day=DAY, withdrawn=withdrawn)


def rows_of(out: Path, subset: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = parquet.read_table(
        out / subset / "validation-00000-of-00001.parquet"
    ).to_pylist()
    return found


def test_every_instance_is_published_is_a_recipe_or_is_held_back(tmp_path: Path) -> None:
    done = published(collected(tmp_path / "set"), tmp_path / "out")
    assert sum(sum(count.values()) for count in done.counts.values()) == 40
    recipes = [json.loads(text) for text in (tmp_path / "out" / "recipes.jsonl").read_text().splitlines()]
    held_back = (tmp_path / "out" / "held-back.jsonl").read_text().splitlines()
    assert len(recipes) == sum(count["recipes"] for count in done.counts.values()) > 5
    assert len(held_back) == sum(count["held back"] for count in done.counts.values()) > 0
    assert all(set(json.loads(text)) == {"subset", "sha256"} for text in held_back)
    assert not any("x_" in json.dumps(recipe) for recipe in recipes)


@pytest.mark.parametrize(("task", "subset"), [("latex", "equation"), ("webpage", "css")])
def test_rows_are_read_as_those_of_published_data_sets(tmp_path: Path, task: str, subset: str) -> None:
    folder = collected(tmp_path / "set", task=task)
    published(folder, tmp_path / "out")
    rows = rows_of(tmp_path / "out", subset)
    assert rows
    assert list(rows[0]) == list(COLUMNS)
    for columns in rows:
        row = read_row(columns, task, "other")
        assert (row.subset, row.difficulty, row.image_suffix) == (subset, "easy", ".png")
        number = int(str(columns["instance_name"])[1:])
        assert row.image == png(number)
        assert row.structure == (SITE if task == "webpage" else f"\\[ x_{{{number}}} \\]".encode())
        assert number % 3 != 0
        assert json.loads(str(columns["attribution"]))["authors"] == ["Ännchen"]
        if task == "webpage":
            assert base64.b64decode(str(columns["structure"])) == SITE


def test_pictures_without_a_structure_are_published_with_their_places(tmp_path: Path) -> None:
    folder = collected(tmp_path / "set")
    lines = [json.loads(one) for one in (folder / "instances.jsonl").read_text().splitlines()]
    for number, one in enumerate(lines):
        del one["target"]
        one["task"], one["subset"] = "music", "wild_imslp"
        one["provenance"] |= {"id": "a.pdf", "version": "1", "place": f"page 1, system {number}"}
    (folder / "instances.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    done = published(folder, tmp_path / "out")
    rows = rows_of(tmp_path / "out", "wild_imslp")
    recipes = [json.loads(one) for one in (tmp_path / "out" / "recipes.jsonl").read_text().splitlines()]
    assert {row["structure"] for row in rows} == {""}
    assert len({row["uuid"] for row in rows}) == len(rows) == done.counts["wild_imslp"]["published"] > 0
    assert {recipe["provenance"]["place"] for recipe in recipes} <= {
        f"page 1, system {number}" for number in range(40)
    }
    assert recipes


def test_the_same_data_set_gives_the_same_bytes(tmp_path: Path) -> None:
    folder = collected(tmp_path / "set")
    files = [
        {
            path.relative_to(tmp_path / out).as_posix(): path.read_bytes()
            for path in (tmp_path / out).rglob("*.*")
        }
        for out in ("one", "two")
        if published(folder, tmp_path / out)
    ]
    assert files[0] == files[1]
    assert len(files[0]) == 6


def test_croissant_and_the_card_are_read_by_their_readers(tmp_path: Path) -> None:
    published(collected(tmp_path / "set"), tmp_path / "out")
    found = mlcroissant.Dataset(jsonld=str(tmp_path / "out" / "croissant.json"))
    assert {record_set.name for record_set in found.metadata.record_sets} == {
        "equation-instances",
        "table-instances",
    }
    records = list(found.records("equation-instances"))
    assert len(records) == len(rows_of(tmp_path / "out", "equation"))
    front, _, text = (tmp_path / "out" / "README.md").read_text().removeprefix("---\n").partition("\n---\n")
    configured = yaml.safe_load(front)["configs"]
    assert [one["config_name"] for one in configured] == ["equation", "table"]
    assert "| cut | equation | too_long | 7 |" in text


def test_what_was_withdrawn_is_in_no_file(tmp_path: Path) -> None:
    folder = collected(tmp_path / "set")
    done = published(folder, tmp_path / "out", frozenset({"i1", "owner2/site"}))
    assert sum(sum(count.values()) for count in done.counts.values()) == 38
    everything = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"owner2/site" not in everything


def test_another_data_set_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    inputs = {"image": put_by_content(folder, "references", png(1), ".png")}
    write_index(folder, [line("a", "latex", "equation", inputs)])
    assert run(["dataset", "publish", str(folder), "--out", str(tmp_path / "out"), "--name", "me/x"]) == 2
    assert "summary.json" in capsys.readouterr().err
    (folder / "collection").mkdir()
    for name in ("summary", "thresholds"):
        (folder / "collection" / f"{name}.json").write_text("{}")
    with pytest.raises(DataError, match="was not collected by this program"):
        published(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()
