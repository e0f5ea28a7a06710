"""The command i2s-render-python."""

from __future__ import annotations

from i2s_chassis.renderer.command import run_renderer
from i2s_chassis.server.service import Service
from i2s_render_python.settings import PythonSettings


def _build(settings: PythonSettings) -> Service:
    from i2s_render_python.service import PythonService

    return PythonService(settings)


def main() -> None:
    """Run the command line."""
    run_renderer(PythonSettings, _build, ["serve", "serve --warm single-use"])


if __name__ == "__main__":
    main()
