"""The page on troubleshooting quotes messages as the program has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/troubleshooting.md"
GAP = "…"
#: What a part of a message must have to count, so that no message is made of gaps alone.
LETTERS = 12


def quoted() -> list[str]:
    """The messages on the page, in their order."""
    return [
        text.strip()
        for text in re.findall(r"^```text\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    ]


def _text(node: ast.AST) -> str | None:
    """A text in the code, with a gap for each part that is computed; None if a node is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.sub(r"%[sdg]", GAP, node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(value) if isinstance(value, ast.Constant) else GAP for value in node.values)  # type: ignore[misc]
    return None


def texts() -> Iterator[str]:
    """All texts in the code of the packages."""
    for source in (
        *ROOT.glob("sdk/*/src/**/*.py"),
        *ROOT.glob("services/*/src/**/*.py"),
        *ROOT.glob("protos/src/i2s_wire/**/*.py"),
    ):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            text = _text(node)
            if text is not None and len(text) >= LETTERS:
                yield text


@pytest.fixture(scope="module")
def known() -> set[str]:
    return {_normal(text) for text in texts()}


def _normal(text: str) -> str:
    return re.sub(f"{GAP}+", GAP, " ".join(text.split()))


def test_the_page_quotes_many_messages() -> None:
    assert len(quoted()) >= 20
    assert len(set(quoted())) == len(quoted())


@pytest.mark.parametrize("message", quoted())
def test_each_message_exists_in_the_code(message: str, known: set[str]) -> None:
    wanted = _normal(message)
    assert any(wanted in text for text in known), f"no message of the program is: {message}"


def test_a_message_that_does_not_exist_is_noticed(known: set[str]) -> None:
    assert not any(_normal("the key is not accepted by …") in text for text in known)
