"""The attacks on the Python renderer once more, by a service that is no root."""

from __future__ import annotations

import os

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(1200)]

_SOURCES = ("protos", "services/chassis", "services/render-python")
#: Attacks that need the sandbox most, made in the second tier too; the nightly run makes all in both.
_NEED_THE_SANDBOX = "not cold and (refused or left_behind or waits or descriptor or environment or memory)"
_IN_NAMESPACE = "not forged" if os.environ.get("I2S_NIGHTLY") else _NEED_THE_SANDBOX


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize(
    ("tier", "chosen"),
    [
        pytest.param("landlock", "not forged", id="landlock"),
        pytest.param("namespace", _IN_NAMESPACE, id="namespace"),
    ],
)
def test_the_attacks_are_held_for_an_ordinary_user(tier: str, chosen: str) -> None:
    attacks = "tests/security/render_python/test_python_attacks.py"
    done = run_as_ordinary_user(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"{tier} and ({chosen})", attacks),
        sources=_SOURCES,
        modules=["pytest", "grpc", "pydantic_core", "matplotlib", "i2s_render_python"],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
