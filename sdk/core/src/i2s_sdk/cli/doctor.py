"""``i2s-sdk doctor``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from i2s_sdk.cli.main import FAULT
from i2s_sdk.cli.options import json_option, load_settings, profile_option, settings_options
from i2s_sdk.cli.terminal import say


@click.command("doctor", short_help="Say what works here, and how to mend the rest.")
@profile_option
@json_option
@settings_options
def command(profile: str | None, as_json: bool, **given: str | bool | None) -> int:
    """Look at everything that an evaluation needs: services, engine, isolation, a canary, metrics.

    The exit code is 1 if something is bad; what is only missing can be done without.

    \b
    Examples:
      i2s-sdk doctor
      I2S_RENDER_LATEX=10.0.0.7:7710 i2s-sdk doctor --json
    """  # noqa: D301 - \b is for click
    settings = load_settings(given, profile=profile)
    from i2s_sdk.stack.doctor import State, doctor

    findings = doctor(settings=settings)
    ok = all(finding.state is not State.BAD for finding in findings)
    if as_json:
        say(json.dumps({"ok": ok, "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        width = max(len(finding.name) for finding in findings)
        for finding in findings:
            say(f"{finding.state:<8} {finding.name:<{width}}  {finding.detail}")
    return 0 if ok else FAULT
