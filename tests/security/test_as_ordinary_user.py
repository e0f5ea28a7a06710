"""The attacks on renderers once more, in services that are not root.

A whole run of pytest as another user. It needs an interpreter, the packages and this clone where
that user can read them, and says so where they are not.
"""

from __future__ import annotations

import os

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(600)]

_SOURCES = (
    "protos",
    "services/chassis",
    "services/render-latex",
    "services/render-html",
    "services/render-lilypond",
    "services/metrics",
    "sdk/client",
    "sdk/core",
)


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
@pytest.mark.parametrize(
    ("module", "attacks"),
    [
        # The other tier has those that need the sandbox most, which keeps the suite short.
        (
            "i2s_render_latex",
            ["tests/security/test_latex_attacks.py", "-k", "namespace or host or file or finds or limit"],
        ),
        ("i2s_render_latex", ["tests/security/test_latex_engine_attacks.py", "-k", "host or limit"]),
        ("i2s_render_html", ["tests/security/render_html/test_network_and_files.py", "-k", "namespace"]),
        ("i2s_render_lilypond", ["tests/security/render_lilypond/test_lilypond_attacks.py"]),
    ],
    ids=["pdflatex", "engines", "html", "lilypond"],
)
def test_the_attacks_are_held_for_an_ordinary_user(module: str, attacks: list[str]) -> None:
    done = run_as_ordinary_user(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", *attacks),
        sources=_SOURCES,
        modules=["pytest", "grpc", "pydantic_core", module],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
