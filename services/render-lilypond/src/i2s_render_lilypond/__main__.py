"""The command i2s-render-lilypond."""

from __future__ import annotations

from i2s_chassis.entry import run, serve_command
from i2s_chassis.renderer.clean import clean_command
from i2s_chassis.renderer.host import host_command
from i2s_chassis.service import Service
from i2s_chassis.token_command import token_command
from i2s_render_lilypond.settings import LilypondSettings


def _build(settings: LilypondSettings) -> Service:
    from i2s_render_lilypond.service import LilypondService

    return LilypondService(settings)


def main() -> None:
    """Run the command line."""
    serve = serve_command(LilypondSettings, _build, ["serve", "serve --lilypond /usr/bin/lilypond"])
    raise SystemExit(
        run(
            "i2s-render-lilypond",
            [serve, host_command(LilypondSettings), clean_command(LilypondSettings), token_command()],
        )
    )


if __name__ == "__main__":
    main()
