from i2s_render_latex.format_source import source
from i2s_render_latex.split import BEGIN
from i2s_render_latex.tex import compile_command, dump_command


def test_the_preamble_stands_verbatim_on_lines_of_its_own():
    assert b"\n\\documentclass{a}\n% end\n\\itwosdump\n" in source(b"\\documentclass{a}\n% end")


def test_a_head_that_has_begun_is_dumped_on_the_line_of_its_beginning():
    text = source(b"\\documentclass{a}" + BEGIN)
    assert text.endswith(b"\n\\documentclass{a}\n\\begin{document}\\itwosbegun\n")


def test_both_commands_forbid_shell_and_first_line_and_begin_random_numbers_alike():
    for line in (compile_command(None), dump_command()):
        assert {"-no-shell-escape", "-no-parse-first-line", "-halt-on-error"} <= set(line)
        assert line[-1].startswith(r"\pdfsetrandomseed 1 ")
