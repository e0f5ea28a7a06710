"""The attacks on the LaTeX renderer once more, by a service that is no root.

A whole run of pytest as another user. It needs an interpreter, the packages and this clone where
that user can read them, and says so where they are not.
"""

from __future__ import annotations

import os

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(1200)]

_SOURCES = ("protos", "services/chassis", "services/render-latex", "services/metrics", "sdk")


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize(
    "attacks",
    [
        # Those that need the sandbox most, which keeps the suite short.
        pytest.param(["test_latex_attacks.py", "-k", "host or file or finds or limit"], id="pdflatex"),
        pytest.param(["test_latex_engine_attacks.py", "-k", "namespace and (host or limit)"], id="engines"),
        pytest.param(
            ["test_latex_attacks.py", "test_latex_engine_attacks.py"],
            id="all",
            marks=pytest.mark.nightly(instead="the attacks on files, the host and the limits"),
        ),
    ],
)
def test_the_attacks_are_held_for_an_ordinary_user(attacks: list[str]) -> None:
    done = run_as_ordinary_user(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *(f"tests/security/{word}" if word.endswith(".py") else word for word in attacks),
        sources=_SOURCES,
        modules=["pytest", "grpc", "pydantic_core", "i2s_render_latex"],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
