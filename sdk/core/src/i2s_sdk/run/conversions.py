"""Conversions that scorers ask for: HTML, by the documents service, and formulas drawn, by a renderer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.service_table import DOCUMENTS, RENDER_LATEX
from i2s_sdk.errors import ScorerError
from i2s_sdk.run.caches import Renderer
from i2s_sdk.scoring.page_tokens import drawn_json
from i2s_sdk.scoring.scorer import FORMULA, Conversion
from i2s_sdk.scoring.workers import TextConverter
from i2s_sdk.tasks.latex.paper_document import paper_document
from i2s_wire.documents import Fragment, FragmentFormat
from i2s_wire.render.options import BlankPage, Crop, LatexOptions, PageOptions, RenderOptions
from i2s_wire.render.request import LatexSource, RenderRequest

#: The renderer that draws formulas, which are LaTeX.
FORMULA_RENDERER = RENDER_LATEX
#: Longest LaTeX of a formula in characters; a longer one is not drawn.
MAX_FORMULA = 10_000

#: Resolution of the image of a formula, which nobody looks at: its objects do not depend on it.
_DPI = 36.0
#: Width of the page of a formula in points, so that none runs off it.
_PAGE_WIDTH = 14000
#: Formulas that are drawn at the same time for a sample.
_AT_ONCE = 8

_ENVIRONMENT = re.compile(
    r"\s*\\begin\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math)\*?\}"
)


@dataclass(frozen=True, slots=True)
class HtmlConverter:
    """Converts texts with the documents service."""

    #: The service.
    documents: AsyncDocumentsClient

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return HTML by key; None for a text that pandoc refuses or that passes a limit.

        Raises:
            ServiceError: The service does not answer.
        """
        fragments = [Fragment(one.key, FragmentFormat[one.format.upper()], one.text) for one in conversions]
        return {one.id: one.html for one in await self.documents.convert(fragments)}


@dataclass(frozen=True, slots=True)
class FormulaDrawer:
    """Draws formulas with the LaTeX renderer."""

    #: The renderer, or a cache before it.
    renderer: Renderer

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return what the engine draws of each formula as JSON (``drawn_json``), by key.

        Returns:
            None for a formula that does not compile, draws nothing, or passes a limit.

        Raises:
            ServiceError: The renderer does not answer.
            ProtocolError: It answers what it must not.
        """
        places = asyncio.Semaphore(_AT_ONCE)

        async def drawn(latex: str) -> str | None:
            if len(latex) > MAX_FORMULA or not latex.strip():
                return None
            async with places:
                rendering = await self.renderer.render(formula_request(latex))
            if not rendering.verdict.has_picture or not rendering.pictures:
                return None
            return drawn_json(rendering.pictures[0].objects)

        texts = await asyncio.gather(*(drawn(one.text) for one in conversions))
        return {one.key: text for one, text in zip(conversions, texts, strict=True)}


def formula_request(latex: str) -> RenderRequest:
    r"""Return how a formula is drawn: displayed, on a page of its own that is wide enough, without a number.

    Args:
        latex: LaTeX without delimiters; environments of displayed formulas, such as ``align``, may be there.
    """
    shown = latex if _ENVIRONMENT.match(latex) else f"\\[\n{latex}\n\\]"
    body = f"\\thispagestyle{{empty}}\\pdfpagewidth={_PAGE_WIDTH}pt\n{shown}"
    options = RenderOptions(
        page=PageOptions(dpi=_DPI, first_page=1, page_count=1, crop=Crop.INK, blank_page=BlankPage.NO_OUTPUT),
        latex=LatexOptions(want_objects=True),
    )
    source = paper_document(body).source.encode("utf-8", "surrogatepass")
    return RenderRequest(LatexSource(source), options)


@dataclass(frozen=True, slots=True)
class Converters:
    """Does every kind of conversion with the service that does it."""

    #: Converts to HTML; None if the documents service is not here.
    html: TextConverter | None = None
    #: Draws formulas; None if the LaTeX renderer is not here.
    formulas: TextConverter | None = None

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return the results by key.

        Raises:
            ScorerError: The service that is needed is not here.
            ServiceError: A service does not answer.
        """
        results: dict[str, str | None] = {}
        formulas = [one for one in conversions if one.format == FORMULA]
        texts = [one for one in conversions if one.format != FORMULA]
        if texts:
            results |= await _required(self.html, DOCUMENTS)(texts)
        if formulas:
            results |= await _required(self.formulas, FORMULA_RENDERER)(formulas)
        return results


def _required(convert: TextConverter | None, service: str) -> TextConverter:
    if convert is None:
        raise ScorerError(f"a scorer needs the service {service}, which is not here")
    return convert
