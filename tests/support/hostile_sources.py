"""Hostile sources for each renderer with the verdicts that are permitted, and a good source for each."""

from i2s_wire.render.request import LatexSource, LilypondSource, PythonSource, SiteSource
from i2s_wire.renderers import RENDER_SVG, RENDER_TYPST


def latex(body):
    preamble = "\\documentclass{article}\\usepackage{verbatim,tikz}"
    return LatexSource(f"{preamble}\\begin{{document}}{body}\\end{{document}}".encode())


def lilypond(text):
    return LilypondSource(f'\\version "2.24.0"\n{text}'.encode())


def plot(text):
    return PythonSource(f"import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n{text}\n".encode())


def site(body):
    return SiteSource({"index.html": f"<!doctype html><h1>Site</h1>{body}".encode()}, {}, "")


def svg(body, size=60):
    text = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">{body}</svg>'
    return RENDER_SVG.source_of(text.encode())


def typst(text):
    return RENDER_TYPST.source_of(text.encode())


GOOD = {
    "render-latex": latex("Good $\\sum_i x_i$"),
    "render-lilypond": lilypond("{ c'4 e' g' c'' }"),
    "render-html": site("<p>Good</p>"),
    "render-python": plot("plt.title('Good')"),
    "render-svg": svg('<text x="2" y="20">Good</text>'),
    "render-typst": typst("Good $sum_i x_i$"),
}
ENDED = {"TIME_LIMIT", "MEMORY_LIMIT", "PROCESS_LIMIT", "OUTPUT_LIMIT", "PAGE_LIMIT", "PIXEL_LIMIT"}
DIED = {"CRASHED", "COMPILE_ERROR"}
REFUSED = {"COMPILE_ERROR", "NO_OUTPUT", "RENDERED", "RENDERED_WITH_ERRORS"}

ENDLESS_MEMORY = "#(let loop ((l '())) (loop (cons (make-vector 1000000 0) l))) { c }"
WORKERS = "for(let i=0;i<8;i++)new Worker(URL.createObjectURL(new Blob(['for(;;);'])))"
HOARD = "let l=[];for(;;)l.push(new Uint8Array(1e8).fill(1))"

TURBULENCE = '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="100000"/></filter>'

ATTACKS = {
    "render-latex": {
        "reads a file of the container": (latex("\\verbatiminput{/etc/passwd}"), REFUSED),
        "runs a shell": (latex("\\immediate\\write18{id > /tmp/owned}x"), REFUSED),
        "loops": (latex("\\loop\\iftrue\\repeat"), ENDED),
        "doubles": (latex("\\def\\a{x}\\loop\\edef\\a{\\a\\a}\\iftrue\\repeat"), ENDED | REFUSED),
        "ships pages without end": (latex("\\loop\\hbox{x}\\newpage\\iftrue\\repeat"), ENDED),
        "draws for ever": (
            latex("\\tikz\\foreach \\i in {1,...,100000000} \\draw (0,0)--(0,1);"),
            ENDED | REFUSED,
        ),
    },
    "render-lilypond": {
        "reads a file of the container": (lilypond('#(display (ly:gulp-file "/etc/passwd")) { c }'), REFUSED),
        "runs a program": (lilypond('#(system "id > /tmp/owned") { c }'), REFUSED),
        "kills its parent": (lilypond("#(kill (getppid) SIGKILL) { c }"), REFUSED | {"CRASHED"}),
        "forks without end": (
            lilypond("#(let loop () (primitive-fork) (loop)) { c }"),
            ENDED | DIED | REFUSED,
        ),
        "loops": (lilypond("#(let loop () (loop)) { c }"), ENDED),
        "takes all memory": (lilypond(ENDLESS_MEMORY), ENDED | DIED),
    },
    "render-python": {
        "reads a file of the container": (plot("print(open('/etc/passwd').read())"), REFUSED),
        "runs a program": (
            plot("import subprocess; subprocess.run(['/bin/sh', '-c', 'id > /tmp/owned'])"),
            REFUSED,
        ),
        "kills its parent": (plot("import os; os.kill(os.getppid(), 9)"), REFUSED | {"CRASHED"}),
        "forks without end": (plot("import os\nwhile True: os.fork()"), ENDED | DIED | REFUSED),
        "loops": (plot("while True: pass"), ENDED),
        "takes all memory": (
            plot("import numpy\nheld = []\nwhile True: held.append(numpy.ones(1 << 24))"),
            ENDED | DIED,
        ),
    },
    "render-html": {
        "asks for metadata of a cloud": (site("<img src='http://169.254.169.254/latest'>"), REFUSED),
        "shows a file of the container": (site("<iframe src='file:///etc/passwd'></iframe>"), REFUSED),
        "loops": (site("<script>for(;;);</script>"), ENDED),
        "spins in workers": (site(f"<script>{WORKERS}</script>"), ENDED | REFUSED),
        "takes all memory": (site(f"<script>{HOARD}</script>"), ENDED | REFUSED | DIED),
    },
    "render-svg": {
        "loops": (svg(f'{TURBULENCE}<rect filter="url(#f)" width="100%" height="100%"/>', 2000), ENDED),
        "is too large": (svg('<rect width="9" height="9"/>', 100_000), {"PIXEL_LIMIT"}),
        "reads a file of the container": (svg('<image href="/etc/passwd" width="9" height="9"/>'), REFUSED),
        "shows nothing": (svg(""), {"NO_OUTPUT"}),
    },
    "render-typst": {
        "loops": (typst("#for i in range(100000) { for j in range(100000) {} }"), ENDED),
        "takes all memory": (
            typst('#let t = "abcdefgh"\n#let i = 0\n#while i >= 0 { t += t; i += 1 }'),
            ENDED | DIED,
        ),
        "has many pages": (typst("#for i in range(60) [x #pagebreak()]"), {"PAGE_LIMIT"}),
        "is too large": (typst("#set page(width: 300cm, height: 300cm)\nx"), {"PIXEL_LIMIT"}),
        "reads a file of the container": (typst('#read("/etc/passwd")'), {"COMPILE_ERROR"}),
    },
}
