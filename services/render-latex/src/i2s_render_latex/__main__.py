"""The command i2s-render-latex."""

from __future__ import annotations

from i2s_chassis.entry import Command, run, serve_command
from i2s_chassis.renderer.clean import clean_command
from i2s_chassis.renderer.host import host_command
from i2s_chassis.service import Service
from i2s_chassis.token_command import token_command
from i2s_render_latex.settings import IndexSettings, LatexSettings


def _build(settings: LatexSettings) -> Service:
    from i2s_render_latex.service import LatexService

    return LatexService(settings)


def _index(settings: IndexSettings) -> int:
    from i2s_render_latex.look_up import index_command

    return index_command(settings)


def main() -> None:
    """Run the command line."""
    serve = serve_command(LatexSettings, _build, ["serve --preamble paper.tex --preamble helm.tex"])
    index = Command(
        "index",
        "Build the index of the TeX tree, or look names up in it.",
        IndexSettings,
        _index,
        ["index", "index --once", "index --lookup toprule --lookup tikzcd"],
    )
    raise SystemExit(
        run(
            "i2s-render-latex",
            [serve, index, host_command(LatexSettings), clean_command(LatexSettings), token_command()],
        )
    )


if __name__ == "__main__":
    main()
