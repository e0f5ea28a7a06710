"""A format gives the pixels of a cold run, byte for byte, or does not serve."""

import asyncio

import pytest

from i2s_render_latex.compile import compile_in
from i2s_render_latex.document import BEGIN, SOURCE
from i2s_render_latex.format_build import FormatError, build_format
from i2s_render_latex.model import LatexJob, Options
from i2s_sdk.tasks.latex.document import preamble as preamble_of
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import LatexEngine
from i2s_wire.render.rendering import Verdict
from i2s_wire.render.request import File
from latex_looks import LOOKS, SEES_NOTHING, SHOWN

pytestmark = [pytest.mark.integration, pytest.mark.asyncio(loop_scope="session")]

LONE_ALGORITHM = r"""
\begin{algorithm}[t]
\caption{Search}
\begin{algorithmic}[1]
\Require $x$
\While{$x > 0$} \State $x \gets x - 1$ \EndWhile
\end{algorithmic}
\end{algorithm}"""
TABLE = r"""
\begin{table}[b]\centering\caption{A table}
\begin{tabular}{lr}\toprule a & \multirow{2}{*}{1}\\ b & \\ \bottomrule\end{tabular}
\end{table}"""
BODIES = {
    "lone algorithm": LONE_ALGORITHM,
    "table at the foot": TABLE,
    "float between text": "Before." + TABLE + "After." + LONE_ALGORITHM,
    "wide float": "\\twocolumn " + TABLE.replace("{table}", "{table*}") + "Text.",
    "equation": r"\begin{align*} \int_0^1 \mathscr{L}(x)\,dx &= \mathbb{R}\end{align*}",
    "label and reference": r"\section{A}\label{s}\begin{equation}x\label{e}\end{equation} \ref{e} \ref{s}",
    "contents": r"\tableofcontents\listoftables\section{One}\subsection{Two}" + TABLE,
    "tikz": r"\begin{tikzpicture}\node (a) {a}; \node[right=of a] {b}; \draw (a)--(1,1);\end{tikzpicture}",
    "remembered picture": r"\tikz[remember picture,overlay]\draw (current page.center) circle (2cm);",
    "pgfplots": r"\begin{tikzpicture}\begin{axis}[legend pos=north west]\addplot[red]{x^2};\addlegendentry{a}"
    r"\end{axis}\end{tikzpicture}",
    "siunitx": r"\SI{1.5e3}{\metre\per\second} \begin{tabular}{S}1.25\\30.5\end{tabular}",
    "links": r"\href{http://localhost}{link} \url{http://localhost/a_b}",
    "listing": "\\begin{lstlisting}[language=Python]\nfor i in x: # no\n\\end{lstlisting}",
    "colours": r"\color{red}\pagecolor{yellow!20} x \colorbox{blue}{y}\newpage z",
    "long table": r"\begin{longtable}{ll} a & b\\ " + r"aaaa & b\\ " * 5 + r"\end{longtable}",
    "footnote and margin": r"a\footnote{b}\marginpar{c}",
    "accents": "Ünïcödé ß — “quotes” \\'e",
    "second page": "one\\newpage two",
    "empty first line": "\n\n\nx",
}
PREAMBLES = {
    "the known one": "",
    "more packages": "\\usepackage{cancel}\n\\usepackage{bm}\n\\newcommand\\x{1}\n",
    "blank lines and comments": "\n\n% a comment\n\n\\usepackage{enumitem}\n",
}


@pytest.fixture(params=["test", "draft"])
def known(engine, request):
    return next(one for one in engine.formats if one.name == request.param).preamble.decode()


@pytest.fixture
def draft(engine):
    return next(one for one in engine.formats if one.name == "draft").preamble.decode()


def jobs_of(engine, name):
    return next(one for one in engine.formats if one.name == name).jobs


def document(preamble, body):
    return f"{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n".encode()


async def both(engine, source, files=()):
    warm = await engine.render(LatexJob(source, files))
    cold = await engine.render(LatexJob(source, files, Options(cold=True)))
    return warm, cold


def pixels(rendering):
    return [picture.png for picture in rendering.pictures]


def bodies_with_formats():
    """Each body with one of the formats: two of three with ``test``, and all with both in the nightly run."""
    mark = pytest.mark.nightly(instead="the body with the other format")
    for place, name in enumerate(BODIES):
        yield pytest.param("test", name, id=f"test-{name}", marks=() if place % 3 else mark)
        yield pytest.param("draft", name, id=f"draft-{name}", marks=mark if place % 3 else ())


@pytest.mark.parametrize(("known", "name"), list(bodies_with_formats()), indirect=["known"])
async def test_format_and_cold_run_are_byte_identical(engine, known, name):
    warm, cold = await both(engine, document(known, BODIES[name]))
    assert warm.verdict is cold.verdict is Verdict.RENDERED
    assert (warm.stages[0].detail, cold.stages[0].detail) == ("format", "cold")
    assert pixels(warm) == pixels(cold)
    assert warm.total_pages == cold.total_pages


@pytest.mark.parametrize("name", PREAMBLES)
async def test_a_longer_preamble_is_served_and_byte_identical(engine, known, name):
    source = document(known + "\n" + PREAMBLES[name], BODIES["lone algorithm"] + BODIES["siunitx"])
    warm, cold = await both(engine, source)
    assert warm.stages[0].detail == "format"
    assert warm.verdict is Verdict.RENDERED
    assert pixels(warm) == pixels(cold)


async def test_text_on_the_line_of_begin_document_is_byte_identical(engine, known):
    warm, cold = await both(engine, (known + "\\begin{document}a $b$\\end{document}").encode())
    assert warm.stages[0].detail == "format"
    assert pixels(warm) == pixels(cold) != []


BEGINNINGS = {
    "on the same line": "\\begin{document}text\n",
    "after blanks": "\\begin{document}  \n  text\n",
    "after an empty line": "\\begin{document}\n\ntext\n",
    "after a comment": "\\begin{document}% c\n\n% d\n text\n",
    "spaced": "\\begin  {document}\\noindent text\n",
    "a float first": "\\begin{document}\\begin{figure}[t]x\\caption{c}\\end{figure}text\n",
    "a heading first": "\\begin{document}\n\\section*{A} text\n",
    "a display first": "\\begin{document}\n$$x$$\n",
    "twice": "\\begin{document}\\begin{document} text\n",
    "what is for the preamble": "\\begin{document}\n\\usepackage{bm} text\n",
}


@pytest.mark.parametrize("name", BEGINNINGS)
async def test_a_document_goes_on_behind_its_beginning_as_from_the_first_line(engine, draft, name):
    before = jobs_of(engine, "draft, begun")
    warm, cold = await both(engine, (draft + "\n" + BEGINNINGS[name] + "\\end{document}").encode())
    assert jobs_of(engine, "draft, begun") == before + 1
    assert (warm.verdict, warm.message, warm.error) == (cold.verdict, cold.message, cold.error)
    assert pixels(warm) == pixels(cold)


async def test_a_preamble_that_goes_on_has_not_begun(engine, draft):
    before = jobs_of(engine, "draft, begun")
    warm, cold = await both(engine, document(draft + "\n\\AtBeginDocument{begun}", "text"))
    assert jobs_of(engine, "draft, begun") == before
    assert pixels(warm) == pixels(cold) != []


async def test_a_preamble_whose_beginning_writes_a_file_serves_without_it(engine):
    assert {one.name for one in engine.formats if one.is_kept} == {"test", "draft", "draft, begun"}


@pytest.mark.parametrize(
    ("preamble", "reason"),
    [
        (b"\\documentclass{article}\\AtBeginDocument{text}", "typeset|prevdepth"),
        (b"\\documentclass{article}\\AtBeginDocument{\\vbox{}}", "typeset"),
        (b"\\documentclass{article}\\AtBeginDocument{\\newpage x\\newpage}", "typeset|into the PDF"),
        (b"\\documentclass{article}\\AtBeginDocument{\\begingroup}", "dump"),
        (b"\\documentclass{article}\\makeindex", "writes files"),
        (b"\\documentclass{article}\\usepackage{microtype}", "lpcode|rpcode|efcode|fontexpand|ligatures"),
        (b"\\documentclass{article}\\AtBeginDocument{\\lpcode\\font`a=900}", "lpcode"),
        (b"\\documentclass{article}\\def\\document{}", "Emergency stop|Undefined|typeset"),
    ],
)
async def test_a_beginning_that_no_format_can_hold_is_refused(engine, preamble, reason):
    with pytest.raises(FormatError, match=reason):
        await build_format(engine._jail, engine.installation, preamble + BEGIN)


def bodies_whose_second_run_is_saved():
    """Every fourth body with ``draft``, and all with both in the nightly run."""
    mark = pytest.mark.nightly(instead="other bodies; all of them are compared with a cold run")
    for place, name in enumerate(BODIES):
        yield pytest.param("draft", name, id=f"draft-{name}", marks=mark if place % 4 else ())
        yield pytest.param("test", name, id=f"test-{name}", marks=mark)


@pytest.mark.parametrize(("known", "name"), list(bodies_whose_second_run_is_saved()), indirect=["known"])
async def test_a_saved_second_run_would_have_changed_nothing(engine, known, name):
    job = LatexJob(document(known, BODIES[name]))
    rendering = await engine.render(job)
    async with engine._jail.cell(
        job.limits, {SOURCE: job.document}, readable=engine.installation.readable
    ) as cell:
        always = await compile_in(cell, LatexEngine.PDFLATEX, {}, None, None, 5, always_rerun=True)
        assert len(always.stages) >= 2
        again = await engine._draw(cell, job, always)
    assert pixels(again) == pixels(rendering)


async def test_documents_without_references_need_one_run(engine, known):
    for name in ("lone algorithm", "table at the foot", "equation", "tikz", "pgfplots"):
        rendering = await engine.render(LatexJob(document(known, BODIES[name])))
        assert [stage.name for stage in rendering.stages].count("compile") == 1, name


async def test_a_format_that_has_begun_costs_no_run_more(engine, draft):
    job = document(draft, BODIES["label and reference"])
    warm, cold = await both(engine, job)
    assert [stage.name for stage in warm.stages] == [stage.name for stage in cold.stages]


async def test_a_hot_preamble_gets_a_format_that_is_byte_identical(engine):
    preamble = "\\documentclass[11pt]{article}\n\\usepackage[margin=2cm]{geometry}\n\\usepackage{microtype}\n"
    source = document(preamble, "Some text, and more of it. " * 20)
    details = []
    async with asyncio.timeout(60):
        while "format" not in details:
            rendering = await engine.render(LatexJob(source))
            details.append(rendering.stages[0].detail)
    assert details[0] == "cold"
    cold = await engine.render(LatexJob(source, options=Options(cold=True)))
    assert pixels(rendering) == pixels(cold) != []


@pytest.mark.parametrize(
    ("preamble", "reason"),
    [
        (b"\\documentclass{article}\\nonesuch", "Undefined control sequence"),
        (b"\\documentclass{article}\\iffalse", "Incomplete"),
        (b"\\documentclass{article}\\begingroup", "dump"),
        (b"\\documentclass{article}\\immediate\\openout9=x.txt", "writes files"),
        (b"\\begin{filecontents}{a.tex}\nx\n\\end{filecontents}\n\\documentclass{article}", "writes files"),
        (b"\\documentclass{article}\\chardef\\x=\\pdfcolorstackinit page{0 g}", "colour stack"),
        (b"\\documentclass{article}\\pdfmapline{+x}", "pdfmapline"),
        (b"\\documentclass{article}\\immediate\\pdfobj{x}", "into the PDF"),
        (b"\\documentclass{article}\\usepackage{tikz}\\usetikzlibrary{fadings}", "into the PDF"),
        (b"\\documentclass{article}\\loop\\iftrue\\repeat", "limit"),
    ],
)
async def test_a_preamble_that_no_format_can_hold_is_refused(engine, preamble, reason, monkeypatch):
    from dataclasses import replace

    from i2s_render_latex import format_build

    limits = replace(format_build.LIMITS_OF_BUILD, cpu_seconds=3.0)
    monkeypatch.setattr(format_build, "LIMITS_OF_BUILD", limits)
    with pytest.raises(FormatError, match=reason):
        await build_format(engine._jail, engine.installation, preamble)


async def test_a_class_beside_the_document_is_not_hidden_by_a_format(engine, known):
    own = File("article.cls", b"\\LoadClass[twocolumn]{report}")
    job = LatexJob(document(known, "x"), (own,))
    rendering = await engine.render(job)
    assert rendering.stages[0].detail == "cold"


async def test_formats_of_a_former_start_are_used_again(engine):
    from i2s_render_latex.formats import FormatCache

    folder = next(iter(engine.formats)).path.parent
    again = FormatCache(folder, engine.installation.digest, 10**9)
    assert {one.key for one in again} == {one.key for one in engine.formats}


async def hot(engine, preamble, body):
    """Send documents with a preamble until it has a format of its own."""
    async with asyncio.timeout(120):
        while (await engine.render(LatexJob(document(preamble, body)))).stages[0].detail != "format":
            await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    ("sent_often", "goes_on"),
    [
        ("\\renewcommand{\\emph}[1]{FORGED}", "\n\\usepackage{array}"),
        ("\\newif\\ifdraft %", " of the other\n\\renewcommand{\\emph}[1]{mine}"),
        ("\\def\\x{a}\\relax", "\n\\def\\x{b}"),
    ],
    ids=["a new meaning", "an open comment", "the same beginning"],
)
async def test_the_hot_format_of_one_sender_serves_no_other_preamble(engine, sent_often, goes_on):
    hot_preamble = "\\documentclass{article}\n" + sent_often
    await hot(engine, hot_preamble, "\\emph{text}")
    warm, cold = await both(engine, document(hot_preamble + goes_on, "\\emph{text}"))
    assert warm.stages[0].detail == "cold"
    assert pixels(warm) == pixels(cold) != []
    plain = document("\\documentclass{article}", "\\emph{text}")
    warm, cold = await both(engine, plain)
    assert pixels(warm) == pixels(cold) != []


@pytest.mark.parametrize("name", ["pdflatex.fmt", "pdftex/pdflatex.fmt", "web2c/pdftex/pdflatex.fmt"])
@pytest.mark.parametrize("cold", [True, False])
async def test_a_format_beside_the_document_is_never_loaded(engine, known, name, cold):
    source = document(known, "x")
    (plain,) = pixels(await engine.render(LatexJob(source)))
    beside = File(name, b"not a format: TeX that loads this gives up at once")
    rendering = await engine.render(LatexJob(source, (beside,), Options(cold=cold)))
    assert rendering.verdict is Verdict.RENDERED, rendering.message
    assert pixels(rendering) == [plain]


async def test_pictures_that_are_too_many_bytes_together_are_an_output_limit(engine, known, monkeypatch):
    source, two = document(known, "one\\newpage two"), Options(page_count=2)
    rendering = await engine.render(LatexJob(source, options=two))
    sizes = [len(picture.png) for picture in rendering.pictures]
    assert len(sizes) == 2
    for most, verdict in ((sum(sizes), Verdict.RENDERED), (sum(sizes) - 1, Verdict.OUTPUT_LIMIT)):
        chosen = engine._settings.model_copy(update={"picture_bytes": most})
        monkeypatch.setattr(engine, "_settings", chosen)
        rendering = await engine.render(LatexJob(source, options=two))
        assert rendering.verdict is verdict
        assert bool(rendering.pictures) is (verdict is Verdict.RENDERED)


@pytest.mark.parametrize("name", LOOKS)
async def test_a_preamble_cannot_see_whether_others_have_made_it_hot(engine, name):
    preamble = "\\documentclass{article}\n" + LOOKS[name] + "\n" + SHOWN
    body = r"\ifdefined\later\later\fi\ \texttt{\detokenize\expandafter{\seen}} \texttt{\the\everyjob}"
    beside = (File("figure.png", b"x"), File("table.csv", b"x"))
    colds = {}
    for files in ((), beside):
        colds[files] = cold = await engine.render(
            LatexJob(document(preamble, body), files, Options(cold=True))
        )
        before = await engine.render(LatexJob(document(preamble, body), files))
        assert (before.verdict, pixels(before)) == (cold.verdict, pixels(cold))
    try:
        for head in (preamble.encode(), preamble.encode() + BEGIN):
            built = await build_format(engine._jail, engine.installation, head)
            engine._cache.write(head, built.dumped)
            engine._cache.add(head)
    except FormatError:
        pass
    for files, cold in colds.items():
        hot = await engine.render(LatexJob(document(preamble, body), files))
        assert (hot.verdict, pixels(hot)) == (cold.verdict, pixels(cold))
        assert hot.stages[0].detail == ("format" if name in SEES_NOTHING else "cold")


async def test_an_ordinary_preamble_is_not_ruled_out(engine):
    for preamble in (b"\\documentclass{article}\\usepackage{amsmath,graphicx,xcolor,geometry}",):
        for head in (preamble, preamble + BEGIN):
            assert (await build_format(engine._jail, engine.installation, head)).dumped


FADINGS = {
    "a path": r"\tikz\fill[blue,path fading=east] (0,0) rectangle (3,1);",
    "shadows": r"\tikz\node[circular drop shadow,circular glow={fill=red},fill=white,circle]{A};",
    "one of its own": r"\begin{tikzfadingfrompicture}[name=mine]"
    r"\shade[left color=transparent!0,right color=transparent!100] (0,0) rectangle (2,2);"
    r"\end{tikzfadingfrompicture}\tikz\fill[blue,path fading=mine,fit fading=false] (0,0) rectangle (2,2);",
}


@pytest.fixture(scope="module")
def of_the_profiles():
    return {profile: preamble_of(profile).encode().rstrip() for profile in Profile}


@pytest.mark.parametrize("profile", Profile)
async def test_the_preamble_of_each_profile_has_a_format(engine, of_the_profiles, profile):
    assert (await build_format(engine._jail, engine.installation, of_the_profiles[profile])).dumped


async def test_documents_of_the_profile_paper_begin_with_a_format_and_have_fadings(engine, of_the_profiles):
    head = of_the_profiles[Profile.PAPER]
    for one in (head, head + BEGIN):
        built = await build_format(engine._jail, engine.installation, one)
        engine._cache.write(one, built.dumped)
        engine._cache.add(one)
    for body in FADINGS.values():
        warm, cold = await both(engine, document(head.decode(), body))
        assert (warm.stages[0].detail, warm.verdict) == ("format", Verdict.RENDERED)
        assert pixels(warm) == pixels(cold) != []
