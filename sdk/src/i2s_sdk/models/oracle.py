"""The model that answers with the ground truth: the upper bound of every metric."""

from __future__ import annotations

import asyncio

from i2s_sdk.data.content import Content, read_content
from i2s_sdk.data.instance import Instance
from i2s_sdk.errors import DataError, ModelError
from i2s_sdk.models.model import Completion
from i2s_sdk.tasks.prompts import Prompt
from i2s_sdk.tasks.webpage.site import as_json


class Oracle:
    """Answers with the structure of the instance, as models write it.

    Of a site it writes the files that are text; pictures reach the page as assets, and other binary files
    cannot be written in an answer.
    """

    name = "oracle"
    fingerprint = ""

    async def complete(self, instance: Instance, prompt: Prompt) -> Completion:
        """Return the ground truth.

        Raises:
            ModelError: The instance has none, or it cannot be read.
        """
        if instance.structure is None:
            raise ModelError(f"instance {instance.id!r} has no ground truth; the oracle has nothing to say")
        try:
            content = await asyncio.to_thread(read_content, instance)
        except DataError as error:
            raise ModelError(error.message) from None
        if content.site is not None:
            return Completion(_site(content))
        code = (content.structure or "").strip()
        # To profile helm a fence of sheet music is a part of the score.
        return Completion(f"```latex\n{code}\n```" if instance.task == "latex" else code)


def _site(content: Content) -> str:
    files: dict[str, str] = {}
    for name, raw in (content.site or {}).items():
        if name in content.assets:
            continue
        try:
            files[name] = raw.decode("utf-8")
        except UnicodeDecodeError:
            continue
    # A backtick inside of a file would end the block for profile helm.
    listed = as_json(files).replace("`", "\\u0060")
    return f"```json\n{listed}\n```"
