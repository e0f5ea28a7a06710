"""Every renderer as the contract sees it, see ``i2s_chassis.contract``."""

import os
from pathlib import Path

from i2s.render.v1 import render_pb2 as pb
from i2s_chassis.contract import Renderer, generic_source
from i2s_wire.renderers import (
    RENDER_HTML,
    RENDER_LATEX,
    RENDER_LILYPOND,
    RENDER_PYTHON,
    RENDER_SVG,
    RENDER_TYPST,
)
from pillow_renderer.spec import RENDER_PILLOW

#: Where the module of the renderer of the tests is, and the modules of its processes are found.
SUPPORT = Path(__file__).parent
ENVIRONMENT = {"PYTHONPATH": os.pathsep.join(filter(None, (str(SUPPORT), os.environ.get("PYTHONPATH"))))}

SHORT, LONG = pb.Limits(cpu_seconds=1), pb.Limits(cpu_seconds=20)
NO_CUT = pb.RenderOptions(page=pb.PageOptions(cut_bottom=1))
PREAMBLE = b"\\documentclass{article}\n\\usepackage{amsmath}\n"


def _program(text):
    return pb.PythonSource(program=text.encode())


def _drawn(width, height):
    return f"from PIL import Image\nImage.new('RGB', ({width}, {height}), 'teal').save('page.png')\n"


def _pillow(text):
    return generic_source(RENDER_PILLOW, text)


PILLOW = Renderer(
    spec=RENDER_PILLOW,
    module="pillow_renderer",
    environment=ENVIRONMENT,
    engine="pillow",
    good=_pillow(_drawn(4, 3)),
    broken=(_pillow("import nothing_such\n"), pb.VERDICT_COMPILE_ERROR),
    endless=_pillow("while True:\n    pass\n"),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_pillow("while True:\n    pass\n"), SHORT),
        pb.VERDICT_MEMORY_LIMIT: (
            _pillow("held = []\nwhile True:\n    held.append(b'x' * (64 << 20))\n"),
            LONG,
        ),
        pb.VERDICT_OUTPUT_LIMIT: (
            _pillow("with open('x', 'wb') as file:\n    while True:\n        file.write(b'x' * (1 << 20))\n"),
            LONG,
        ),
        pb.VERDICT_PROCESS_LIMIT: (_pillow("import os\nwhile True:\n    os.fork()\n"), LONG),
        pb.VERDICT_PIXEL_LIMIT: (_pillow(_drawn(9000, 9000)), LONG),
        pb.VERDICT_CRASHED: (_pillow("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"), LONG),
        pb.VERDICT_NO_OUTPUT: (_pillow("print('no picture')\n"), LONG),
        pb.VERDICT_INVALID_INPUT: (_pillow(" \n"), LONG),
    },
    refused=[(NO_CUT, "options.page.cut_bottom")],
    reads_file=lambda path: _pillow(f"print(open({path!r}).read())\n" + _drawn(5, 5)),
    calls_port=lambda port: _pillow(
        f"import socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=5)\n" + _drawn(5, 5)
    ),
    leaves_process=lambda marker: _pillow(
        "import subprocess, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', {marker!r}],"
        " start_new_session=True)\n" + _drawn(5, 5)
    ),
    surrogate=(
        _pillow(
            "import sys\nsys.stderr.buffer.write('a\\ud800b'.encode('utf-8', 'surrogatepass'))\n"
            + _drawn(5, 5)
        ),
        pb.VERDICT_RENDERED,
    ),
    arguments=lambda folder: ["--jail-uid-base", "63000"],
)


def _document(body):
    return pb.LatexSource(document=PREAMBLE + f"\\begin{{document}}{body}\\end{{document}}".encode())


def _latex_arguments(folder):
    from latex_state import lay_out_state

    lay_out_state(folder)
    preamble = folder / "amsmath.tex"
    preamble.write_bytes(PREAMBLE)
    return ["--state-dir", str(folder), "--preamble", str(preamble), "--jail-uid-base", "63300"]


LATEX = Renderer(
    spec=RENDER_LATEX,
    engine="pdftex",
    good=_document("Good $x$"),
    broken=(_document("\\undefined"), pb.VERDICT_COMPILE_ERROR),
    endless=_document("\\loop\\iftrue\\repeat"),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_document("\\loop\\iftrue\\repeat"), SHORT),
        pb.VERDICT_OUTPUT_LIMIT: (
            _document("\\immediate\\openout5=x \\loop\\immediate\\write5{words}\\iftrue\\repeat"),
            pb.Limits(cpu_seconds=20, file_bytes=1 << 20),
        ),
        pb.VERDICT_PAGE_LIMIT: (_document("\\loop x\\newpage\\iftrue\\repeat"), SHORT),
        pb.VERDICT_PIXEL_LIMIT: (_document("\\pdfpagewidth=16383pt\\pdfpageheight=16383pt x"), LONG),
        pb.VERDICT_NO_OUTPUT: (_document("\\thispagestyle{empty}\\null"), LONG),
        pb.VERDICT_INVALID_INPUT: (pb.LatexSource(document=b" \n"), LONG),
    },
    options=("latex",),
    refused=[
        (NO_CUT, "options.page.cut_bottom"),
        (pb.RenderOptions(latex=pb.LatexOptions(max_runs=99)), "options.latex.max_runs"),
    ],
    reads_file=lambda path: _document(f"x\\IfFileExists{{{path}}}{{found \\input{{{path}}}}}{{missing}}"),
    surrogate=(_document("\\errmessage{a^^ed^^a0^^80b}"), pb.VERDICT_COMPILE_ERROR),
    arguments=_latex_arguments,
)


def _score(music):
    return pb.LilypondSource(score=f'\\version "2.24.0"\n{music}\n'.encode())


LILYPOND = Renderer(
    spec=RENDER_LILYPOND,
    engine="lilypond",
    good=_score("{ c'4 }"),
    broken=(_score("{ c'4 d'"), pb.VERDICT_COMPILE_ERROR),
    endless=_score("#(let loop () (loop))"),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_score("#(let loop () (loop))"), SHORT),
        pb.VERDICT_MEMORY_LIMIT: (
            _score("#(let loop ((kept '())) (loop (cons (make-vector 1000000 0) kept)))"),
            LONG,
        ),
        pb.VERDICT_OUTPUT_LIMIT: (
            _score('#(let loop () (display "abcdefghijklmnopqrstuvwxyz") (loop))'),
            LONG,
        ),
        pb.VERDICT_PIXEL_LIMIT: (
            _score("\\paper { paper-width = 10000\\mm paper-height = 10000\\mm } { c'4 }"),
            LONG,
        ),
        pb.VERDICT_NO_OUTPUT: (_score("#(define unused 1)"), LONG),
        pb.VERDICT_INVALID_INPUT: (pb.LilypondSource(score=b"{ c'4 }\0"), LONG),
    },
    options=("lilypond",),
    refused=[
        (NO_CUT, "options.page.cut_bottom"),
        (pb.RenderOptions(lilypond=pb.LilypondOptions(convert=9)), "options.lilypond.convert"),
    ],
    reads_file=lambda path: _score(
        f'\\markup #(catch #t (lambda () (ly:gulp-file "{path}")) (lambda _ "missing"))'
    ),
    calls_port=lambda port: _score(
        f"#(let ((s (socket PF_INET SOCK_STREAM 0))) (connect s AF_INET INADDR_LOOPBACK {port})) {{ c'4 }}"
    ),
    leaves_process=lambda marker: _score(
        "#(if (zero? (primitive-fork)) (begin (setsid)"
        f' (execl "/bin/sh" "sh" "-c" "sleep 600; exit" "{marker}"))) {{ c\'4 }}'
    ),
    surrogate=(
        _score(
            "#(begin (use-modules (rnrs io ports))"
            " (put-bytevector (current-error-port) #vu8(97 237 160 128 98 10)))\n{ c'4 d'"
        ),
        pb.VERDICT_COMPILE_ERROR,
    ),
    arguments=lambda folder: ["--warm-spare", "0", "--jail-uid-base", "63600"],
)


_DRAWN = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\n"

PYTHON = Renderer(
    spec=RENDER_PYTHON,
    engine="cpython",
    good=_program(_DRAWN),
    broken=(_program("import nothing_such\n"), pb.VERDICT_COMPILE_ERROR),
    endless=_program("while True:\n    pass\n"),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_program("while True:\n    pass\n"), SHORT),
        pb.VERDICT_MEMORY_LIMIT: (
            _program("held = []\nwhile True:\n    held.append(b'x' * (64 << 20))\n"),
            LONG,
        ),
        pb.VERDICT_OUTPUT_LIMIT: (_program("while True:\n    print('x' * (1 << 20))\n"), LONG),
        pb.VERDICT_PROCESS_LIMIT: (_program("import os\nwhile True:\n    os.fork()\n"), LONG),
        pb.VERDICT_PIXEL_LIMIT: (
            _program(
                "import matplotlib.pyplot as plt\nplt.figure(figsize=(90, 90)).savefig('x.png', dpi=100)\n"
            ),
            LONG,
        ),
        pb.VERDICT_PAGE_LIMIT: (
            _program(
                "import matplotlib.pyplot as plt\nfor _ in range(60):\n    plt.figure().text(0, 0, 'x')\n"
            ),
            LONG,
        ),
        pb.VERDICT_CRASHED: (_program("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"), LONG),
        pb.VERDICT_NO_OUTPUT: (_program("print('no picture')\n"), LONG),
        pb.VERDICT_INVALID_INPUT: (pb.PythonSource(program=b"\0"), LONG),
    },
    options=("python",),
    refused=[(NO_CUT, "options.page.cut_bottom")],
    reads_file=lambda path: _program(f"{_DRAWN}plt.show()\nprint(open({path!r}).read())\n"),
    calls_port=lambda port: _program(
        f"{_DRAWN}plt.show()\nimport socket\nsocket.create_connection(('127.0.0.1', {port}), timeout=5)\n"
    ),
    leaves_process=lambda marker: _program(
        f"{_DRAWN}import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        f"    import ctypes\n    ctypes.CDLL(None).prctl(15, {marker[:15]!r}.encode())\n"
        "    time.sleep(600)\n"
    ),
    surrogate=(_program("raise ValueError('a\\ud800b')\n"), pb.VERDICT_COMPILE_ERROR),
    arguments=lambda folder: ["--warm-spare", "0", "--jail-uid-base", "54000"],
)


def _svg(body, size='width="40" height="30"', before=""):
    text = f'{before}<svg xmlns="http://www.w3.org/2000/svg" {size}>{body}</svg>'
    return generic_source(RENDER_SVG, text)


_RECT = '<rect x="5" y="5" width="20" height="10" fill="teal"/>'
_SLOW_FILTER = (
    '<filter id="f"><feTurbulence baseFrequency="0.9" numOctaves="100000"/></filter>'
    '<rect filter="url(#f)" width="100%" height="100%"/>'
)

SVG = Renderer(
    spec=RENDER_SVG,
    engine="resvg",
    good=_svg(_RECT),
    broken=(_svg("<rect>"), pb.VERDICT_COMPILE_ERROR),
    endless=_svg(_SLOW_FILTER, 'width="2000" height="2000"'),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_svg(_SLOW_FILTER, 'width="2000" height="2000"'), SHORT),
        pb.VERDICT_PIXEL_LIMIT: (_svg(_RECT, 'width="100000" height="100000"'), LONG),
        pb.VERDICT_NO_OUTPUT: (_svg(""), LONG),
        pb.VERDICT_INVALID_INPUT: (generic_source(RENDER_SVG, " \n"), LONG),
    },
    refused=[
        (NO_CUT, "options.page.cut_bottom"),
        (pb.RenderOptions(latex=pb.LatexOptions(max_runs=2)), "options.latex"),
    ],
    reads_file=lambda path: _svg(
        f'{_RECT}<image href="{path}" width="9" height="9"/><text y="20">&e;</text>',
        before=f'<!DOCTYPE svg [<!ENTITY e SYSTEM "{path}">]>',
    ),
    calls_port=lambda port: _svg(
        f'{_RECT}<image href="http://127.0.0.1:{port}/" width="9" height="9"/>'
        f"<style>@import 'http://127.0.0.1:{port}/a.css';</style>"
    ),
    arguments=lambda folder: ["--warm-spare", "0", "--jail-uid-base", "54300"],
)


def _typst(text):
    return generic_source(RENDER_TYPST, text)


_TYPST_LOOP = "#for i in range(100000) { for j in range(100000) {} }"

TYPST = Renderer(
    spec=RENDER_TYPST,
    engine="typst",
    good=_typst("Good $x$"),
    broken=(_typst("#undefined"), pb.VERDICT_COMPILE_ERROR),
    endless=_typst(_TYPST_LOOP),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_typst(_TYPST_LOOP), SHORT),
        pb.VERDICT_MEMORY_LIMIT: (
            _typst('#let text = "abcdefgh"\n#let i = 0\n#while i >= 0 { text += text; i += 1 }'),
            LONG,
        ),
        pb.VERDICT_PAGE_LIMIT: (_typst("#for i in range(60) [x #pagebreak()]"), LONG),
        pb.VERDICT_PIXEL_LIMIT: (_typst("#set page(width: 300cm, height: 300cm)\nx"), LONG),
        pb.VERDICT_NO_OUTPUT: (_typst("#let x = 1"), LONG),
        pb.VERDICT_INVALID_INPUT: (_typst(" \n"), LONG),
    },
    refused=[
        (NO_CUT, "options.page.cut_bottom"),
        (pb.RenderOptions(latex=pb.LatexOptions(max_runs=2)), "options.latex"),
    ],
    reads_file=lambda path: _typst(f'#read("{path}")'),
    calls_port=lambda port: _typst(
        f'#import "@preview/cetz:0.3.0": canvas\n#image("http://127.0.0.1:{port}/x.png")'
    ),
    arguments=lambda folder: ["--warm-spare", "0", "--jail-uid-base", "54100"],
)


def _site(page, name="index.html"):
    return pb.SiteSource(files=[pb.File(path=name, content=page.encode())])


HTML = Renderer(
    spec=RENDER_HTML,
    engine="chromium",
    good=_site("<!DOCTYPE html><title>Good</title><h1>Good</h1>"),
    broken=(_site("<p>x", name="other.html"), pb.VERDICT_NO_OUTPUT),
    endless=_site("<script>for (;;);</script>"),
    hostile={
        pb.VERDICT_TIME_LIMIT: (_site("<script>for (;;);</script>"), SHORT),
        pb.VERDICT_INVALID_INPUT: (_site("<p>x", name="../index.html"), LONG),
    },
    options=("site",),
    refused=[
        (pb.RenderOptions(window=pb.WindowOptions(width=0)), "options.window.width"),
        (pb.RenderOptions(window=pb.WindowOptions(device_scale=0.01)), "options.window.device_scale"),
    ],
    reads_file=lambda path: _site(f"<p>x<iframe src='file://{path}'></iframe><img src='file://{path}'>"),
    calls_port=lambda port: _site(
        f"<p>x<img src=http://127.0.0.1:{port}/><script>fetch('http://127.0.0.1:{port}/')</script>"
    ),
    surrogate=(_site("<p>x<script>console.error('a\\ud800b')</script>"), pb.VERDICT_RENDERED),
    arguments=lambda folder: ["--jail-uid-base", "45000", "--jail-tier", "namespace"],
)
