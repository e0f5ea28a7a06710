import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.limits import Limits
from i2s_render_latex.document import complaint, continues, disk_complaint, preamble_of, without
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


PREAMBLE = b"\\documentclass{article}\n\\usepackage{amsmath}"


def test_preamble_ends_before_begin_document():
    assert preamble_of(PREAMBLE + b"\n\n\\begin{document}x\\end{document}") == PREAMBLE


def test_begin_document_on_the_last_line_of_the_preamble_is_found():
    assert preamble_of(PREAMBLE + b"\\begin{document}x") == PREAMBLE


def test_begin_document_in_a_comment_does_not_count():
    source = PREAMBLE + b"\n% \\begin{document}\n\\usepackage{x}\n\\begin{document}"
    assert preamble_of(source) == PREAMBLE + b"\n% \\begin{document}\n\\usepackage{x}"


def test_an_escaped_percent_is_no_comment():
    assert preamble_of(b"\\def\\a{\\%}\\begin{document}") == b"\\def\\a{\\%}"


def test_a_percent_after_a_line_break_command_is_a_comment():
    assert preamble_of(b"a\\\\% \\begin{document}\nb\n\\begin{document}") == b"a\\\\% \\begin{document}\nb"


def test_begin_document_in_filecontents_does_not_count():
    inner = b"\\begin{filecontents*}{a.tex}\n\\begin{document}\n\\end{filecontents*}\n"
    assert preamble_of(inner + PREAMBLE + b"\n\\begin{document}") == inner + PREAMBLE


def test_a_document_without_beginning_has_no_preamble():
    assert preamble_of(b"just text") is None


def test_a_format_serves_its_own_preamble():
    assert continues(PREAMBLE, PREAMBLE)


def test_a_format_serves_a_preamble_that_goes_on_with_commands():
    assert continues(PREAMBLE + b"\n\n% why\n\\usepackage{booktabs}", PREAMBLE)


def test_a_format_does_not_serve_a_preamble_that_goes_on_in_the_same_line():
    assert not continues(PREAMBLE + b"\\usepackage{booktabs}", PREAMBLE)


def test_a_format_does_not_serve_a_preamble_whose_next_line_is_an_argument():
    assert not continues(PREAMBLE + b"\n[2022/01/01]", PREAMBLE)
    assert not continues(PREAMBLE + b"\n%\n  12pt", PREAMBLE)


def test_a_format_does_not_serve_another_preamble():
    assert not continues(b"\\documentclass{report}", PREAMBLE)


def test_lines_of_the_format_become_comments_and_the_rest_keeps_its_numbers():
    source = PREAMBLE + b"\n\\usepackage{x}\n\\begin{document}\ntext"
    assert without(source, PREAMBLE) == b"%\n%\n\\usepackage{x}\n\\begin{document}\ntext"


def test_text_on_the_last_line_of_the_preamble_stays():
    assert without(PREAMBLE + b"\\begin{document}a", PREAMBLE) == b"%\n\\begin{document}a"


LINES = st.lists(st.sampled_from([b"\\usepackage{a}", b"% c", b"", b"\\def\\x{1}", b"\r"]), max_size=6)


@given(known=LINES, more=LINES, same_line=st.booleans())
def test_leaving_lines_out_never_moves_the_text(known, more, same_line):
    preamble = b"\\documentclass{a}\n" + b"\n".join(known)
    preamble = preamble.rstrip()
    joint = b"" if same_line and not preamble.rpartition(b"\n")[2].startswith(b"%") else b"\n"
    source = preamble + b"\n" + b"\n".join(more) + joint + b"\\begin{document}\nTEXT"
    kept = without(source, preamble)
    assert kept.count(b"\n") == source.count(b"\n")
    assert kept[: kept.index(b"TEXT")].count(b"\n") == source[: source.index(b"TEXT")].count(b"\n")
    assert kept.endswith(b"\\begin{document}\nTEXT")
    assert b"\\documentclass" not in kept
