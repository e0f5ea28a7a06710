"""The first error of a log, in the forms that LilyPond 2.24 writes them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_render_lilypond.log import first_error
from i2s_wire.render.source_error import ErrorKind, Undefined

UNKNOWN = r"""Processing `score.ly'
Parsing...
score.ly:2:6: error: unknown escaped string: `\foo'
{ c4@
     \foo d h4 }
score.ly:2:13: error: not a note name: h
fatal error: failed files: "score.ly"
""".replace("@", " ")
GUILE = """score.ly:2:2: error: Guile signaled an error for the expression beginning here
#
 (foo 1)
Unbound variable: foo
"""


def test_the_first_error_comes_with_line_context_and_missing_name():
    error = first_error(UNKNOWN)
    assert (error.line, error.file, error.context) == (2, "", "{ c4")
    assert (error.kind, error.undefined) == (ErrorKind.UNDEFINED_COMMAND, Undefined("foo"))
    assert error.message == "unknown escaped string: `\\foo'"


def test_an_error_in_scheme_comes_with_what_guile_said():
    error = first_error(GUILE)
    assert error.message.endswith("beginning here: Unbound variable: foo")
    assert error.context == "#(foo 1)"
    assert (error.kind, error.undefined) == (ErrorKind.UNDEFINED_COMMAND, Undefined("foo"))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("score.ly:1:6: error: syntax error, unexpected ','", ErrorKind.SYNTAX),
        ("score.ly:1:6: error: cannot find file: `x.ly'", ErrorKind.UNDEFINED_FILE),
        ("error: program too old: 2.24.3 (file requires: 2.26.0)", ErrorKind.CONFLICT),
        ("score.ly:1:1: fatal error: something else", ErrorKind.OTHER),
    ],
)
def test_kinds_are_told_by_the_words(line, kind):
    assert first_error(line).kind is kind


@pytest.mark.parametrize(
    ("log", "context"),
    [
        (
            "fatal error: cannot find file: `a.eps' (load path: `/opt/ly:/opt/ps:', cwd: `/i2s-work/job6')\n",
            "",
        ),
        (
            "score.ly:2:9: error: cannot find file: `a.eps'\n(search path: `/opt/x/ly:/opt/x/ps:')\n"
            '\\include\n        "a.eps" { c1 }\n',
            "\\include",
        ),
    ],
)
def test_a_missing_file_is_named_without_the_folders_that_were_searched(log, context):
    error = first_error(log)
    assert error.message == "cannot find file: `a.eps'"
    assert (error.undefined, error.context) == (Undefined("a.eps"), context)


def test_an_error_without_a_place_has_line_zero():
    assert first_error("error: program too old: 2.24.3").line == 0


def test_an_error_in_an_included_file_names_it():
    assert first_error("/usr/share/x/ly/init.ly:3:1: error: oops").file == "init.ly"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "score.ly:2: warning: no \\version statement found",
        "programming error: impossible\ncontinuing, cross fingers",
        'fatal error: failed files: "score.ly"',
        "Success: compilation successfully completed",
    ],
)
def test_warnings_and_the_aftermath_are_no_errors(text):
    assert first_error(text) is None


@given(st.text(alphabet="er:o \n#1.lys", max_size=200))
def test_any_text_is_read(text):
    error = first_error(text)
    assert error is None or error.message
