import pytest
from hypothesis import given
from hypothesis import strategies as st

from i2s_chassis.jail import PolicyEvent, PolicyKind
from i2s_render_latex.log import first_error, in_document, read_log, refusals
from i2s_render_latex.source_error import diagnose
from i2s_wire.render.source_error import ErrorKind

UNDEFINED = r"""This is pdfTeX
(./document.tex
./document.tex:2: Undefined control sequence.
l.2 a \toprule
               b
Here is how much of TeX's memory you used:
./document.tex:2:  ==> Fatal error occurred, no output PDF file produced!
"""

ENVIRONMENT = r"""./document.tex:7: LaTeX Error: Environment tabularx undefined.

See the LaTeX manual or LaTeX Companion for explanation.
Type  H <return>  for immediate help.
 ->\errmessage  LaTeX Error: Environment tabularx undefined.

l.7 \begin{tabularx}
                    {1cm}{X} a \end{tabularx}
"""

FILE = r"""! LaTeX Error: File `nonexist.sty' not found.

Type X to quit or <RETURN> to proceed,
or enter new name. (Default extension: sty)

Enter file name:
./document.tex:3: Emergency stop.
<read *>

l.3 \begin
          {document}^^M
"""

IN_A_MACRO = r"""./document.tex:5: Undefined control sequence.
\foo ->\bar@y
              x
l.5 \section{abc \foo
                     }
"""

PACKAGE = """./document.tex:4: Package amsmath Error: \\bar allowed only
(amsmath)                in math mode.

See the amsmath package documentation for explanation.
l.4 x
"""

TEXMF = r"""/usr/share/texlive/texmf-dist/tex/latex/a/a.sty:12: Undefined control sequence.
l.12 \wrong

"""

OUTPUT = "[1{/var/lib/x.map}] [2] [3]\nOutput written on document.pdf (3 pages, 1234 bytes).\n"


def test_undefined_command_has_its_name_line_and_context():
    error = first_error(UNDEFINED)
    assert (error.message, error.line, error.file) == ("Undefined control sequence.", 2, "")
    assert (error.command, error.context) == ("toprule", r"a \toprule")


def test_command_undefined_inside_a_macro_is_that_of_the_macro():
    error = first_error(IN_A_MACRO)
    assert error.command == "bar@y"
    assert error.context == r"\section{abc \foo"


def test_message_of_latex_has_no_decoration():
    error = first_error(ENVIRONMENT)
    assert error.message == "LaTeX Error: Environment tabularx undefined."
    assert (error.line, error.context) == (7, r"\begin{tabularx}")


def test_missing_file_is_the_error_and_not_the_emergency_stop_after_it():
    error = first_error(FILE)
    assert error.message == "LaTeX Error: File `nonexist.sty' not found."
    assert error.line == 3


def test_lines_of_a_packages_message_are_joined():
    assert first_error(PACKAGE).message == r"Package amsmath Error: \bar allowed only in math mode."


def test_error_in_an_installed_file_names_it():
    error = first_error(TEXMF)
    assert (error.file, error.line) == ("a.sty", 12)


def test_error_in_a_file_beside_the_document_keeps_its_path():
    assert first_error("./parts/one.tex:3: Missing $ inserted.\n").file == "parts/one.tex"


def test_emergency_stop_alone_is_the_error():
    assert first_error("(./document.tex)\n! Emergency stop.\n<*> x\n").message == "Emergency stop."


@pytest.mark.parametrize(
    ("document", "line", "message"),
    [
        (b"\\begin{document}\nx\n\n", 2, r"Emergency stop. The document ends without \end{document}."),
        (b"\\documentclass{article}", 1, r"Emergency stop. The document ends without \begin{document}."),
        (b"", 1, r"Emergency stop. The document ends without \begin{document}."),
    ],
)
def test_a_document_that_ends_too_early_lacks_what_tex_waits_for(document, line, message):
    stopped = first_error("(./document.tex)\n! Emergency stop.\n<*> \\input document.tex\n")
    error = in_document(stopped, document)
    assert (error.message, error.line) == (message, line)
    assert diagnose(error).kind is ErrorKind.SYNTAX


def test_a_document_whose_end_is_not_read_has_something_open():
    stopped = first_error("! Emergency stop.\n<*> \\input document.tex\n")
    error = in_document(stopped, b"\\begin{document}\\begin{lstlisting}\n\\end{document}\n")
    assert "is not closed" in error.message
    assert error.line == 2


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (r"File ended while scanning use of \textbf .", 3),
        (r"Incomplete \iffalse; all text was ignored after line 2.", 2),
    ],
)
def test_an_error_at_the_end_of_the_document_has_its_last_line_or_the_one_that_it_names(message, line):
    found = first_error(f"! {message}\n<inserted text>\n                \\par\n<*> \\input document.tex\n")
    error = in_document(found, b"a\nb\nc\n")
    assert (error.message, error.line) == (message, line)


def test_an_error_elsewhere_keeps_its_line():
    error = first_error(UNDEFINED)
    assert in_document(error, b"a") == error


def test_an_emergency_within_the_document_is_not_its_end():
    error = first_error("./document.tex:3: Emergency stop.\n<read *>\n\nl.3 \\x\n")
    assert in_document(error, b"a") == error


def test_what_pdftex_itself_complains_of_is_an_error():
    error = first_error("(./document.tex\n!pdfTeX error: pdflatex (file ./a.png): libpng: internal error\n")
    assert error.message == "pdfTeX error: pdflatex (file ./a.png): libpng: internal error"


def test_log_without_error_has_none():
    assert first_error("This is pdfTeX\nLaTeX Warning: a: 5: b\nOverfull \\hbox [1] x!\n") is None


def test_pages_are_those_of_the_finished_output():
    facts = read_log(OUTPUT)
    assert (facts.pages, facts.is_dvi, facts.has_no_pages) == (3, False, False)


def test_shipped_pages_are_counted_without_finished_output():
    assert read_log("[1{a}] [2] [3]\n[4] (file [5]").shipped == 5
    assert read_log("[1{a}] [2]").pages == 0


def test_output_as_dvi_is_seen():
    assert read_log("Output written on document.dvi (1 page, 2 bytes).\n").is_dvi


def test_no_pages_of_output_is_seen():
    assert read_log("\nNo pages of output.\n").has_no_pages


@pytest.mark.parametrize("more", ["", "; no  extended check"], ids=["TeX Live 2022", "TeX Live 2024"])
def test_refusals_are_policy_events(more):
    text = (
        f"pdflatex: Not reading from /etc/passwd (openin_any = p{more}).\n" * 2
        + f"\npdflatex: Not writing to ../x.tex (openout_any = p{more}).\nrunsystem(ls -l)...disabled.\n"
    )
    assert set(refusals(text)) == {
        PolicyEvent(PolicyKind.FILE_READ, "/etc/passwd", 2),
        PolicyEvent(PolicyKind.FILE_WRITE, "../x.tex", 1),
        PolicyEvent(PolicyKind.EXECUTE, "ls -l", 1),
    }


def test_asking_for_the_null_device_is_no_attempt():
    text = (
        "pdflatex: Not reading from /dev/null (openin_any = p).\n"
        "pdflatex: Not writing to /dev/null (openout_any = p).\n"
        "pdflatex: Not reading from /dev/nullx (openin_any = p).\n"
    )
    assert refusals(text) == (PolicyEvent(PolicyKind.FILE_READ, "/dev/nullx", 1),)


@given(st.text(max_size=400))
def test_any_log_can_be_read(text):
    facts = read_log(text)
    assert facts.shipped >= facts.pages >= 0
    refusals(text)


@given(before=st.text(alphabet="ab (){}[]\n", max_size=200))
def test_what_stands_before_the_first_error_does_not_hide_it(before):
    assert first_error(before + "\n" + UNDEFINED).command == "toprule"
