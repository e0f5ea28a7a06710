"""The command i2s-render-lilypond."""

from __future__ import annotations

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.server.service import Service
from i2s_render_lilypond.settings import LilypondSettings


def _build(settings: LilypondSettings) -> Service:
    from i2s_render_lilypond.service import LilypondService

    return LilypondService(settings)


def main() -> None:
    """Run the command line."""
    run_renderer(LilypondSettings, _build, ["serve", "serve --lilypond /usr/bin/lilypond"])


if __name__ == "__main__":
    main()
