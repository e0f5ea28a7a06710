"""The command line of a renderer: serve, what the host forbids to its sandboxes, clean up, and tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from i2s_chassis.jail.host import diagnose, read_facts
from i2s_chassis.jail.work_folder import remove_stale
from i2s_chassis.renderer.settings import GenericSettings, RendererSettings
from i2s_chassis.server.entry import Command, run, serve_command, token_command
from i2s_chassis.server.privileges import remove_stale_of_service, remove_stale_of_this_user
from i2s_chassis.server.service import Service

if TYPE_CHECKING:
    from i2s_chassis.renderer.generic import OpenEngine
    from i2s_chassis.warm.program import WorkerSettings
    from i2s_wire.renderer import RendererSpec

S = TypeVar("S", bound=RendererSettings)
G = TypeVar("G", bound=GenericSettings)
W = TypeVar("W", bound="WorkerSettings")


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


def run_generic(
    spec: RendererSpec,
    settings: type[G],
    open_engine: Callable[[], OpenEngine[G]],
    examples: Sequence[str] = (),
) -> NoReturn:
    """Run the command line of a renderer of generic sources, and end the process with its exit code.

    Args:
        spec: The renderer.
        settings: Its settings.
        open_engine: Imports the engine, so that --help stays fast, and returns the function that opens it.
        examples: Examples of ``serve``, for --help.
    """

    def build(chosen: G) -> Service:
        from i2s_chassis.renderer.generic import GenericService

        return GenericService(spec, chosen, open_engine())

    run_renderer(settings, build, examples)


def run_worker(spec: RendererSpec, settings: type[W]) -> NoReturn:
    """Run the command line of a renderer whose engine is a Python module, and end the process.

    Args:
        spec: The renderer.
        settings: Its settings.
    """

    def build(chosen: W) -> Service:
        from i2s_chassis.warm.worker_engine import WorkerService

        return WorkerService(spec, chosen)

    run_renderer(settings, build, ["serve", "serve --warm single-use"])


def clean_command(settings: type[S]) -> Command[S]:
    """Return the subcommand that removes stale work folders and prints their paths.

    Args:
        settings: Settings of ``serve``, so that the folders are looked for where it would make them.
    """
    return Command(
        "clean",
        "Remove the work folders of services that were killed; those of services that run stay.",
        settings,
        _clean,
        ["clean", "clean --jail-state-dir /var/tmp/i2s"],
    )


def _clean(settings: RendererSettings) -> int:
    state = settings.jail_settings().state_dir
    removed = {*remove_stale_of_this_user(), *(remove_stale(state) if state is not None else ())}
    for path in sorted(removed.union(remove_stale_of_service(settings))):
        print(_printable(path))
    return 0


def _printable(path: Path) -> str:
    """Return a path on one line of text; the user of a service may have given any name."""
    text = str(path)
    return text if text.isprintable() else ascii(text)


def host_command(settings: type[S]) -> Command[S]:
    """Return the subcommand that says what the host forbids to a renderer, as JSON on standard output.

    Args:
        settings: Settings of ``serve``, so that program and folder are those that it would take.
    """
    return Command(
        "host",
        "Say as JSON what this host forbids to the sandboxes of jobs, and what permits it.",
        settings,
        _print_host,
        ["host", "host --jail-state-dir /var/tmp/i2s"],
    )


def _print_host(settings: RendererSettings) -> int:
    jail = settings.jail_settings()
    facts = read_facts(jail.bwrap, jail.state_dir)
    diagnoses = [
        {
            **asdict(tier_diagnosis),
            "tiers": [tier.name.lower() for tier in tier_diagnosis.tiers],
            "text": str(tier_diagnosis),
        }
        for tier_diagnosis in diagnose(facts)
    ]
    print(json.dumps({"diagnoses": diagnoses, "facts": asdict(facts)}, indent=2))
    return 0
