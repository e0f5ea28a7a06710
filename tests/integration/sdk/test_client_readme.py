"""The example in the README of the clients renders and scores."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from i2s_client.service_table import SERVICES
from i2s_sdk.settings import Settings

README = Path(__file__).parents[3] / "sdk/client/README.md"


def test_the_example_renders_and_scores(
    running_without_networks: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert len(code.splitlines()) <= 10
    for service in SERVICES:  # at the addresses of the services of the tests
        address = str(running_without_networks.value(service.setting))
        code = code.replace(f'"127.0.0.1:{service.port}"', repr(address))
    exec(compile(code, str(README), "exec"), {})
    verdict, values = capsys.readouterr().out.splitlines()
    assert verdict == "RENDERED None"
    assert re.fullmatch(r"\{'ems': 0\.\d+, 'ssim': 0\.\d+\}", values)
