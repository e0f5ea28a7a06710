"""The attacks on the documents service once more, by a service that is no root."""

from __future__ import annotations

import os

import pytest

from ordinary_user import run_as_ordinary_user

pytestmark = [pytest.mark.security, pytest.mark.timeout(900)]

_SOURCES = ("protos", "services/chassis", "services/documents")


@pytest.mark.skipif(os.geteuid() != 0, reason="the tests run as an ordinary user already")
def test_the_attacks_are_held_for_an_ordinary_user() -> None:
    files = ("tests/security/documents/test_fragments.py", "tests/security/documents/test_pages.py")
    done = run_as_ordinary_user(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", *files),
        sources=_SOURCES,
        modules=["pytest", "grpc", "pydantic_core", "pypdf", "i2s_documents"],
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "passed" in done.stdout
