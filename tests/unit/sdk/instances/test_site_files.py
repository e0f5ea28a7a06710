"""Archives of unknown origin."""

import gzip
import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from i2s_sdk.instances import site_files
from i2s_sdk.instances.site_files import read_site_folder, read_tar, read_zip


def tar(*members: tuple[str, bytes] | tarfile.TarInfo, compress: bool = True) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                info = tarfile.TarInfo(member[0])
                info.size = len(member[1])
                archive.addfile(info, io.BytesIO(member[1]))
    # The time is left out: archives are names of cases, which must be the same in every process of the tests.
    return gzip.compress(raw.getvalue(), mtime=0) if compress else raw.getvalue()


def special(kind: bytes, name: str = "a", target: str = "/etc/passwd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize("compress", [True, False])
def test_files_are_read_by_relative_name(compress: bool) -> None:
    raw = tar(("./index.html", b"x"), special(tarfile.DIRTYPE, "css"), ("css/a.css", b"y"), compress=compress)
    assert read_tar(raw) == {"index.html": b"x", "css/a.css": b"y"}


def test_a_folder_around_everything_is_taken_off_where_the_index_page_is_in_it() -> None:
    assert read_tar(tar(("site/index.html", b"x"), ("site/a/b.css", b"y"))) == {
        "index.html": b"x",
        "a/b.css": b"y",
    }
    assert read_tar(tar(("css/a.css", b"y"))) == {"css/a.css": b"y"}
    assert set(read_tar(tar(("site/index.html", b"x"), ("readme", b"y")))) == {"site/index.html", "readme"}


def test_version_control_is_left_out() -> None:
    assert read_tar(tar((".git/config", b"x"), ("index.html", b"y"))) == {"index.html": b"y"}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_refused_by_name(kind: bytes) -> None:
    with pytest.raises(ValueError, match=r"'evil'.*link or a device"):
        read_tar(tar(("index.html", b"x"), special(kind, "evil")))


@pytest.mark.parametrize("name", ["/etc/passwd", "../a", "a/../../b", "a\\b", "."])
def test_names_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a path inside"):
        read_tar(tar((name, b"x")))


def test_what_unpacks_to_too_much_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_files, "MAX_BYTES", 1_000_000)
    bomb = gzip.compress(bytes(50_000_000))
    with pytest.raises(ValueError, match="unpacks to more than 1000000 bytes"):
        read_tar(bomb)


def test_too_many_and_too_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_files, "MAX_FILES", 3)
    with pytest.raises(ValueError, match="more than 3 files"):
        read_tar(tar(*((str(number), b"") for number in range(4))))
    monkeypatch.setattr(site_files, "MAX_FILE_BYTES", 10)
    with pytest.raises(ValueError, match="'big' has 11 bytes"):
        read_tar(tar(("big", bytes(11))))


@pytest.mark.parametrize("raw", [b"", b"no archive", b"\x1f\x8b broken", tar(("a", b"x" * 5000))[:60]])
def test_what_is_no_archive_is_told(raw: bytes) -> None:
    with pytest.raises(ValueError, match="is not an archive of a site"):
        read_tar(raw)


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return raw.getvalue()


def test_a_zip_file_is_read_with_the_same_rules() -> None:
    assert read_zip(zipped(("site/index.html", b"x"))) == {"index.html": b"x"}
    with pytest.raises(ValueError, match="not a path inside"):
        read_zip(zipped(("../a", b"x")))
    link = zipfile.ZipInfo("evil")
    link.external_attr = 0o120777 << 16
    with pytest.raises(ValueError, match="link or a device"):
        read_zip(zipped((link, b"/etc/passwd")))
    with pytest.raises(ValueError, match="is not a zip file"):
        read_zip(b"PK\x03\x04 broken")


def test_a_zip_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_files, "MAX_FILE_BYTES", 1000)
    with pytest.raises(ValueError, match="more than 1000"):
        read_zip(zipped(("a", bytes(100_000))))


def test_a_folder_is_read_without_following_links(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("x")
    (tmp_path / "index.html").write_text("x")
    (tmp_path / "css" / "a.css").write_text("y")
    assert read_site_folder(tmp_path) == {"index.html": b"x", "css/a.css": b"y"}
    os.symlink("/etc/passwd", tmp_path / "evil")
    with pytest.raises(ValueError, match="link or a device"):
        read_site_folder(tmp_path)
