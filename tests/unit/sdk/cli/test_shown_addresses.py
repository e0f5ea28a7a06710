"""The help of a command shows the addresses of the services that it uses, and takes those of all."""

from __future__ import annotations

import re

import click
import pytest
from click.testing import CliRunner

from i2s_client.service_table import SERVICES
from i2s_sdk.cli.main import group

USED = {
    "metrics": {"metrics"},
    "generate": {"documents"},
    "render latex": {"render-latex"},
    "render html": {"render-html"},
    "score": {"metrics", "documents"},
    "judge": set(),
    "evaluate": {service.name for service in SERVICES},
    "doctor": {service.name for service in SERVICES},
}


def _command(words: str) -> click.Command:
    found: click.Command = group
    for word in words.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(click.Context(found), word)
        assert inner is not None
        found = inner
    return found


@pytest.mark.parametrize("words", USED)
def test_the_help_shows_the_services_of_the_command(words: str) -> None:
    shown = CliRunner().invoke(group, [*words.split(), "--help"]).output
    assert set(re.findall(r"--([a-z-]+)-at ADDRESS", shown)) == USED[words]
    assert ("--token-file" in shown) == bool(USED[words])


@pytest.mark.parametrize("words", USED)
def test_the_command_takes_the_address_of_every_service(words: str) -> None:
    taken = {name for param in _command(words).params for name in param.opts}
    assert {service.flag for service in SERVICES} <= taken
