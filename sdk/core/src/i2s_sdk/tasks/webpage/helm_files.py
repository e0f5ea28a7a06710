"""How profile ``helm`` makes files of a completion, bug for bug.

The list must be strict JSON. Files are written one by one, so those before a malformed item are there when
the sample fails, and the reference implementation served them with the next sample. Here every sample begins
with an empty folder; ``before`` is for comparing with what was recorded. A name that leads out of the folder
was written outside of it, where no page finds it; here it is left out. How deeply a list may be nested was
for the stack of the interpreter to say; here it is the same number everywhere.

Source: fidelity vectors of HELM v1.0.x, kind "webpage".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.helm_fence import helm_fenced
from i2s_sdk.tasks.webpage.file_names import HelmFolder


@dataclass(frozen=True, slots=True)
class Written:
    """What lies in the folder.

    Attributes:
        files: Files by name, assets left out.
        fault: Why the sample fails: "json", "not_a_list", "item" or "name"; empty if it does not.
    """

    files: Mapping[str, str]
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
