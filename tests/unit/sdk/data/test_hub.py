"""Names of data sets of Hugging Face."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest

from i2s_sdk.data.hub import HubName, asset_names, parse_hub_name, plain, read_row
from i2s_sdk.errors import UsageError
from i2s_sdk.instances import site_files
from i2s_sdk.instances.site_files import read_tar


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("hf:stanford-crfm/i2s-latex", HubName("stanford-crfm/i2s-latex", "latex")),
        ("hf:stanford-crfm/i2s-musicsheet", HubName("stanford-crfm/i2s-musicsheet", "music")),
        (
            "hf:stanford-crfm/i2s-webpage/css@abc",
            HubName("stanford-crfm/i2s-webpage", "webpage", subsets=("css",), revision="abc"),
        ),
        ("hf:me/mine?task=latex", HubName("me/mine", "latex")),
        ("hf:/data/i2s-webpage", HubName("/data/i2s-webpage", "webpage", local=True)),
        ("hf:/data/copy?task=music", HubName("/data/copy", "music", local=True)),
    ],
)
def test_a_name_says_repository_subset_revision_and_task(name: str, found: HubName) -> None:
    assert parse_hub_name(name) == (found,)


@pytest.mark.parametrize("name", ["hf:i2s", "hf:image2struct"])
def test_the_whole_benchmark_has_a_name(name: str) -> None:
    assert [one.task for one in parse_hub_name(name)] == ["latex", "webpage", "music"]


def test_a_folder_of_the_working_folder_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my" / "latex-copy").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert parse_hub_name("hf:my/latex-copy")[0].local


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hf:", "hf:OWNER/NAME"),
        ("hf:i2s-latex", "hf:i2s is the whole benchmark"),
        ("hf:a/b/c/d", "hf:OWNER/NAME"),
        ("hf:me/mine", r"\?task=latex"),
        ("hf:me/mine?task=latx", "did you mean 'latex'"),
        ("hf:me/mine?tsk=latex", "hf:OWNER/NAME"),
    ],
)
def test_a_name_of_no_data_set_is_told(name: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_hub_name(name)


PNG = b"\x89PNG\r\n\x1a\n and so on"
GOOD: dict[str, Any] = {
    "uuid": '"5f0c"',
    "category": '"equation"',
    "difficulty": "easy",
    "image": {"bytes": PNG, "path": "a.png"},
    "structure": r"\begin{equation}x\end{equation}",
    "text": '"quoted"',
    "assets": [],
    "download_url": '"https://example.org/1"',
}


def _archive(*members: tuple[str, bytes] | tarfile.TarInfo) -> str:
    raw = io.BytesIO()
    with tarfile.open(
        fileobj=raw, mode="w:gz", format=tarfile.GNU_FORMAT, errors="surrogateescape"
    ) as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    return base64.b64encode(raw.getvalue()).decode()


def _special(kind: bytes, name: str, target: str = "/etc/passwd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def test_quotes_of_metadata_go_and_those_of_texts_stay() -> None:
    row = read_row(GOOD, "latex", "equation")
    assert (row.id, row.subset, row.source, row.text) == (
        "5f0c",
        "equation",
        "https://example.org/1",
        '"quoted"',
    )
    assert row.structure == GOOD["structure"].encode()
    assert (row.image, row.image_suffix) == (PNG, ".png")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("", None),
        ('""', None),
        ("null", None),
        ('"a"', "a"),
        ("a", "a"),
        ('"a', "a"),
        (r'"\u00e9"', "é"),
    ],
)
def test_metadata_are_read_as_they_were_dumped(value: str | None, text: str | None) -> None:
    assert plain(value) == text


def test_a_wild_row_has_a_picture_and_nothing_else() -> None:
    row = read_row(
        {"uuid": "w1", "category": '"wild"', "image": GOOD["image"], "structure": None}, "webpage", "wild"
    )
    assert (row.structure, row.text, row.assets, row.difficulty) == (None, None, (), "")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"uuid": None}, "uuid"),
        ({"uuid": '"a\\u0000b"'}, "uuid"),
        ({"uuid": "x" * 300}, "uuid"),
        ({"image": None}, "no image"),
        ({"image": {"bytes": None, "path": "/etc/passwd"}}, "only its path"),
        ({"image": {"bytes": b"<svg/>", "path": "a.png"}}, "neither PNG"),
        ({"structure": 7}, "not a text"),
    ],
)
def test_a_row_that_is_not_what_it_should_be_is_told(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_row({**GOOD, **change}, "latex", "equation")


def test_assets_are_the_pictures_of_the_repository() -> None:
    structure = _archive(
        ("index.html", b"x"),
        ("img/b.PNG", b"b"),
        ("a.svg", b"a"),
        ("_site/a.png", b"made"),
        (".cache/c.png", b"hidden"),
        (".git/objects/x.png", b"git"),
        ("docs/readme.txt", b"t"),
    )
    row = read_row({**GOOD, "structure": structure}, "webpage", "css")
    assert row.assets == ("a.svg", "img/b.PNG")
    assert row.structure == base64.b64decode(structure)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_left_out_of_an_archive_and_told(kind: bytes) -> None:
    structure = _archive(("index.html", b"x"), _special(kind, "logo.png"), ("a.png", b"a"))
    row = read_row({**GOOD, "structure": structure}, "webpage", "css")
    assert row.left_out == ("logo.png",)
    assert row.assets == ("a.png",)
    assert row.structure is not None
    assert read_tar(row.structure) == {"index.html": b"x", "a.png": b"a"}


def test_a_name_that_is_no_utf8_is_left_out() -> None:
    structure = _archive(("index.html", b"x"), ("caf\udce9.png", b"a"))
    row = read_row({**GOOD, "structure": structure}, "webpage", "css")
    assert (row.left_out, row.assets) == (("caf?.png",), ())


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/x", "a/../../x", "a\\..\\x"])
def test_an_archive_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"archive name .* is not a path inside"):
        read_row({**GOOD, "structure": _archive(("index.html", b"x"), (name, b"evil"))}, "webpage", "css")


def test_a_bomb_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_files, "MAX_BYTES", 1_000_000)
    bomb = base64.b64encode(gzip.compress(bytes(50_000_000))).decode()
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_row({**GOOD, "structure": bomb}, "webpage", "css")


def test_an_archive_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_files, "MAX_FILES", 10)
    many = _archive(*((f"{number}.txt", b"") for number in range(11)))
    with pytest.raises(ValueError, match="holds more than 10 files"):
        read_row({**GOOD, "structure": many}, "webpage", "css")


@pytest.mark.parametrize(("structure", "said"), [("not base64!", "not base64"), ("QUJD", "not an archive")])
def test_what_is_no_archive_is_refused(structure: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_row({**GOOD, "structure": structure}, "webpage", "css")


def test_a_picture_beside_the_index_page_is_an_asset_even_with_a_dot_in_front() -> None:
    # The reference implementation leaves out folders with a dot, not files.
    assert asset_names({".hidden.png": b"", "index.html": b""}) == (".hidden.png",)
