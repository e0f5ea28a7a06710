"""What a job says it has read is the word of a job."""

from pathlib import Path

import pytest

from i2s_render_latex.document import BEGIN
from i2s_render_latex.format_build import (
    FormatError,
    dump_of,
    files_read,
    refuse_other_dumps,
    refuse_what_is_lost,
)
from i2s_render_latex.programs import compile_command, dump_command
from i2s_wire.render.options import LatexEngine


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "plain.sty").write_text("\\def\\x{1}")
    (tmp_path / "tree" / "fonts.sty").write_text("\\lpcode\\font`a=900")
    (tmp_path / "secret.sty").write_text("\\def\\x{1}")
    return tmp_path / "tree"


def test_a_file_is_read_once_however_it_is_spelt():
    record = b"PWD /x\nINPUT /a/b.sty\nINPUT /a//b.sty\nINPUT /a/./b.sty\nOUTPUT /c\nINPUT /a/\0b.sty\n"
    assert files_read(record) == [Path("/a/b.sty")]


def test_files_of_the_trees_that_leave_fonts_alone_are_no_hindrance(tree):
    refuse_what_is_lost([tree / "plain.sty", Path("document.tex")], True, [tree])


def test_a_file_that_changes_fonts_rules_out_what_has_begun_alone(tree):
    refuse_what_is_lost([tree / "fonts.sty"], False, [tree])
    with pytest.raises(FormatError, match=r"fonts\.sty uses .lpcode"):
        refuse_what_is_lost([tree / "fonts.sty"], True, [tree])


@pytest.mark.parametrize("name", ["../secret.sty", "sub/../../secret.sty", "/dev/zero.sty", "other.tex"])
def test_nothing_outside_of_the_trees_is_opened(tree, name):
    claimed = Path(name) if name == "other.tex" else tree / name
    with pytest.raises(FormatError, match="not of the installation"):
        refuse_what_is_lost([claimed], True, [tree])


def test_a_file_that_is_not_there_is_told(tree):
    with pytest.raises(FormatError, match="cannot be read"):
        refuse_what_is_lost([tree / "none.sty"], True, [tree])


@pytest.mark.parametrize("begun", [True, False])
def test_a_font_map_rules_out_both_but_for_the_other_names_of_fonts(tree, begun):
    refuse_what_is_lost([tree / "texfonts.map"], begun, [tree])
    with pytest.raises(FormatError, match="font map"):
        refuse_what_is_lost([tree / "more.map"], begun, [tree])


REPORT = "\\font\\OT1/cmr/m/n/10=cmr10\n\\font\\z=ec-lmr10 at 7.0pt\n0 words of pdfTeX memory\n"


def test_the_report_of_our_own_dump_is_no_hindrance():
    refuse_other_dumps("This is pdfTeX\nproof\n" + REPORT, "proof")


@pytest.mark.parametrize("log", [REPORT, "**proof\n" + REPORT, "proofs\n" + REPORT])
def test_a_dump_without_our_proof_is_refused(log):
    with pytest.raises(FormatError, match="dumps itself"):
        refuse_other_dumps("This is pdfTeX\n" + log, "proof")


@pytest.mark.parametrize(
    ("report", "reason"),
    [
        ("256 words of pdfTeX memory\n", "codes of fonts"),
        ("", "codes of fonts"),
        ("\\font\\x=cmr10+20\n" + REPORT, "cmr10.20"),
        ("\\font\\x=cmr10-5 at 7.0pt\n" + REPORT, "cmr10-5"),
        ("\\font\\x=cmr10+100ls\n" + REPORT, "cmr10.100ls"),
        ("\\font\\x=///...cmr10 at 7.0pt\n" + REPORT, "///...cmr10"),
        ("\\font\\" + "x" * 9990 + "=cmr10\n+20\n" + REPORT, "too long"),
    ],
)
def test_a_font_that_no_format_holds_is_seen_in_the_report(report, reason):
    with pytest.raises(FormatError, match=reason):
        refuse_other_dumps("This is pdfTeX\nproof\n" + report, "proof")


def test_the_head_stands_at_the_beginning_of_the_source():
    assert dump_of(b"\\documentclass{a}\n% end").source.startswith(b"\\documentclass{a}\n% end\n\\")


def test_a_head_that_has_begun_is_dumped_on_the_line_of_its_beginning():
    head = b"\\documentclass{a}" + BEGIN
    assert dump_of(head).source.removeprefix(head).count(b"\n") == 1


def test_no_name_can_be_guessed():
    first, second = dump_of(b"a"), dump_of(b"a")
    assert "itwos" not in first.definition + first.source.decode()
    assert first.source != second.source
    assert "\n" not in first.definition


def test_both_commands_forbid_shell_and_first_line_and_begin_random_numbers_alike():
    for line in (compile_command(LatexEngine.PDFLATEX, None), dump_command(dump_of(b"x").definition)):
        assert {"-no-shell-escape", "-no-parse-first-line", "-halt-on-error"} <= set(line)
        assert line[-1].startswith(r"\pdfsetrandomseed 1 ")


def test_a_format_is_dumped_at_the_lowest_priority_and_a_document_compiled_at_its_own():
    assert dump_command(dump_of(b"x").definition)[:4] == ["nice", "-n", "19", "pdftex"]
    assert "nice" not in compile_command(LatexEngine.PDFLATEX, None)


def test_no_name_leads_to_another_and_the_proof_stands_at_the_dump():
    dump = dump_of(b"a")
    end = dump.source.decode().rpartition("\\")[2].strip()
    assert dump.definition.count(dump.proof) == 1
    assert dump.proof not in dump.source.decode()
    assert dump.definition.count(end[:12]) == dump.definition.count(end)
