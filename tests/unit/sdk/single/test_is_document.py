"""Which code is a document of its own."""

from __future__ import annotations

import pytest

from i2s_sdk.single.languages.latex import is_document


@pytest.mark.parametrize(
    ("code", "whole"),
    [
        ("\\documentclass{article}\\begin{document}x\\end{document}", True),
        ("% about\n  \\documentclass[12pt]{article}", True),
        ("\\documentstyle{article}", True),
        ("\\RequirePackage{x}\\documentclass{y}", True),
        ("% \\documentclass{article}\n$x$", False),
        ("$x$", False),
        ("\\documentclassy", False),
        ("", False),
    ],
)
def test_a_document_has_a_class_outside_of_comments(code: str, whole: bool) -> None:
    assert is_document(code) is whole
