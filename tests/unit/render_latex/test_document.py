import pytest

from i2s_chassis.limits import Limits
from i2s_render_latex.document import complaint, disk_complaint
from i2s_wire.render.request import File

GOOD = b"\\documentclass{article}\\begin{document}x\\end{document}"


def check(document=GOOD, files=()):
    beside = tuple(File(*file) for file in files)
    return complaint(document, beside, max_bytes=200, max_file_bytes=50, max_files=3)


def test_a_good_document_has_no_complaint():
    assert check(files=[("a.png", b"x"), ("data/b.csv", b"y")]) is None


@pytest.mark.parametrize("document", [b"", b" \n\t\n"])
def test_an_empty_document_is_named(document):
    assert check(document).startswith("latex.document: is empty")


def test_invalid_utf8_is_named_with_its_place():
    assert check(b"abc\xff") == "latex.document: is not UTF-8: invalid start byte at byte 3"


def test_a_large_document_is_named_with_its_size():
    assert check(b"x" * 201) == "latex.document: has 201 bytes, at most 200 are taken"


def test_a_large_file_is_named_with_its_size():
    assert check(files=[("a.png", b"x" * 51)]) == 'latex.files: "a.png" has 51 bytes, at most 50 are taken'


def test_too_many_files_are_counted():
    assert "has 4 files, at most 3" in check(files=[(f"{n}.png", b"") for n in range(4)])


@pytest.mark.parametrize(
    "name",
    ["", "/etc/passwd", "../x", "a/../b", "a\0b", "a\\b", "document.tex", "Document.AUX", "document.fmt"],
)
def test_a_bad_or_reserved_name_is_refused(name):
    assert check(files=[(name, b"")]).startswith("latex.files: the file name")


def test_a_name_that_stands_twice_is_refused():
    assert check(files=[("a.png", b"1"), ("a.png", b"2")]) is not None
    assert check(files=[("a.png", b"1"), ("A.png", b"2")]) is not None


def test_a_source_that_fills_the_disk_alone_is_told():
    files = (File("a.png", b"x" * 9000),)
    assert disk_complaint(GOOD, files, Limits(disk_bytes=100_000)) is None
    assert "bytes on disk" in disk_complaint(GOOD, files, Limits(disk_bytes=16_384))


def test_folders_of_the_files_count_as_files():
    files = (File("a/b/c.png", b""),)
    assert disk_complaint(GOOD, files, Limits(inodes=8)) is None
    assert "files and folders" in disk_complaint(GOOD, files, Limits(inodes=7))
