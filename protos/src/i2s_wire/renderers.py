"""The table of the renderers of this project.

Everything that names all renderers derives from it: the clients' table of services, settings, commands,
deployment. A renderer takes from its row what it says of itself.
"""

from __future__ import annotations

from i2s_wire.render.request import GenericSource, LatexSource, LilypondSource, PythonSource, SiteSource
from i2s_wire.renderer import ContainerLimits, Images, Need, Preparation, RendererSpec

RENDER_LATEX = RendererSpec(
    name="render-latex",
    title="LaTeX renderer",
    languages=("latex",),
    suffixes=(".tex",),
    port=7710,
    canary=LatexSource(b"\\documentclass{article}\n\\begin{document}\n$e^{i\\pi} = -1$\n\\end{document}\n"),
    optional=False,
    container=ContainerLimits(user=10_011, storage_gib=2),
    preparation=Preparation(
        title="building the index of the TeX tree", arguments=("index", "--once"), packages="texlive"
    ),
    preamble_option="--preamble",
)

RENDER_HTML = RendererSpec(
    name="render-html",
    title="site renderer",
    languages=("html",),
    suffixes=(".html", ".htm"),
    port=7720,
    canary=SiteSource({"index.html": b"<!DOCTYPE html><title>Canary</title><h1>Canary</h1>"}),
    images=Images.WINDOW,
    nesting=True,
    container=ContainerLimits(user=10_012, memory_gib=6, pids=2048, job_memory="2GiB", job_disk="512MiB"),
)

RENDER_LILYPOND = RendererSpec(
    name="render-lilypond",
    title="LilyPond renderer",
    languages=("lilypond",),
    suffixes=(".ly",),
    port=7730,
    canary=LilypondSource(b'\\version "2.24.0"\n{ c\'4 }\n'),
    container=ContainerLimits(user=10_013),
)

RENDER_PYTHON = RendererSpec(
    name="render-python",
    title="Python renderer",
    languages=("python",),
    suffixes=(".py",),
    port=7750,
    canary=PythonSource(b"import matplotlib.pyplot as plt\nplt.plot([1, 2])\n"),
    extra="libraries",
    container=ContainerLimits(user=10_018, drain_seconds=100),
)

RENDER_SVG = RendererSpec(
    name="render-svg",
    title="SVG renderer",
    languages=("svg",),
    suffixes=(".svg",),
    port=7752,
    canary=GenericSource(
        "svg",
        "image.svg",
        {
            "image.svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="60" height="24">'
            b'<text x="2" y="18" font-family="Arial" font-size="16">Canary</text></svg>'
        },
    ),
    needs=(
        Need(
            package="fonts-liberation",
            check="font",
            argument="LiberationSans-Regular.ttf",
            purpose="the fonts of SVG images",
        ),
        Need(
            package="fonts-dejavu-core",
            check="font",
            argument="DejaVuSans.ttf",
            purpose="the font DejaVu Sans, for signs of mathematics in SVG images",
        ),
        Need(
            package="fonts-noto-core",
            check="font",
            argument="NotoSans-Regular.ttf",
            purpose="the fonts Noto, for other scripts in SVG images",
        ),
        Need(
            package="fonts-wqy-microhei",
            check="font",
            argument="wqy-microhei.ttc",
            purpose="the font WenQuanYi Micro Hei, for Chinese in SVG images",
        ),
    ),
)

RENDER_TYPST = RendererSpec(
    name="render-typst",
    title="Typst renderer",
    languages=("typst",),
    suffixes=(".typ",),
    port=7754,
    canary=GenericSource("typst", "main.typ", {"main.typ": b"= Canary\n$ e^(i pi) = -1 $\n"}),
    container=ContainerLimits(drain_seconds=70),
)

#: All of them, in the order in which people need them.
RENDERER_SPECS = (RENDER_LATEX, RENDER_HTML, RENDER_LILYPOND, RENDER_PYTHON, RENDER_SVG, RENDER_TYPST)

#: The same by the languages that they render.
BY_LANGUAGE = {language: spec for spec in RENDERER_SPECS for language in spec.languages}
