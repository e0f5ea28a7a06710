"""The subcommand ``host`` of a renderer: what the host forbids to its sandboxes."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TypeVar

from i2s_chassis.entry import Command
from i2s_chassis.jail.hints import diagnose
from i2s_chassis.jail.host import read_facts
from i2s_chassis.renderer.settings import RendererSettings

S = TypeVar("S", bound=RendererSettings)


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
        {**asdict(one), "tiers": [tier.name.lower() for tier in one.tiers], "text": str(one)}
        for one in diagnose(facts)
    ]
    print(json.dumps({"diagnoses": diagnoses, "facts": asdict(facts)}, indent=2))
    return 0
