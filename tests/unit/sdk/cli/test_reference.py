"""The page about the command line says what the command line says."""

from __future__ import annotations

from pathlib import Path

from i2s_sdk.cli.reference import reference

PAGE = Path(__file__).resolve().parents[4] / "docs" / "cli.md"


def test_the_reference_is_that_of_this_version() -> None:
    assert PAGE.read_text() == reference(), "run: python -m i2s_sdk.cli.reference > docs/cli.md"
