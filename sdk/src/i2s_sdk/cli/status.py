"""``i2s-sdk status``."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from i2s_sdk.cli.main import FAULT
from i2s_sdk.cli.options import json_option
from i2s_sdk.cli.terminal import say


@click.command("status", short_help="Say what is up, and whether it serves.")
@json_option
def command(as_json: bool) -> int:
    """Ask every service that `i2s-sdk up` has started whether it serves, and for its sandbox tier.

    The exit code is 1 if nothing is up or one of them does not serve.

    \b
    Examples:
      i2s-sdk status
      i2s-sdk status --json
    """  # noqa: D301 - \b is for click
    from i2s_sdk.stack.lifecycle import status

    states = status()
    ok = bool(states) and all(one.serves for one in states)
    if as_json:
        say(json.dumps({"ok": ok, "services": [asdict(one) for one in states]}, indent=2))
    elif not states:
        say("nothing is up; `i2s-sdk up` starts the services", err=True)
    else:
        for one in states:
            say(f"{'serves' if one.serves else 'DOWN':<7} {one.name:<16} {one.address:<22} {one.detail}")
    return 0 if ok else FAULT
