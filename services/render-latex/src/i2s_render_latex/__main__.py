"""The command i2s-render-latex."""

from __future__ import annotations

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.server.entry import Command
from i2s_chassis.server.service import Service
from i2s_render_latex.settings import IndexSettings, LatexSettings


def _build(settings: LatexSettings) -> Service:
    from i2s_render_latex.service import LatexService

    return LatexService(settings)


def _index(settings: IndexSettings) -> int:
    from i2s_render_latex.index_command import index_command

    return index_command(settings)


def main() -> None:
    """Run the command line."""
    index = Command(
        "index",
        "Build the index of the TeX tree, or look names up in it.",
        IndexSettings,
        _index,
        ["index", "index --once", "index --lookup toprule --lookup tikzcd"],
    )
    run_renderer(LatexSettings, _build, ["serve --preamble paper.tex --preamble helm.tex"], more=[index])


if __name__ == "__main__":
    main()
