from i2s_render_latex.compile import is_inert

HYPERREF = r"""\relax
\providecommand\hyper@newdestlabel[2]{}
\providecommand\HyperFirstAtBeginDocument{\AtBeginDocument}
\HyperFirstAtBeginDocument{\ifx\hyper@anchor\@undefined
\global\let\oldnewlabel\newlabel
\gdef\newlabel#1#2{\newlabelxx{#1}#2}
\gdef\newlabelxx#1#2#3#4#5#6{\oldnewlabel{#1}{{#2}{#3}}}
\AtEndDocument{\ifx\hyper@anchor\@undefined
\let\newlabel\oldnewlabel
\fi}
\fi}
\global\let\hyper@last\relax
\gdef\HyperFirstAtBeginDocument#1{#1}
\providecommand\HyField@AuxAddToFields[1]{}
\providecommand\HyField@AuxAddToCoFields[2]{}
\gdef \@abspage@last{1}
"""
FILES = {"document.tex", "document.aux", "document.log", "document.pdf"}
ENTRY = "\\@writefile{lot}{\\contentsline {table}{\\numberline {1}{A table}}{1}{}\\protected@file@percent }\n"


def test_a_plain_aux_is_inert():
    assert is_inert("\\relax \n\\gdef \\@abspage@last{1}\n", FILES)


def test_the_aux_of_hyperref_is_inert():
    assert is_inert(HYPERREF, {*FILES, "document.out"})


def test_an_entry_of_a_list_that_is_not_printed_is_inert():
    assert is_inert("\\relax \n" + ENTRY, FILES)


def test_an_entry_of_a_list_that_is_printed_is_not():
    assert not is_inert("\\relax \n" + ENTRY, {*FILES, "document.lot"})


def test_a_label_is_not_inert():
    assert not is_inert("\\relax \n\\newlabel{a}{{1}{1}}\n", FILES)


def test_positions_of_pictures_are_not_inert():
    assert not is_inert("\\relax \n\\pgfsyspdfmark {pgfid1}{8799518}{39158278}\n", FILES)


def test_widths_of_a_long_table_are_not_inert():
    assert not is_inert("\\gdef \\LT@i {\\LT@entry \n    {1}{23.5pt}}\n", FILES)


def test_the_number_of_pages_of_a_long_document_is_not_inert():
    assert not is_inert("\\gdef \\@abspage@last{12}\n", FILES)


def test_a_file_of_the_documents_own_is_not_inert():
    assert not is_inert("\\relax \n", {*FILES, "answers.tex"})


def test_a_second_command_on_a_line_is_not_inert():
    assert not is_inert("\\relax \\newlabel{a}{{1}{1}}\n", FILES)
    assert not is_inert("\\@writefile{lot}{x}\\newlabel{a}{{1}{1}}\n", FILES)
