"""The attacks on the Python renderer once more, by a service that is no root."""

from __future__ import annotations

import os

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(1200)]

_SOURCES = ("protos", "services/chassis", "services/render-python")


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize("tier", ["landlock", "namespace"])
def test_the_attacks_are_held_for_an_ordinary_user(tier: str) -> None:
    attacks = "tests/security/render_python/test_python_attacks.py"
    done = run_as_ordinary_user(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"{tier} and not forged", attacks),
        sources=_SOURCES,
        modules=["pytest", "grpc", "pydantic_core", "matplotlib", "i2s_render_python"],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
