"""Profile ``helm`` of web pages, bug for bug: files of a completion, the page of a missing index, texts.

The list must be strict JSON. Files are written one by one, so those before a malformed item are there when
the sample fails, and the reference implementation served them with the next sample. Here every sample begins
with an empty folder; ``before`` is for comparing with what was recorded. A name that leads out of the folder
was written outside of it, where no page finds it; here it is left out. How deeply a list may be nested was
for the stack of the interpreter to say; here it is the same number everywhere.

The reference implementation served the folder with Jekyll's own server and took an image of whatever came;
its page for a missing file is an image like any other.

For the text of a page it used the package html2text, which writes headings, lists and images as
Markdown. It is under the GPL, so it is an extra of this package and never imported if it is not installed.

Source: fidelity vectors of HELM v1.0.x, kinds "webpage" and "html_to_text".
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.answer_reading import helm_fenced
from i2s_sdk.tasks.repair import Repair, Repaired, RepairKind
from i2s_sdk.tasks.webpage.site import HelmFolder, Site
from i2s_wire.render.rendering import Rendering, Verdict


@dataclass(frozen=True, slots=True)
class Written:
    """The files of the folder."""

    #: Files by name, assets left out.
    files: Mapping[str, str]
    #: Why the sample fails: "json", "not_a_list", "item" or "name"; empty if it does not.
    fault: str = ""


def write_files(
    completion: str, assets: Collection[str] = (), before: Mapping[str, str] | None = None
) -> Written:
    """Return the files of a completion.

    Args:
        completion: Verbatim.
        assets: Names that are taken; a file of such a name is ignored.
        before: Files that lie in the folder already.
    """
    folder = HelmFolder(before)
    try:
        listed = read_json(helm_fenced(completion, "```json")[0])
    except ValueError:
        return Written(folder.files, "json")
    if not isinstance(listed, list):
        return Written(folder.files, "not_a_list")
    for item in listed:
        match item:
            case {"filename": str(name), "content": str(content)}:
                if name in assets:
                    continue
                try:
                    folder.write(name, content)
                except ValueError:
                    return Written(folder.files, "name")
            case _:
                return Written(folder.files, "item")
    return Written(folder.sendable_files(assets))


#: The page of the server; its last line has versions and a port that were never recorded.
PAGE = b"""<html><head><title>Not Found</title></head>
<body><h1>Not Found</h1>
`/' not found.
<hr><address>WEBrick at localhost</address>
</body></html>
"""


def repair(site: Site, rendering: Rendering, past: Sequence[Repair]) -> Repaired[Site] | None:
    """Return the site with that page as its index, or None if it has a page or was given this one."""
    if rendering.verdict is not Verdict.NO_OUTPUT or past:
        return None
    shown = replace(site, files={**site.files, "index.html": PAGE})
    return Repaired(shown, Repair(RepairKind.NOT_FOUND_PAGE, "index.html", rendering.message))


EXTRA = "html2text"
REQUIREMENT = "i2s-sdk[helm-text]"

_FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?\n", re.DOTALL | re.MULTILINE)


def is_available() -> bool:
    """Return whether the package that makes the text is installed."""
    return importlib.util.find_spec(EXTRA) is not None


def html_to_text(html: str) -> str:
    """Return the text of a document: links left out, images as Markdown, no blank lines, lines trimmed.

    Raises:
        ModuleNotFoundError: html2text is not installed; see ``is_available``.
    """
    import html2text

    reader = html2text.HTML2Text()
    reader.ignore_links = True
    lines = (line.strip() for line in reader.handle(html).splitlines())
    return "\n".join(line for line in lines if line)


def without_front_matter(page: str) -> str:
    """Return a page of a Jekyll site less the settings at its beginning."""
    return _FRONT_MATTER.sub("", page, count=1)
