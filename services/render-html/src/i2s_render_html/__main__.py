"""The command i2s-render-html."""

from __future__ import annotations

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.server.service import Service
from i2s_render_html.settings import HtmlSettings


def _build(settings: HtmlSettings) -> Service:
    from i2s_render_html.service import HtmlService

    return HtmlService(settings)


def main() -> None:
    """Run the command line."""
    run_renderer(HtmlSettings, _build, ["serve --slots 4 --pages-per-browser 50"])


if __name__ == "__main__":
    main()
