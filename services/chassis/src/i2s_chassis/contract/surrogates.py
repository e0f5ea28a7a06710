"""Texts of a source that no UTF-8 can hold; a part of ``suite``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from google.protobuf.message import Message

from i2s_chassis.contract.running import Running


class SurrogateContract:
    """The test; see ``suite.RendererContract``."""

    async def test_half_of_a_surrogate_pair_is_replaced_in_what_a_source_says(self, running: Running) -> None:
        assert running.renderer.surrogate is not None
        source, verdict = running.renderer.surrogate
        answer = await running.render(source)
        assert answer.verdict == verdict, answer.message
        # A program that writes bytes has the three that UTF-8 would have for it, each of which is replaced.
        assert re.search("a\ufffd{1,3}b", "\n".join(_texts_of(answer))), answer


def _texts_of(message: Message) -> Iterator[str]:
    """Yield all texts of a message and of the messages in it."""
    for _, value in message.ListFields():
        for one in value if isinstance(value, Sequence) and not isinstance(value, str | bytes) else [value]:
            if isinstance(one, Message):
                yield from _texts_of(one)
            elif isinstance(one, str):
                yield one
