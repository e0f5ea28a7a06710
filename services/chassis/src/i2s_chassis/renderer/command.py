"""The command line of a renderer: serve, what the host forbids, clean up, and tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from i2s_chassis.entry import Command, run, serve_command
from i2s_chassis.renderer.clean import clean_command
from i2s_chassis.renderer.host import host_command
from i2s_chassis.renderer.settings import RendererSettings
from i2s_chassis.service import Service
from i2s_chassis.token_command import token_command

S = TypeVar("S", bound=RendererSettings)


def run_renderer(
    settings: type[S],
    build: Callable[[S], Service],
    examples: Sequence[str] = (),
    *,
    more: Sequence[Command[Any]] = (),
) -> NoReturn:
    """Run the command line of a renderer, and end the process with its exit code.

    Args:
        settings: Settings of the service; its name with "i2s-" before it is that of the program.
        build: The function that makes the service; import it inside, so that --help stays fast.
        examples: Examples of ``serve``, for --help.
        more: Subcommands of this renderer alone.
    """
    serve = serve_command(settings, build, examples)
    commands = [serve, *more, host_command(settings), clean_command(settings), token_command()]
    raise SystemExit(run(f"i2s-{settings.service}", commands))
