"""The attacks on the LaTeX renderer once more, by a service that is no root.

A whole run of pytest as another user. It needs an interpreter, the packages and this clone where
that user can read them, and says so where they are not.
"""

from __future__ import annotations

import os

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(600)]

_SOURCES = ("protos", "services/chassis", "services/render-latex", "services/metrics", "sdk")


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize(
    "attacks",
    [
        # In the other tier those that need the sandbox most, which keeps the suite short.
        ["tests/security/test_latex_attacks.py", "-k", "namespace or host or file or finds or limit"],
        ["tests/security/test_latex_engine_attacks.py", "-k", "host or limit"],
    ],
    ids=["pdflatex", "engines"],
)
def test_the_attacks_are_held_for_an_ordinary_user(attacks: list[str]) -> None:
    done = run_as_ordinary_user(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", *attacks),
        sources=_SOURCES,
        modules=["pytest", "grpc", "pydantic_core", "i2s_render_latex"],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
