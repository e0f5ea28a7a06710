"""The prompts of tasks, word for word the same in both profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from i2s_sdk.json_text import read_json


@dataclass(frozen=True, slots=True)
class Decoding:
    """How completions are drawn."""

    #: 0 is greedy.
    temperature: float = 0.0
    #: The most tokens of a completion.
    max_tokens: int = 2000
    #: How many for each prompt.
    completions: int = 1
    #: Sequences that end a completion.
    stop: tuple[str, ...] = ()


#: Decoding of the published leaderboard.
DECODING = Decoding()


@cache
def prompt_texts(package: str = "i2s_sdk.tasks") -> dict[str, str]:
    """Return the texts of the file ``prompts.json`` of a package, by name.

    Args:
        package: Full name of the package of a task. The texts of the tasks of Image2Struct are beside this
            module: "instruction", one for each task, and the pieces of the asset list.
    """
    texts: dict[str, str] = read_json(files(package).joinpath("prompts.json").read_text(encoding="utf-8"))
    return texts


def task_prompt(task: str, assets: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the texts that a task asks with, in order; the image of the instance comes after them.

    The second begins with the line feed that parts it from the first, so they are joined with nothing.

    Args:
        task: Name of its text: "latex", "webpage" or "musicsheet".
        assets: Relative names of files that the answer may use; they are listed after the text.

    Raises:
        KeyError: There is no text of that name.
    """
    texts = prompt_texts()
    question = texts[task]
    if assets:
        lines = (texts["webpage_asset_line"].format(name=name) for name in assets)
        question += texts["webpage_assets_suffix"] + "".join(lines)
    return texts["instruction"], "\n" + question
