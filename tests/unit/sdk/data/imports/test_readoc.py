"""Folders of PDF documents with gold Markdown, to a data set."""

from pathlib import Path

import huggingface_hub
import pytest

from i2s_sdk.data.check import check
from i2s_sdk.data.folder import read_content, read_folder
from i2s_sdk.data.imports.items import Imported, ImportRequest
from i2s_sdk.data.imports.readoc import import_readoc
from i2s_sdk.errors import DataError, UsageError
from i2s_sdk.instances.instance import Instance
from i2s_wire.bounds import DOCUMENT_BYTES
from linked_out import link_out

PDF = b"%PDF-1.5\n% the rest is not read here\n"


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def published(folder: Path) -> Path:
    for subset, identity in (("arxiv", "0709.4466"), ("arxiv", "1004.3799"), ("github", "37300")):
        put(folder / subset / "pdf" / f"{identity}.pdf", PDF + identity.encode())
        put(folder / subset / "markdown" / f"{identity}.md", f"# {identity}\n".encode())
    return folder


def lay(source: Path | str, out: Path) -> Imported:
    return import_readoc(ImportRequest((str(source),), out))


def found(out: Path) -> dict[str, Instance]:
    assert check(out).faults == ()
    return {instance.id: instance for instance in read_folder(out).instances}


def test_the_published_layout(tmp_path: Path) -> None:
    put(tmp_path / "in" / "README.md", b"About the data.")
    assert lay(published(tmp_path / "in"), tmp_path / "out") == Imported(3)
    instances = found(tmp_path / "out")
    assert {name: instance.subset for name, instance in instances.items()} == {
        "0709.4466": "arxiv", "1004.3799": "arxiv", "37300": "github",
    }  # fmt: skip
    one = instances["37300"]
    assert read_content(one).structure == "# 37300\n"
    assert one.files["document"].read_bytes() == PDF + b"37300"


def test_a_folder_that_is_a_subset_itself(tmp_path: Path) -> None:
    lay(published(tmp_path / "in") / "github", tmp_path / "out")
    assert {one.subset for one in found(tmp_path / "out").values()} == {"github"}


def test_pairs_side_by_side_have_the_name_of_their_folder_as_subset(tmp_path: Path) -> None:
    put(tmp_path / "manuals" / "a.PDF", PDF + b"a")
    put(tmp_path / "manuals" / "a.md", b"text")
    put(tmp_path / "manuals" / "READOC-Zenodo" / "b.pdf", PDF + b"b")
    put(tmp_path / "manuals" / "READOC-Zenodo" / "b.md", b"text")
    assert lay(tmp_path / "manuals", tmp_path / "out") == Imported(2)
    assert {name: one.subset for name, one in found(tmp_path / "out").items()} == {
        "a": "manuals", "b": "zenodo",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("arxiv/pdf/x.pdf", PDF, "has no gold text"),
        ("arxiv/markdown/x.md", b"text", "has no PDF document"),
        ("arxiv/pdf/0709.4466.pdf", b"<html>", "is no PDF document"),
        ("arxiv/pdf/0709.4466.pdf", b"", "0709.4466.pdf: is empty"),
        ("arxiv/markdown/0709.4466.md", b" \n", "the gold text is empty"),
        ("arxiv/markdown/0709.4466.md", b"\xff\xfe", "the gold text is not UTF-8"),
        ("other/37300.pdf", PDF, "has no gold text"),
    ],
)
def test_a_document_that_is_wrong_is_left_out_and_named(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    put(published(tmp_path / "in") / name, content)
    done = lay(tmp_path / "in", tmp_path / "out")
    (left_out,) = done.left_out
    assert said in left_out
    assert len(found(tmp_path / "out")) == done.instances >= 2


@pytest.mark.parametrize("name", ["pdf/37300.pdf", "markdown/37300.md"])
def test_no_file_outside_of_the_folder_is_read(tmp_path: Path, name: str) -> None:
    link_out(published(tmp_path / "in") / "github" / name, tmp_path / "private")
    done = lay(tmp_path / "in", tmp_path / "out")
    assert done.instances == 2
    assert f"{name.rpartition('/')[2]} lies outside" in done.left_out[0]


def test_two_documents_of_one_name_are_told(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        put(tmp_path / "in" / folder / "x.pdf", PDF)
        put(tmp_path / "in" / folder / "x.md", b"text")
    assert "is that of an earlier item" in lay(tmp_path / "in", tmp_path / "out").left_out[0]


def test_a_file_that_is_too_large_is_left_out(tmp_path: Path) -> None:
    with (published(tmp_path / "in") / "github" / "pdf" / "37300.pdf").open("r+b") as file:
        file.truncate(DOCUMENT_BYTES + 1)  # sparse
    (left_out,) = lay(tmp_path / "in", tmp_path / "out").left_out
    assert f"{DOCUMENT_BYTES} are allowed" in left_out


def test_what_cannot_be_imported_at_all(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no PDF document"):
        lay(tmp_path / "empty", tmp_path / "out")
    with pytest.raises(DataError, match="is not a folder"):
        lay(tmp_path / "missing", tmp_path / "out")
    with pytest.raises(UsageError, match="must be hf:OWNER/NAME"):
        lay("hf:READoc", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_repository_is_downloaded_by_the_library_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's folder of a snapshot stands in for the hub: links to files named by their content."""
    asked = {}
    repository = tmp_path / "datasets--lazyc--READoc"
    blobs, snapshot = repository / "blobs", repository / "snapshots" / "c0ffee"
    for number, path in enumerate(sorted(published(tmp_path / "in").rglob("*.*"))):
        put(blobs / str(number), path.read_bytes())
        link = snapshot / path.relative_to(tmp_path / "in")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(blobs / str(number))

    def download(repository: str, **options: object) -> str:
        asked.update(options, repository=repository)
        return str(snapshot)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    assert lay("hf:lazyc/READoc@v1", tmp_path / "out") == Imported(3)
    assert (asked["repository"], asked["repo_type"], asked["revision"]) == ("lazyc/READoc", "dataset", "v1")
    assert found(tmp_path / "out")["37300"].provenance == {"source": "hf:lazyc/READoc@v1"}


def test_a_download_that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(*args: object, **options: object) -> str:
        raise ConnectionError("no route\nto the hub")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    with pytest.raises(DataError, match="cannot be downloaded: no route to the hub"):
        lay("hf:lazyc/READoc", tmp_path / "out")


def test_validation_looks_into_documents(tmp_path: Path) -> None:
    lay(published(tmp_path / "in"), tmp_path / "out")
    document = read_folder(tmp_path / "out").instances[0].files["document"]
    document.write_bytes(b"no longer")
    (fault,) = check(tmp_path / "out").faults
    assert (fault.line, "is no PDF document" in fault.message) == (1, True)
