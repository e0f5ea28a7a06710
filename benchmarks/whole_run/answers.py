"""Answers of two models: the ground truth with a line that it does not have, another one for each model.

The first model and the second model give different answers to every instance, so nothing that was rendered
or scored for one of them can serve for the other. The line moves what follows it, so that most patches of the
rendering differ from those of the reference, as they do in answers of models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

from i2s_sdk.instances.instance import Content
from i2s_sdk.instances.site_files import INDEXES
from i2s_sdk.tasks.question import Question
from i2s_sdk.tasks.registry import task_spec

#: What the models are called, and the line that each adds.
LINES: Mapping[str, str] = {
    "first": "An answer of the first model",
    "second": "What a second model gives as its answer",
}

_BEGIN = r"\begin{document}"
_VERSION = re.compile(r'^[^%\n]*\\version\s*"[^"]*"', re.MULTILINE)
_BODY = re.compile(rb"<body\b[^>]*>", re.IGNORECASE)
_FRONT_MATTER = re.compile(rb"\A---[ \t]*\r?\n.*?^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE)


def completion(task: str, content: Content, model: str) -> str:
    """Return what a model answers to an instance.

    Args:
        task: Name of the task of the instance.
        content: Files of the instance; it has a ground truth.
        model: One of ``LINES``.
    """
    line = LINES[model]
    if content.site is not None:
        content = replace(content, site=_site_with(content.site, line))
    elif task == "music":
        content = replace(content, structure=_score_with(content.structure or "", line))
    else:
        content = replace(content, structure=_latex_with(content.structure or "", line))
    return task_spec(task).answer(content, Question(()))


def _latex_with(code: str, line: str) -> str:
    before, begin, after = code.rpartition(_BEGIN)
    return f"{before}{begin}\n\\noindent {line}.\\par\n{after}" if begin else f"{line}.\n\n{code}"


def _score_with(code: str, line: str) -> str:
    version = _VERSION.search(code)
    at = version.end() if version else 0
    return f'{code[:at]}\n\\markup {{ "{line}" }}\n{code[at:]}'


def _site_with(site: Mapping[str, bytes], line: str) -> dict[str, bytes]:
    """Return a site with the line at the beginning of the body of its index page.

    A page whose body is in a layout has it after its front matter.
    """
    name = next((one for one in INDEXES if one in site), None)
    if name is None:
        return dict(site)
    page = site[name]
    found = _BODY.search(page) or _FRONT_MATTER.match(page)
    at = found.end() if found else len(page)
    is_markdown = PurePosixPath(name).suffix.lower() not in (".html", ".htm")
    text = f"\n{line}\n\n" if is_markdown else f"\n<p>{line}</p>\n"
    return {**site, name: page[:at] + text.encode() + page[at:]}
