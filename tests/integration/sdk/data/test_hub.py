"""Data sets of the benchmark's columns, written to disk by the library ``datasets`` and read again.

The hub itself is not reached: what differs there is only where the files come from.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import io
import json
import logging
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Picture

from i2s_sdk.data import Selection, open_data
from i2s_sdk.data.folder import read_content
from i2s_sdk.data.hub import read_hub
from i2s_sdk.errors import DataError, UnknownNameError, UsageError
from i2s_wire.installation import install_command

datasets = pytest.importorskip("datasets", reason="i2s-sdk[hub] is not installed")

pytestmark = pytest.mark.integration

STRINGS = (
    "structure text download_url instance_name date additional_info date_scrapped file_filters "
    "compilation_info rendering_filters category uuid length difficulty"
).split()


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that is laid down or kept stays in the test's folder; the network is never asked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "hf")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)


def picture(colour: str, kind: str = "PNG") -> bytes:
    content = io.BytesIO()
    Picture.new("RGB", (32, 24), colour).save(content, kind)
    return content.getvalue()


def site(*names: str, link: str = "") -> str:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = len(name)
            archive.addfile(info, io.BytesIO(name.encode()))
        if link:
            info = tarfile.TarInfo(link)
            info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(info)
    return base64.b64encode(raw.getvalue()).decode()


def row(
    uuid: str, category: str, structure: str | None, content: bytes, **more: str | None
) -> dict[str, Any]:
    columns: dict[str, Any] = dict.fromkeys(STRINGS)
    columns |= {
        "uuid": f'"{uuid}"',
        "category": f'"{category}"',
        "structure": structure,
        "difficulty": "easy",
    }
    return {**columns, "image": {"bytes": content, "path": None}, "assets": [], **more}


def data_set(rows: Iterable[dict[str, Any]]) -> Any:
    features = datasets.Features(
        {
            **{name: datasets.Value("string") for name in STRINGS},
            "image": datasets.Image(),
            "assets": datasets.Sequence(datasets.Value("string")),
        }
    )
    return datasets.Dataset.from_list(list(rows), features=features)


def parquet(root: Path, subset: str, *rows: dict[str, Any]) -> None:
    """Write a subset as it lies in a clone of the repository."""
    (root / subset).mkdir(parents=True)
    data_set(rows).to_parquet(root / subset / "validation-00000-of-00001.parquet")


@pytest.fixture
def latex(tmp_path: Path) -> Path:
    root = tmp_path / "i2s-latex"
    parquet(
        root,
        "equation",
        row("e1", "equation", r"\begin{equation}a\end{equation}", picture("red"), text="a"),
        row("stray", "table", "x", picture("red")),
        row("e2", "equation", r"\begin{equation}b\end{equation}", picture("blue", "JPEG"), difficulty="hard"),
    )
    parquet(root, "table", row("t1", "table", r"\begin{tabular}{c}é\end{tabular}", picture("green")))
    parquet(root, "wild", row("w1", "wild", None, picture("black"), difficulty=None))
    return root


def test_a_clone_of_the_repository_is_read_without_its_wild_subset(latex: Path) -> None:
    found = open_data(f"hf:{latex}")
    assert [(instance.id, instance.subset, instance.difficulty) for instance in found.instances] == [
        ("e1", "equation", "easy"),
        ("e2", "equation", "hard"),
        ("t1", "table", "easy"),
    ]
    assert {instance.task for instance in found.instances} == {"latex"}
    content = read_content(found.instances[2])
    assert content.structure == r"\begin{tabular}{c}é\end{tabular}"


def test_references_are_the_files_of_the_data_set_byte_for_byte(latex: Path) -> None:
    first, second, _ = open_data(f"hf:{latex}").instances
    assert first.image.read_bytes() == picture("red")
    assert second.image.read_bytes() == picture("blue", "JPEG")
    assert second.image.suffix == ".jpg"


def test_a_wild_subset_is_there_when_it_is_asked_for(latex: Path) -> None:
    (wild,) = open_data(f"hf:{latex}", subsets=["wild"]).instances
    assert (wild.id, wild.structure, wild.difficulty) == ("w1", None, "")
    with pytest.raises(UnknownNameError, match="did you mean 'table'"):
        open_data(f"hf:{latex}", subsets=["tabel"])


def test_what_was_laid_down_is_used_again_and_the_digest_is_that_of_the_content(
    latex: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_data(f"hf:{latex}")
    written = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}
    again = open_data(f"hf:{latex}")
    assert again == first
    assert written == {path: path.stat().st_mtime_ns for path in again.folder.rglob("*")}
    elsewhere = read_hub(f"hf:{latex}", home=tmp_path / "elsewhere")
    assert elsewhere.sha256 == first.sha256
    assert not [path for path in first.folder.parent.iterdir() if path.name.startswith(".part")]


def test_another_picture_is_another_digest(tmp_path: Path) -> None:
    digests = set()
    for colour in ("red", "blue"):
        root = tmp_path / colour / "i2s-latex"
        parquet(root, "equation", row("e1", "equation", "x", picture(colour)))
        digests.add(open_data(f"hf:{root}").sha256)
    assert len(digests) == 2


def test_what_save_to_disk_wrote_is_read_as_well(tmp_path: Path) -> None:
    rows = [row("m1", "music", None, picture("red")), row("m2", "music", None, picture("blue"))]
    data_set(rows).save_to_disk(tmp_path / "musicsheet" / "music")
    found = open_data(f"hf:{tmp_path / 'musicsheet'}?task=music")
    assert [(instance.id, instance.task, instance.structure) for instance in found.instances] == [
        ("m1", "music", None),
        ("m2", "music", None),
    ]
    data_set(rows).save_to_disk(tmp_path / "flat")
    assert [instance.id for instance in open_data(f"hf:{tmp_path / 'flat'}?task=music").instances] == [
        "m1",
        "m2",
    ]


def test_a_site_is_kept_as_archive_and_its_pictures_are_assets(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    root = tmp_path / "i2s-webpage"
    clean = site("index.html", "img/a.png", "_site/b.png")
    linked = site("index.html", link="c.png")
    parquet(root, "css", row("p1", "css", clean, picture("red")), row("p2", "css", linked, picture("red")))
    with caplog.at_level(logging.WARNING):
        first, second = open_data(f"hf:{root}").instances
    assert "p2: left out of the archive: 'c.png'" in caplog.text
    assert first.structure is not None
    assert hashlib.sha256(first.structure.read_bytes()).hexdigest() == first.structure.name.split(".")[0]
    assert first.structure.read_bytes() == base64.b64decode(clean)
    assert read_content(first).assets == {"img/a.png": b"img/a.png"}
    assert read_content(second).site == {"index.html": b"index.html"}


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (row("b", "css", site("index.html", "../../evil"), picture("red")), "not a path inside"),
        (row("b", "css", site("/etc/evil"), picture("red")), "not a path inside"),
        (row("b", "css", "%%%", picture("red")), "not base64"),
        (row("b", "css", None, b"no picture"), "neither PNG"),
        (row("good", "css", None, picture("red")), "stands in"),
    ],
)
def test_a_hostile_row_is_refused_by_its_number_and_nothing_is_laid_down(
    bad: dict[str, Any], said: str, tmp_path: Path
) -> None:
    root = tmp_path / "i2s-webpage"
    parquet(root, "css", row("good", "css", site("index.html"), picture("red")), bad)
    before = {path for path in tmp_path.rglob("*") if "evil" in path.name}
    with pytest.raises(DataError, match=said) as raised:
        open_data(f"hf:{root}")
    assert raised.value.line == 2
    assert {path for path in tmp_path.rglob("*") if "evil" in path.name} == before == set()
    assert not list((tmp_path / "caches").rglob("*.png"))


def test_a_picture_that_is_only_a_path_is_never_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(picture("red"))
    root = tmp_path / "i2s-latex"
    (root / "equation").mkdir(parents=True)
    for image in ({"bytes": None, "path": str(secret)}, str(secret)):
        columns = {**row("e1", "equation", "x", b""), "image": image}
        # Columns have plain types, or the library would put the image into the file.
        plain = datasets.Dataset.from_list([columns])
        plain.to_parquet(root / "equation" / "validation-0.parquet")
        with pytest.raises(DataError, match="only its path"):
            open_data(f"hf:{root}")


def test_the_same_seed_chooses_the_same_of_a_clone_and_of_the_folder_it_became(latex: Path) -> None:
    whole = open_data(f"hf:{latex}")
    copy = open_data(whole.folder)
    chosen = Selection(limit=2, seed=7)
    assert [one.id for one in chosen.apply(whole.instances)] == [
        one.id for one in chosen.apply(copy.instances)
    ]


def test_files_that_are_no_data_set_are_told(tmp_path: Path) -> None:
    root = tmp_path / "i2s-latex" / "equation"
    root.mkdir(parents=True)
    (root / "validation-0.parquet").write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataError, match="cannot be loaded"):
        open_data(f"hf:{root.parent}")
    datasets.Dataset.from_dict({"a": [1]}).to_parquet(root / "validation-0.parquet")
    with pytest.raises(DataError, match="no column 'uuid'"):
        open_data(f"hf:{root.parent}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds neither"):
        open_data(f"hf:{tmp_path / 'empty'}?task=latex")


def test_without_the_library_the_command_that_mends_it_is_told(
    latex: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=re.escape(install_command("i2s-sdk[hub]"))) as raised:
        open_data(f"hf:{latex}")
    assert "\n" not in raised.value.message


def test_the_hub_is_asked_for_each_subset_of_the_split_with_the_revision(
    latex: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def load(path: str, name: str, *, split: str, revision: str | None) -> Any:
        asked.append((path, name, split, revision))
        files = str(latex / "equation" / "*.parquet")
        return (
            real("parquet", data_files=files, split="train")
            .map(lambda one: {"category": f'"{name}"'})
            .filter(lambda one: name == "equation" or one["uuid"] == '"e1"')
            .map(lambda one: {"uuid": f'"{name}-{json.loads(one["uuid"])}"'})
        )

    real = datasets.load_dataset
    monkeypatch.setattr(datasets, "load_dataset", load)
    found = open_data("hf:stanford-crfm/i2s-latex@v9")
    assert asked == [
        ("stanford-crfm/i2s-latex", subset, "validation", "v9")
        for subset in ("equation", "table", "plot", "algorithm")
    ]
    assert [instance.id for instance in found.instances][-1] == "algorithm-e1"


def test_a_hub_that_is_not_reached_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*arguments: object, **named: object) -> None:
        raise ConnectionError("no route\nto the hub")

    monkeypatch.setattr(datasets, "load_dataset", load)
    with pytest.raises(
        DataError, match="hf:stanford-crfm/i2s-latex/equation: cannot be loaded: no route"
    ) as raised:
        open_data("hf:stanford-crfm/i2s-latex")
    assert "\n" not in raised.value.message


def test_the_whole_benchmark_is_one_data_set_that_opens_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def load(path: str, name: str, *, split: str, revision: str | None) -> Any:
        asked.append((path.removeprefix("stanford-crfm/"), name))
        structure = site("index.html") if "webpage" in path else "x"
        return data_set([row(f"{path}-{name}", name, structure, picture("red"))])

    monkeypatch.setattr(datasets, "load_dataset", load)
    found = open_data("hf:i2s")
    assert [(instance.task, instance.subset) for instance in found.instances] == [
        *(("latex", name) for name in ("equation", "table", "plot", "algorithm")),
        *(("webpage", name) for name in ("css", "html", "javascript")),
        ("music", "music"),
    ]
    assert open_data(found.folder) == found
    asked.clear()
    some = open_data("hf:image2struct", subsets=["css", "wild"])
    assert asked == [
        ("image2struct-latex-v1", "wild"),
        ("image2struct-webpage-v1", "css"),
        ("image2struct-webpage-v1", "wild"),
    ]
    assert len(some.instances) == 3
    with pytest.raises(UnknownNameError, match="did you mean 'css'"):
        open_data("hf:i2s", subsets=["ccs"])
