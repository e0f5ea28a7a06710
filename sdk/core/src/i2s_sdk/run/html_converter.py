"""Texts of scorers as HTML, by the documents service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_client.documents import AsyncDocumentsClient
from i2s_sdk.scoring.scorer import Conversion
from i2s_wire.documents import Fragment, FragmentFormat


@dataclass(frozen=True, slots=True)
class HtmlConverter:
    """Converts texts with the documents service.

    Attributes:
        documents: The service.
    """

    documents: AsyncDocumentsClient

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return HTML by key; None for a text that pandoc refuses or that passes a limit.

        Raises:
            ServiceError: The service does not answer.
        """
        fragments = [Fragment(one.key, FragmentFormat[one.format.upper()], one.text) for one in conversions]
        return {one.id: one.html for one in await self.documents.convert(fragments)}
