"""What a model is asked about a page, in the words of READOC.

Source: the prompts of the benchmark for its two subsets of the first version. The subset ``zenodo``, whose
prompt was not published, has that of ``arxiv``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from i2s_sdk.json_text import read_json
from i2s_sdk.tasks.question import Sampling

#: The most tokens of the completion for a page.
MAX_TOKENS = 2048
#: How the completion for a page is drawn, in both profiles. Source: the calls of models in the released code
#: of READOC. For gpt-4o-mini it leaves ``top_k`` and ``repetition_penalty`` out, which OpenAI's server lacks.
SAMPLING = Sampling(temperature=0.7, top_p=0.8, top_k=100, repetition_penalty=1.05)


@cache
def prompt_texts() -> dict[str, str]:
    """Return the texts by name: "arxiv", "github" and "whole", which models that read PDFs may be shown."""
    content = files("i2s_sdk.tasks.readoc").joinpath("prompts.json").read_text(encoding="utf-8")
    texts: dict[str, str] = read_json(content)
    return texts


def page_prompt(subset: str) -> str:
    """Return what a model is asked about a page of a document.

    Args:
        subset: Subset of the document.
    """
    texts = prompt_texts()
    return texts["github" if subset == "github" else "arxiv"]
