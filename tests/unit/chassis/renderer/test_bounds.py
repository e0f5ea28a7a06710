"""What is left of limits, what fits into them, and how much of a log is returned."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.jail import Excerpt, Usage
from i2s_chassis.limits import Limits
from i2s_chassis.renderer.bounds import (
    LEAST_SECONDS,
    ReceivedSource,
    bounded_log,
    check_name,
    check_names,
    disk_complaint,
    limits_left,
    shown,
    source_complaint,
    text_complaint,
)
from i2s_wire.render.request import File


def test_a_step_has_the_time_that_earlier_ones_have_left():
    left = limits_left(Limits(cpu_seconds=5, wall_seconds=15, pages=7), Usage(2.0, 1.0, waited_seconds=0.5))
    assert (left.cpu_seconds, left.wall_seconds, left.pages) == (4.0, 13.5, 7)


def test_spent_time_leaves_enough_to_say_so():
    left = limits_left(Limits(), Usage(1e9, 1e9))
    assert left.cpu_seconds == left.wall_seconds == LEAST_SECONDS


@pytest.mark.parametrize("size", [0, 1, 9, 10])
def test_a_long_log_has_as_much_as_asked_for(size):
    bounded = bounded_log(Excerpt(b"x" * 50, b"y" * 50, 1000), size)
    assert len(bounded.head) + len(bounded.tail) == size
    assert bounded.total_bytes == 1000


def test_a_short_log_stays_and_none_is_empty():
    short = Excerpt(b"words", b"", 5)
    assert bounded_log(short, 5) is short
    assert bounded_log(None, 5) == Excerpt(b"", b"", 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b" \n", "is empty"),
        (b"x" * 11, "has 11 bytes"),
        (b"abc\xff", "is not UTF-8: invalid start byte at byte 3"),
    ],
)
def test_a_text_that_no_engine_gets_is_named_by_its_field(text, words):
    assert text_complaint(text, "latex.document", 10).startswith(f"latex.document: {words}")


def test_a_good_text_is_no_complaint():
    assert text_complaint("ä".encode(), "latex.document", 10) is None


@pytest.mark.parametrize(
    ("entry", "files", "words"),
    [
        ("a.svg", [], 'generic.entry: "a.svg" is none of the files'),
        ("", [("a.svg", b"x")], 'generic.entry: "" is none of the files'),
        ("a", [("a", b"x"), ("a", b"y")], 'generic.files: the file name "a" stands twice'),
        ("../a", [("../a", b"x")], 'generic.files: the file name "../a" has the part ".."'),
        ("out", [("out", b"x")], 'generic.files: the file name "out" stands twice or is reserved'),
        ("a", [("a", b"\xff")], "generic.files: is not UTF-8"),
        ("a", [("a", b"x" * 11)], "generic.files: has 11 bytes"),
        ("a", [("a", b"x"), ("b", b"y" * 6)], 'generic.files: "b" has 6 bytes'),
        ("a", [("a", b"x"), ("b", b""), ("c", b""), ("d", b"")], "generic.files: has 3 files"),
    ],
)
def test_what_of_a_generic_source_no_engine_gets_is_named(entry, files, words):
    source = ReceivedSource("svg", entry, tuple(File(*file) for file in files))
    bounds = {"max_bytes": 10, "max_file_bytes": 5, "max_files": 2}
    assert source_complaint(source, ["out"], **bounds).startswith(words)


def test_a_generic_source_within_the_bounds_is_no_complaint():
    source = ReceivedSource("svg", "a", (File("b", b"12345"), File("a", b"1234567890")))
    assert source_complaint(source, ["out"], max_bytes=10, max_file_bytes=5, max_files=1) is None
    assert (source.text, source.contents) == (b"1234567890", {"b": b"12345", "a": b"1234567890"})


def test_files_count_by_blocks_and_folders_once():
    assert disk_complaint([b"x"], Limits(disk_bytes=4096), by_products=3).startswith("The source alone takes")
    paths = ["a/b", "a/c"]  # with "." and "a" four, and three by-products
    assert disk_complaint([b"", b""], Limits(inodes=7), by_products=3, paths=paths) is None
    assert "needs 7 files" in disk_complaint([b"", b""], Limits(inodes=6), by_products=3, paths=paths)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        (".", 'has the part "."'),
        ("..", 'has the part ".."'),
        ("a/../b", 'has the part ".."'),
        ("a/./b", 'has the part "."'),
        ("a//b", "has an empty part"),
        ("a/", "has an empty part"),
        ("a\0b", "holds a control character"),
        ("a\nb", "holds a control character"),
        ("a\x7fb", "holds a control character"),
        ("a\x9bb", "holds a control character"),
        ("a\\b", "holds a backslash"),
        ("x" * 256, "has a part longer than 255 bytes"),
        ("é" * 128, "has a part longer than 255 bytes"),
        ("/".join(["x" * 200] * 6), "is longer than 1024 bytes"),
        ("a\ud800", "is not valid Unicode"),
    ],
)
def test_name_is_refused(name, reason):
    assert check_name(name) == reason


@pytest.mark.parametrize(
    "name", ["a", "x" * 255, "é" * 127, "a b/ç/..c/.hidden", "~", "-rf", "C:", "a/b/c.png"]
)
def test_name_is_fine(name):
    assert check_name(name) is None


@pytest.mark.parametrize(
    ("names", "refused"),
    [
        (["a.png", "A.png"], "A.png"),
        (["straße", "STRASSE"], "STRASSE"),
        (["é", "e\u0301"], "e\u0301"),
        (["ﬁ", "FI"], "FI"),
        (["a/b.png", "A/B.png"], "A/B.png"),
    ],
)
def test_twins_in_case_or_normalisation_are_refused(names, refused):
    fault = check_names(names)
    assert fault.name == shown(refused)
    assert "case or Unicode normalisation" in fault.reason


def test_name_that_stands_twice_is_refused():
    assert "twice" in check_names(["a", "b", "a"]).reason


@pytest.mark.parametrize("names", [["a", "a/b"], ["a/b", "a"], ["a/b/c", "A/b"], ["a", "a-b", "a.b", "a/b"]])
def test_file_where_another_needs_a_folder_is_refused(names):
    assert "file and a folder" in check_names(names).reason


def test_reserved_names_are_taken():
    assert check_names(["Document.TEX"], reserved=["document.tex"]).name == "Document.TEX"
    assert check_names(["document.tex/x"], reserved=["document.tex"]).name == "document.tex/x"
    assert check_names(["other.tex"], reserved=["document.tex", "document.tex"]) is None


def test_folders_may_be_shared_and_names_may_share_a_beginning():
    assert check_names(["a/b", "a/c", "a/d/e", "ab", "a.b"]) is None


def test_name_in_a_message_is_printable_and_short():
    assert shown("a\x1b[31m\n" + "x" * 500).startswith("a\N{REPLACEMENT CHARACTER}[31m")
    assert len(shown("x" * 500)) == 80


segments = st.text(st.sampled_from("aAéß/.\u0301\u0130b"), max_size=8)


@given(st.lists(segments, max_size=8))
def test_names_that_pass_can_all_be_written_where_case_and_normalisation_do_not_count(names):
    if check_names(names) is not None:
        return
    folded = [unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()) for name in names]
    assert len(set(folded)) == len(names)
    folders = {"/".join(name.split("/")[:n]) for name in folded for n in range(1, name.count("/") + 1)}
    assert not folders & set(folded)


@given(st.lists(st.text(min_size=1, max_size=5), max_size=6))
def test_refusal_names_one_of_the_names(names):
    fault = check_names(names)
    assert fault is None or fault.name in {shown(name) for name in names}
