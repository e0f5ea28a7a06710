"""The command i2s-render-html."""

from __future__ import annotations

from i2s_chassis.entry import run, serve_command
from i2s_chassis.renderer.clean import clean_command
from i2s_chassis.renderer.host import host_command
from i2s_chassis.service import Service
from i2s_chassis.token_command import token_command
from i2s_render_html.settings import HtmlSettings


def _build(settings: HtmlSettings) -> Service:
    from i2s_render_html.service import HtmlService

    return HtmlService(settings)


def main() -> None:
    """Run the command line."""
    serve = serve_command(HtmlSettings, _build, ["serve --slots 4 --pages-per-browser 50"])
    raise SystemExit(
        run(
            "i2s-render-html",
            [serve, host_command(HtmlSettings), clean_command(HtmlSettings), token_command()],
        )
    )


if __name__ == "__main__":
    main()
