"""The environment of a LilyPond of the system."""

from __future__ import annotations

from pathlib import Path

from i2s_render_lilypond.installation import ENVIRONMENT, system_environment


def test_the_compiled_modules_of_debian_are_named(tmp_path: Path) -> None:
    compiled = tmp_path / "aarch64-linux-gnu/lilypond/2.24.1/ccache"
    compiled.mkdir(parents=True)
    expected = {**ENVIRONMENT, "GUILE_LOAD_COMPILED_PATH": str(compiled)}
    assert system_environment("2.24.1", tmp_path) == expected


def test_a_lilypond_without_compiled_modules_there_needs_nothing_more(tmp_path: Path) -> None:
    (tmp_path / "aarch64-linux-gnu/lilypond/2.24.1/ccache").mkdir(parents=True)
    assert system_environment("2.24.3", tmp_path) == ENVIRONMENT
