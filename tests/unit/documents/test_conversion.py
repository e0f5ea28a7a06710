"""What pandoc is asked, and what it says."""

from __future__ import annotations

import pytest

from i2s_documents.conversion import first_error, pandoc_command
from i2s_wire.documents import FragmentFormat

WARNINGS = (
    "[WARNING] Could not load translations for en-US\n"
    "  data file translations/en.yaml not found\n"
    "[WARNING] The term Abstract has no translation defined.\n"
)
ERROR = 'Error at "source" (line 1, column 1):\nunexpected Tok\nexpecting end of input'


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (f"{WARNINGS}{ERROR}\n", ERROR),
        (f"{ERROR}\n{WARNINGS}", ERROR),
        ("[INFO] Loaded x\nstack overflow", "stack overflow"),
        (WARNINGS, "pandoc ended with exit code 7 and gave no reason"),
        ("", "pandoc ended with exit code 7 and gave no reason"),
    ],
)
def test_the_first_error_is_without_warnings(said: str, error: str) -> None:
    assert first_error(said, 7) == error


@pytest.mark.parametrize(
    ("source", "reader"), [(FragmentFormat.MARKDOWN, "markdown"), (FragmentFormat.LATEX, "latex")]
)
def test_pandoc_gets_its_defaults_and_nothing_else(source: FragmentFormat, reader: str) -> None:
    shell, option, script, *arguments = pandoc_command("/usr/bin/pandoc", source)
    assert (shell, option, arguments) == ("sh", "-c", ["/usr/bin/pandoc", reader])
    assert script == 'exec "$0" --sandbox -f "$1" -t html <fragment >fragment.html'
