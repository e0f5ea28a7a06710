"""The examples of the documentation, run as a reader would: from top to bottom, against real services.

Each block of Python is run in the names of those before it. Where a block of text follows, it is what must be
printed; a line of three dots stands for any one line.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.integration

DOCS = Path(__file__).resolve().parents[3] / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: str) -> list[tuple[int, str, str | None]]:
    """Line, code, and what it prints (None: anything) of each block."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = [(text.count("\n", 0, match.start()) + 2, match[1], match[2]) for match in BLOCK.finditer(text)]
    following = [*blocks[1:], (0, "", "")]
    return [
        (line, code, then[2] if then[1] == "text" else None)
        for (line, language, code), then in zip(blocks, following, strict=True)
        if language == "python"
    ]


async def run(code: str, file: str, line: int, names: dict[str, Any]) -> str:
    """Run a block, which may await, and return what it printed."""
    tree = ast.parse(code)
    ast.increment_lineno(tree, line - 1)
    compiled = compile(tree, file, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        if compiled.co_flags & inspect.CO_COROUTINE:
            await eval(compiled, names)
        else:
            await asyncio.to_thread(eval, compiled, names)
    return printed.getvalue()


@pytest.mark.parametrize("page", ["python.md", "integrations.md", "environments.md", "data.md"])
async def test_every_example_of_a_page_runs_and_prints_what_it_says(
    page: str, endpoints: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in endpoints.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    found = examples(page)
    assert found
    for line, code, said in found:
        printed = await run(code, str(DOCS / page), line, names)
        if said is not None:
            wanted = "".join(
                r"[^\n]*\n" if one.strip() == "..." else re.escape(one)
                for one in said.splitlines(keepends=True)
            )
            assert re.fullmatch(wanted, printed), f"{page}:{line} printed\n{printed}\nand not\n{said}"
