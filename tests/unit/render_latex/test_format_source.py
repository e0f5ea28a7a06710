from i2s_render_latex.format_source import dump_of
from i2s_render_latex.split import BEGIN
from i2s_render_latex.tex import compile_command, dump_command
from i2s_wire.render.options import LatexEngine


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
