"""What the files of an instance hold."""

import io
import tarfile
from pathlib import Path

import pytest

from i2s_sdk.data.folder import read_content
from i2s_sdk.errors import DataError
from i2s_sdk.instances.instance import Asset, Instance


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "site.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in (("index.html", b"x"), ("img/a.png", b"p")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    (tmp_path / "reference.png").write_bytes(b"r")
    (tmp_path / "b.png").write_bytes(b"q")
    return path


def _instance(site: Path | None, task: str = "webpage", assets: tuple[Asset, ...] = ()) -> Instance:
    folder = site.parent if site else Path()
    return Instance("i", task, "css", folder / "reference.png", structure=site, assets=assets, text="t")


def test_assets_come_from_the_archive_or_from_the_folder(site: Path) -> None:
    content = read_content(
        _instance(site, assets=(Asset("img/a.png"), Asset("b.png", site.parent / "b.png")))
    )
    assert content.site == {"index.html": b"x", "img/a.png": b"p"}
    assert content.assets == {"img/a.png": b"p", "b.png": b"q"}
    assert (content.reference, content.structure, content.text) == (b"r", None, "t")


def test_an_asset_that_is_nowhere_is_a_fault_of_the_data(site: Path) -> None:
    with pytest.raises(DataError, match=r"asset 'c\.png' of instance 'i' is not in the archive"):
        read_content(_instance(site, assets=(Asset("c.png"),)))


@pytest.mark.parametrize("name", ["../a", "/a", "", "a\\b"])
def test_an_asset_that_leads_elsewhere_is_a_fault_of_the_data(site: Path, name: str) -> None:
    with pytest.raises(DataError, match="not a path inside"):
        read_content(_instance(site, assets=(Asset(name),)))


def test_the_structure_of_other_tasks_is_text(site: Path) -> None:
    (site.parent / "a.ly").write_text("{ c }")
    content = read_content(
        Instance("i", "music", "music", site.parent / "reference.png", structure=site.parent / "a.ly")
    )
    assert (content.structure, content.site) == ("{ c }", None)


def test_a_broken_archive_is_a_fault_of_the_data_with_its_name(site: Path) -> None:
    site.write_bytes(b"no archive")
    with pytest.raises(DataError, match=r"site\.tar\.gz"):
        read_content(_instance(site))
