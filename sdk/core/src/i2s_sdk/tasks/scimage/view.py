"""What a report shows of a sample of ScImage beside its image: the prompt."""

from __future__ import annotations

from i2s_sdk.tasks.scimage.scorer import NAME
from i2s_sdk.tasks.view import Panel, Shown, TextPanel


def view(shown: Shown) -> tuple[Panel, ...]:
    """Return the prompt, nothing for a sample that was not scored."""
    prompt = shown.detail.get(NAME, {}).get("prompt", "")
    return (TextPanel("Prompt", str(prompt)),) if prompt else ()
