"""Hostile fragments: pandoc reads, writes and asks nothing of the host, and ends at its limits."""

from __future__ import annotations

import string
from dataclasses import replace
from itertools import pairwise

import pytest
import pytest_asyncio

from documents_attacked import LIMITS, MARK, TIERS, attacked
from i2s_documents.model import ConvertJob, RawFragment
from i2s_wire.documents import FragmentFormat
from i2s_wire.render.rendering import Verdict

pytestmark = [pytest.mark.security, pytest.mark.asyncio(loop_scope="session")]

LATEX, MARKDOWN = FragmentFormat.LATEX, FragmentFormat.MARKDOWN
SHORT = replace(LIMITS, cpu_seconds=1.0)


@pytest_asyncio.fixture(scope="module", loop_scope="session", params=TIERS)
async def under_attack(request):
    async with attacked(request.param) as found:
        yield found


def bomb(levels=12, width=8):
    """Macros that expand to ``width`` to the power of ``levels`` letters."""
    names = [f"\\bomb{letter}" for letter in string.ascii_letters[: levels + 1]]
    macros = (f"\\newcommand{name}{{{below * width}}}" for name, below in pairwise(names))
    return "".join(macros) + f"\\newcommand{names[-1]}{{x}}" + names[0]


def aliases(levels=9):
    """YAML metadata whose lists of lists have ten to the power of ``levels`` items."""
    lines = ["---", "a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{at}: &a{at} [{','.join([f'*a{at - 1}'] * 10)}]" for at in range(1, levels)]
    return "\n".join([*lines, "---", "", "text"])


@pytest.mark.parametrize(
    "attack",
    [
        "\\input{SECRET}",
        "\\input SECRET",
        "\\input{/proc/self/environ}",
        "\\input{/dev/stdin}",
        "\\input{fragment}",
        "\\include{SECRET}",
        "\\subfile{SECRET}",
        "\\usepackage{SECRET}",
        "\\verbatiminput{SECRET}",
        "\\lstinputlisting{SECRET}",
        "\\inputminted{text}{SECRET}",
        "\\bibliography{SECRET}",
        "\\includegraphics{SECRET}",
        "\\immediate\\write18{cat SECRET >FOLDER/stolen}",
        "\\openin5=SECRET \\read5 to \\x \\x",
        "\\newwrite\\x \\immediate\\openout\\x=FOLDER/written \\immediate\\write\\x{x}",
        "\\input{|cat SECRET}",
        "\\includegraphics{http://127.0.0.1:PORT/x.png}",
    ],
)
async def test_latex_reads_and_writes_no_file(under_attack, attack):
    await under_attack.convert(_aimed(attack, under_attack), LATEX)


@pytest.mark.parametrize(
    "attack",
    [
        "![](SECRET)",
        "![](file://SECRET) ![](http://127.0.0.1:PORT/x.png)",
        "<iframe src='file://SECRET'></iframe><script>fetch('http://127.0.0.1:PORT')</script>",
        "---\ntitle: x\nbibliography: SECRET\ncsl: SECRET\ninclude-before: [SECRET]\n---\n\n[@x]",
        "---\ntemplate: SECRET\nfilters: [SECRET]\ninput-files: [SECRET]\n---\n\nx",
        "```{=html}\n<!--#include file='SECRET'-->\n```",
        "```{include='SECRET'}\n```",
        "!include SECRET\n\n{{SECRET}}\n\n@SECRET\n",
        "\\input{SECRET}\n\n```{=latex}\n\\input{SECRET}\n```\n",
        "$$\\input{SECRET}$$ `\\input{SECRET}`{=tex}",
    ],
)
async def test_markdown_reads_no_file_and_asks_for_none(under_attack, attack):
    found = await under_attack.convert(_aimed(attack, under_attack), MARKDOWN)
    assert found.html is not None


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("[" * 40 + "x" + "]" * 40, MARKDOWN, {Verdict.TIME_LIMIT}),
        pytest.param(
            "[" * 1_000_000,
            MARKDOWN,
            {Verdict.MEMORY_LIMIT, Verdict.TIME_LIMIT},
            marks=pytest.mark.racing("pandoc needs 512 MiB and a CPU second at about the same time"),
        ),
        (">" * 100_000, MARKDOWN, {Verdict.TIME_LIMIT}),
        ("".join("  " * at + "- x\n" for at in range(900)), MARKDOWN, {Verdict.TIME_LIMIT}),
        (aliases(), MARKDOWN, {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}),
        ("\\begin{tabular}{l}" * 1000 + "x" + "\\end{tabular}" * 1000, LATEX, {Verdict.TIME_LIMIT}),
        (bomb(), LATEX, {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}),
        (bomb() + "\n", MARKDOWN, {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}),
        ("\\def\\x{x}" + "\\edef\\x{\\x\\x}" * 40 + "\\x", LATEX, {Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT}),
        ("\\newcommand\\a{\\a\\a}\\a", LATEX, {Verdict.COMPILE_ERROR}),
        ("\\begin{tabular}{ll} a & b", LATEX, {Verdict.COMPILE_ERROR}),
        pytest.param(
            "\\begin{a}" * 1000,
            LATEX,
            {Verdict.COMPILE_ERROR, Verdict.TIME_LIMIT},
            marks=pytest.mark.racing("pandoc refuses it after about a CPU second, which is the limit"),
        ),
        ("x" * 50_000_000, MARKDOWN, {Verdict.INVALID_INPUT}),
        (b"a\xed\xa0\x80b", MARKDOWN, {Verdict.INVALID_INPUT}),
        (b"\xff\xfe", LATEX, {Verdict.INVALID_INPUT}),
    ],
    ids=[
        "brackets",
        "a megabyte of brackets",
        "quotes",
        "lists",
        "aliases",
        "tables",
        "macros",
        "macros in Markdown",
        "doubling",
        "recursion",
        "unclosed table",
        "unclosed environments",
        "50 MB",
        "surrogate",
        "no UTF-8",
    ],
)
async def test_what_has_no_end_ends_at_a_limit_with_its_reason(under_attack, text, source, expected):
    found = await under_attack.convert(text, source, SHORT)
    assert found.verdict in expected, found.verdict
    assert found.html is None
    assert found.reason


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a\0b", MARKDOWN),
        ("a\0b", LATEX),
        ("<table><tr><td>" * 1000 + "x" + "</td></tr></table>" * 1000, MARKDOWN),
        ("> " * 500 + "x", MARKDOWN),
        ("\\begin{itemize}\\item " * 500 + "x" + "\\end{itemize}" * 500, LATEX),
        ("{" * 20_000 + "x" + "}" * 20_000, LATEX),
        ("*a **b " * 2000, MARKDOWN),
    ],
    ids=["NUL", "NUL in LaTeX", "HTML tables", "quotes", "lists", "braces", "stars"],
)
async def test_what_is_odd_and_small_is_converted(under_attack, text, source):
    assert (await under_attack.convert(text, source)).html


async def test_a_fragment_sees_nothing_of_the_one_before(under_attack):

    fragments = tuple(
        RawFragment(str(at), LATEX, text)
        for at, text in enumerate(
            (f"\\newcommand\\x{{{MARK}}}\\x".encode(), b"\\x", b"\\input{fragment.html}")
        )
    )
    done = await under_attack.converter.convert(ConvertJob(fragments, LIMITS))
    assert [MARK in (one.html or "") for one in done.converted] == [True, False, False]


def _aimed(attack, under_attack):
    secret = under_attack.secret
    aimed = attack.replace("SECRET", str(secret)).replace("FOLDER", str(secret.parent))
    return aimed.replace("PORT", str(under_attack.port))
