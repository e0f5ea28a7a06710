"""What the Ruby process says is read with care."""

import json

import pytest

from i2s_render_html.jekyll import BuildCause
from i2s_render_html.jekyll.answer import BuildAnswer, describe, read_answer, read_versions, sass_warnings


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"{",
        b"[]",
        b"null",
        b'{"built": 1}',
        b'{"built": "true"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"built": true}{"built": true}',
        b'{"ready": true}',
    ],
)
def test_what_is_no_answer_is_none(raw):
    assert read_answer(raw, "/w") is None


def test_an_answer_is_read():
    raw = json.dumps(
        {"built": False, "kind": "K", "message": "in /w/site/x.md", "file": "/w/site/y", "line": 4}
    )
    assert read_answer(raw.encode(), "/w") == BuildAnswer(False, "K", "in site/x.md", "site/y", 4)


def test_warnings_are_printable_and_bounded():
    raw = json.dumps({"built": True, "warnings": ["a\nb\0", 3, "", *["x" * 1000] * 100]}).encode()
    warnings = read_answer(raw, "/w").warnings
    assert warnings[0] == "a b\N{REPLACEMENT CHARACTER}"
    assert len(warnings) <= 20
    assert max(map(len, warnings)) == 300


def test_warnings_name_files_within_the_site():
    said = "YAML Exception reading /w/site/a/b.md: (<unknown>): no values at line 2"
    shared = "Conflict: \x1b[36m/w/out/same.html\x1b[0m - a.md - b.md"
    raw = json.dumps({"built": True, "warnings": [said, shared, said], "left_out": ["no theme"]}).encode()
    answer = read_answer(raw, "/w")
    assert answer.warnings == (
        "YAML Exception reading a/b.md: no values at line 2",
        "Conflict: same.html - a.md - b.md",
    )
    assert answer.left_out == ("no theme",)


def test_warnings_of_style_sheets_are_read_from_the_log():
    log = """Configuration file: none
WARNING: careful
         on line 1:7 of site/css/a.scss

site/css/a.scss:2 DEBUG: x
DEPRECATION WARNING on line 8 of site/css/a.scss:
!global assignments
of new variables

   WARNING: of Jekyll
"""
    assert sass_warnings(log, "site") == (
        "WARNING: careful on line 1:7 of css/a.scss",
        "DEPRECATION WARNING on line 8 of css/a.scss: !global assignments of new variables",
    )


@pytest.mark.parametrize("warnings", [None, "text", 3, {"a": "b"}])
def test_warnings_that_are_none_are_dropped(warnings):
    raw = json.dumps({"built": True, "warnings": warnings}).encode()
    assert read_answer(raw, "/w") == BuildAnswer(True)


@pytest.mark.parametrize(
    "raw", [b"", b"ready\n", b"[]", b'{"ready": 1}', b'{"ready": true}', b'{"ready": true, "versions": []}']
)
def test_a_process_that_says_anything_else_is_not_ready(raw):
    assert read_versions(raw) is None


def test_the_versions_of_gems_are_read():
    raw = b'{"ready": true, "versions": {"jekyll": "4.3.1", "odd": 3}}\n'
    assert read_versions(raw) == {"jekyll": "4.3.1"}


@pytest.mark.parametrize("line", [True, 0, -1, 10**9, "4", 1.5, None, [1]])
def test_a_line_that_is_none_is_dropped(line):
    raw = json.dumps({"built": False, "kind": 3, "message": [], "line": line}).encode()
    assert read_answer(raw, "/w") == BuildAnswer(False)


@pytest.mark.parametrize(
    ("kind", "cause"),
    [
        ("NoMemoryError", BuildCause.MEMORY_LIMIT),
        ("Errno::ENOSPC", BuildCause.OUTPUT_LIMIT),
        ("Errno::EFBIG", BuildCause.OUTPUT_LIMIT),
        ("Errno::EAGAIN", BuildCause.PROCESS_LIMIT),
        ("Liquid::SyntaxError", BuildCause.FAILED),
        ("SystemStackError", BuildCause.FAILED),
    ],
)
def test_errors_of_ruby_about_limits_are_limits(kind, cause):
    assert BuildAnswer(False, kind).cause is cause


def test_a_liquid_error_has_file_and_line_of_the_whole_file():
    answer = BuildAnswer(False, "Liquid::SyntaxError", "Liquid syntax error (line 2): Unknown tag 'foo'")
    log = "\x1b[31m  Liquid Exception: Liquid syntax error (line 2): Unknown tag 'foo' in a/b.md\x1b[0m\n"
    error = describe(answer, log, "site", {"a/b.md": b"---\ntitle: x\n---\n\n{% foo %}"})
    assert error.message == "Liquid syntax error (line 6): Unknown tag 'foo'"
    assert (error.file, error.line) == ("a/b.md", 6)


def test_the_file_that_was_read_is_the_one_at_fault():
    answer = BuildAnswer(
        False, "Psych::SyntaxError", "(<unknown>): bad at line 2 column 1", "site/_data/x.yml", 2
    )
    error = describe(answer, "", "site", {"_data/x.yml": b"---\na: [\n---\n"})
    assert (error.message, error.file, error.line) == ("bad at line 2 column 1", "_data/x.yml", 2)


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"x", 1),
        (b"---\n---\nx", 3),
        (b"---\n---\n\n \nx", 5),
        (b"---\na: b\n...\nx", 4),
        (b"---\nno end", 1),
        (b"--- \r\n--- \r\nx", 3),
        (b"---x\n---\n", 1),
        (b"---\n" + b"\n" * 10**6, 1),
    ],
)
def test_lines_are_counted_from_the_top_of_the_file(content, line):
    answer = BuildAnswer(False, "Liquid::SyntaxError", "bad (line 1)")
    assert describe(answer, "Liquid Exception: bad in i.md", "site", {"i.md": content}).line == line


def test_the_folder_is_cut_off_names_and_nothing_else():
    answer = BuildAnswer(False, "E", 'line 1 of site/x.scss, "site/y", mysite/z and a/site/b')
    assert describe(answer, "", "site", {}).message == 'line 1 of x.scss, "y", mysite/z and a/site/b'


def test_messages_are_one_printable_line_of_bounded_length():
    error = describe(BuildAnswer(False, "E", "\x1b[31mx\ny\x00\x07" + "z" * 5000), "", "site", {})
    assert error.message.isprintable()
    assert len(error.message) == 1000


def test_an_error_without_words_is_named():
    assert describe(BuildAnswer(False, "SystemStackError"), "", "site", {}).message == "SystemStackError"
    assert describe(BuildAnswer(False), "", "site", {}).message == "Jekyll gave no reason"
