"""Conversions that scorers ask for: HTML, by the documents service, and formulas drawn, by a renderer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from i2s_client.documents import AsyncDocumentsClient
from i2s_client.service_table import DOCUMENTS
from i2s_sdk.errors import ScorerError
from i2s_sdk.run.caches import Renderer
from i2s_sdk.scoring.page_tokens import LIMITED, drawn_json
from i2s_sdk.scoring.scorer import FORMULA, Conversion
from i2s_sdk.scoring.workers import TextConverter
from i2s_sdk.tasks.latex.paper_document import paper_document
from i2s_wire.documents import Fragment, FragmentFormat
from i2s_wire.render.options import BlankPage, Crop, LatexOptions, PageOptions, RenderOptions
from i2s_wire.render.rendering import Rendering, Verdict
from i2s_wire.render.request import RenderRequest
from i2s_wire.renderers import BY_LANGUAGE

#: The renderer that draws formulas, which are LaTeX.
FORMULA_RENDERER = BY_LANGUAGE["latex"].name
#: Longest LaTeX of a formula in characters; a longer one is not drawn.
MAX_FORMULA = 10_000
#: After so many documents that met a limit of the renderer no further formulas of a sample are drawn.
MAX_LIMITS = 6
#: After so much CPU time of the renderer no further formulas of a sample are drawn.
MAX_CPU_SECONDS = 180.0

#: Resolution of the image of a formula, which nobody looks at: its objects do not depend on it.
_DPI = 10.0
#: Width of the page of a formula in points, so that none runs off it.
_PAGE_WIDTH = 14000
#: Formulas that are drawn as one document, and documents that are drawn at the same time for a sample.
_TOGETHER, _AT_ONCE = 8, 4

_LIMITS = frozenset(
    {
        Verdict.TIME_LIMIT, Verdict.MEMORY_LIMIT, Verdict.PROCESS_LIMIT, Verdict.OUTPUT_LIMIT,
        Verdict.PIXEL_LIMIT, Verdict.PAGE_LIMIT,
    }
)  # fmt: skip

_ENVIRONMENT = re.compile(
    r"\s*\\begin\{(?:equation|align|alignat|flalign|gather|multline|eqnarray|displaymath|math)\*?\}"
)

#: What could change how other formulas of a document are drawn; a formula with it is drawn alone.
_CHANGES_OTHERS = re.compile(
    r"@|\^\^|\\let(?![A-Za-z])|\\[A-Za-z]*"
    r"(?:def|global|csname|group|code|[Nn]ew|[Pp]rovide|Declare|Expl|make|input|special|pdf|write|output|every"
    r"|dimen|onecolumn|twocolumn|page|count|after|document)"
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
        fragments = [
            Fragment(conversion.key, FragmentFormat[conversion.format.upper()], conversion.text)
            for conversion in conversions
        ]
        return {converted.id: converted.html for converted in await self.documents.convert(fragments)}


@dataclass(frozen=True, slots=True)
class FormulaDrawer:
    """Draws formulas with the LaTeX renderer."""

    #: The renderer, or a cache before it.
    renderer: Renderer

    async def __call__(self, conversions: Sequence[Conversion]) -> Mapping[str, str | None]:
        """Return what the engine draws of each formula as JSON (``drawn_json``), by key.

        Documents that meet a limit are drawn once more, each formula alone. After MAX_LIMITS of them, or
        MAX_CPU_SECONDS of all, no further ones are drawn.

        Returns:
            None for a formula that does not compile, is empty or is too long; ``LIMITED`` for one that meets
            a limit of the renderer, or was not drawn since others took too much.

        Raises:
            ServiceError: The renderer does not answer.
            ProtocolError: It answers what it must not.
        """
        texts = [
            conversion
            for conversion in conversions
            if conversion.text.strip() and len(conversion.text) <= MAX_FORMULA
        ]
        alone = [text for text in texts if _CHANGES_OTHERS.search(text.text)]
        others = [text for text in texts if text not in alone]
        waiting = [others[start : start + _TOGETHER] for start in range(0, len(others), _TOGETHER)]
        waiting += [[conversion] for conversion in alone]
        results: dict[str, str | None] = {conversion.key: None for conversion in conversions}
        limits, seconds = 0, 0.0
        # In waves, so that what is left out does not depend on which document is ready first.
        while waiting and limits < MAX_LIMITS and seconds < MAX_CPU_SECONDS:
            wave, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
            requests = [
                self.renderer.render(formula_request([conversion.text for conversion in some]))
                for some in wave
            ]
            again: list[list[Conversion]] = []
            for some, rendering in zip(wave, await asyncio.gather(*requests), strict=True):
                limited = rendering.verdict in _LIMITS
                limits += limited
                seconds += rendering.usage.cpu_seconds
                pages = _pages(rendering, len(some))
                if pages is not None:
                    results |= {conversion.key: page for conversion, page in zip(some, pages, strict=True)}
                elif limited:
                    again += [[conversion] for conversion in some]
                else:  # One of them does not compile, or takes several pages.
                    again += [some[: len(some) // 2], some[len(some) // 2 :]]
            waiting = again + waiting
        return results | {conversion.key: LIMITED for some in waiting for conversion in some}


def _pages(rendering: Rendering, formulas: int) -> list[str | None] | None:
    """Return what was drawn of each formula of a document; None if they have to be drawn apart."""
    pages = rendering.pictures if rendering.verdict.has_picture else ()
    if formulas == 1:
        drawn = drawn_json(pages[0].objects) if pages else None
        return [LIMITED if rendering.verdict in _LIMITS else drawn]
    each_on_its_page = rendering.total_pages in (0, formulas) and len(pages) == formulas
    if rendering.verdict is not Verdict.RENDERED or not each_on_its_page:
        return None
    return [drawn_json(page.objects) for page in pages]


def formula_request(formulas: Sequence[str]) -> RenderRequest:
    r"""Return how formulas are drawn: displayed, without numbers, each on a page that is wide enough.

    Args:
        formulas: LaTeX without delimiters; they may be environments of displayed formulas, such as ``align``.
    """
    shown = (formula if _ENVIRONMENT.match(formula) else f"\\[\n{formula}\n\\]" for formula in formulas)
    pages = "\n\\clearpage\n".join(f"\\begingroup\n{one}\n\\endgroup" for one in shown)
    body = f"\\pagestyle{{empty}}\\pdfpagewidth={_PAGE_WIDTH}pt\n{pages}"
    options = RenderOptions(
        page=PageOptions(
            dpi=_DPI, first_page=1, page_count=len(formulas), crop=Crop.INK, blank_page=BlankPage.KEEP
        ),
        latex=LatexOptions(want_objects=True),
    )
    source = paper_document(body).source.encode("utf-8", "surrogatepass")
    return RenderRequest(BY_LANGUAGE["latex"].source_of(source), options)


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
        formulas = [conversion for conversion in conversions if conversion.format == FORMULA]
        texts = [conversion for conversion in conversions if conversion.format != FORMULA]
        if texts:
            results |= await _required(self.html, DOCUMENTS)(texts)
        if formulas:
            results |= await _required(self.formulas, FORMULA_RENDERER)(formulas)
        return results


def _required(convert: TextConverter | None, service: str) -> TextConverter:
    if convert is None:
        raise ScorerError(f"a scorer needs the service {service}, which is not here")
    return convert
