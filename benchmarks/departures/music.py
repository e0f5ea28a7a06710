r"""Sheet music: convert-ly, scores without ``\version``, tagline and cut, several pages, blank pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import compress

from benchmarks.departures.sets import EXAMPLES, Answer, answers, of_task, picture
from benchmarks.departures.shown import Shown, differing, ems, mean, show, together
from benchmarks.departures.size import Count, Found, size
from benchmarks.harness.command import say
from i2s_client import AsyncRenderClient
from i2s_metrics.functional.arrays import RgbArray
from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.music import LilypondDocument, MusicTask
from i2s_sdk.tasks.music.task import HELM_CUT_BOTTOM
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import BlankPage, LilypondConvert, RenderOptions

_TASK = MusicTask(Profile.PAPER)
_HELM = MusicTask(Profile.HELM)
_VERSION = re.compile(r'^[^%\n]*\\version\s*"(?P<version>[^"]*)".*\n?', re.MULTILINE)
_INSTALLED = "2.24"
_BUNDLED = "11 bundled scores"
_EMPTY_PAGE = '\\version "2.24.0"\n\\markup { \\null }\n'

Options = Callable[[RenderOptions], RenderOptions]


def _unconverted(options: RenderOptions) -> RenderOptions:
    assert options.lilypond is not None
    return replace(options, lilypond=replace(options.lilypond, convert=LilypondConvert.OFF))


def _with_footers(options: RenderOptions) -> RenderOptions:
    assert options.lilypond is not None
    return replace(options, lilypond=replace(options.lilypond, no_footers=False))


def _cut_with_footers(options: RenderOptions) -> RenderOptions:
    assert options.page is not None
    return replace(_with_footers(options), page=replace(options.page, cut_bottom=HELM_CUT_BOTTOM))


def _blank_kept(options: RenderOptions) -> RenderOptions:
    assert options.page is not None
    return replace(options, page=replace(options.page, blank_page=BlankPage.KEEP))


async def measure(renderer: AsyncRenderClient) -> list[Found]:
    """Return the sizes of all departures of sheet music."""
    codes = [(EXAMPLES / one["structure"]).read_text() for one in of_task("music")]
    references = [picture(EXAMPLES / one["image"]) for one in of_task("music")]
    say("music: bundled scores, profile paper")
    bundled = await _shown(renderer, _TASK, codes)
    say("music: convert-ly and versions")
    found = await _conversions(renderer, codes, bundled, references)
    say("music: tagline and cut")
    found += await _tagline(renderer, codes, bundled, references)
    say("music: blank pages")
    blank = await show(renderer, _TASK, LilypondDocument(_EMPTY_PAGE), options=_blank_kept)
    changed = [ems(blank.picture, reference) for reference in references]
    found.append(
        size("blank page is no picture", "it is one", _BUNDLED, "ems", [0.0] * len(changed), changed)
    )
    say("music: vectors")
    vectors = [answer for answer in answers() if answer.task == "music"]
    return [*found, *await _vectors(renderer, vectors, codes, references)]


async def _shown(
    renderer: AsyncRenderClient,
    task: MusicTask,
    codes: Sequence[str],
    *,
    repair: bool = True,
    options: Options | None = None,
) -> list[Shown[LilypondDocument]]:
    documents = map(LilypondDocument, codes)
    return await together(
        [show(renderer, task, document, repair=repair, options=options) for document in documents]
    )


def _similarities(shown: Sequence[Shown[LilypondDocument]], references: Sequence[RgbArray]) -> list[float]:
    return [ems(one.picture, reference) for one, reference in zip(shown, references, strict=True)]


def _stated(code: str) -> str:
    stated = _VERSION.search(code)
    return stated["version"] if stated else ""


async def _conversions(
    renderer: AsyncRenderClient,
    codes: Sequence[str],
    bundled: Sequence[Shown[LilypondDocument]],
    references: Sequence[RgbArray],
) -> list[Found]:
    plain = await _shown(renderer, _TASK, codes, options=_unconverted)
    older = [not _stated(code).startswith(_INSTALLED) for code in codes]
    numbers = {
        "of an older version": sum(older),
        "rendered": sum(one.rendered for one in bundled),
        "rendered without convert-ly": sum(one.rendered for one in plain),
        "other picture without it": differing(bundled, plain),
    }
    before, changed = _similarities(bundled, references), _similarities(plain, references)
    found: list[Found] = [
        Count("convert-ly", _BUNDLED, numbers),
        size("convert-ly", "never", _BUNDLED, "ems", before, changed),
    ]
    bare = [_VERSION.sub("", code) for code in codes]
    tried = await _shown(renderer, _TASK, bare)
    once = await _shown(renderer, _TASK, bare, repair=False)
    helm = await _shown(renderer, _HELM, bare)
    numbers = {
        "rendered as current syntax": sum(one.first for one in tried),
        "rendered": sum(one.rendered for one in tried),
        "same picture as with the version": len(tried) - differing(bundled, tried),
        "rendered, helm": sum(one.rendered for one in helm),
        "conversions tried": sum(len(one.repairs) for one in tried),
    }
    name = f"{_BUNDLED}, version removed"
    retried = _similarities(tried, references)
    return [
        *found,
        Count("scores without a version", name, numbers),
        size("retries of older versions", "none", name, "ems", retried, _similarities(once, references)),
        size(
            "scores without a version",
            "failure, as helm",
            name,
            "ems",
            retried,
            _similarities(helm, references),
        ),
    ]


async def _tagline(
    renderer: AsyncRenderClient,
    codes: Sequence[str],
    bundled: Sequence[Shown[LilypondDocument]],
    references: Sequence[RgbArray],
) -> list[Found]:
    before = _similarities(bundled, references)
    found: list[Found] = []
    for other, options in (
        ("tagline and footers, no cut", _with_footers),
        ("tagline and cut, as helm", _cut_with_footers),
    ):
        shown = await _shown(renderer, _TASK, codes, options=options)
        taller = [there.size[1] - here.size[1] for here, there in zip(bundled, shown, strict=True)]
        wider = [there.size[0] - here.size[0] for here, there in zip(bundled, shown, strict=True)]
        numbers = {
            "other picture": differing(bundled, shown),
            "least pixels higher": min(taller),
            "most pixels higher": max(taller),
            "least pixels wider": min(wider),
            "most pixels wider": max(wider),
        }
        found.append(Count(f"tagline and cut: {other}", _BUNDLED, numbers))
        changed = _similarities(shown, references)
        found.append(size("tagline and cut", other, _BUNDLED, "ems", before, changed))
    pages = {"several pages": sum(one.rendering.total_pages > 1 for one in bundled)}
    return [*found, Count("first page only", _BUNDLED, pages)]


async def _vectors(
    renderer: AsyncRenderClient,
    vectors: Sequence[Answer],
    codes: Sequence[str],
    references: Sequence[RgbArray],
) -> list[Found]:
    numbers: dict[str, float] = {"answers": len(vectors)}
    completions = [vector.completion for vector in vectors]
    read = [_TASK.structure_from(completion) for completion in completions]
    shown = await _shown(renderer, _TASK, [one.code for one in read if isinstance(one, Structure)])
    rendered = iter(shown)  # an answer without a structure has no rendering
    by_answer = [next(rendered) if isinstance(one, Structure) else None for one in read]
    verbatim = await _shown(renderer, _TASK, completions)
    helm = await _shown(renderer, _HELM, completions)
    numbers["rendered"] = sum(one.rendered for one in shown)
    numbers["rendered, helm"] = sum(one.rendered for one in helm)
    older = [_stated(completion) not in ("", _INSTALLED) for completion in completions]
    plain = await _shown(renderer, _TASK, completions, options=_unconverted)
    numbers["of an older version"] = sum(older)
    numbers["other picture without convert-ly"] = differing(compress(verbatim, older), compress(plain, older))
    numbers["several pages"] = sum(one.rendering.total_pages > 1 for one in shown)
    numbers["other picture, fences kept"] = differing(by_answer, verbatim)
    fenced = [f"Here is the score:\n\n```lilypond\n{code}\n```\n" for code in codes]
    kept = await _shown(renderer, _TASK, fenced, repair=False)
    similarities = _similarities(kept, references)
    return [
        Count("all rules of music together", "6 vectors", numbers),
        Count(
            "code fences kept, as helm",
            f"{_BUNDLED}, fenced with a line of prose",
            {"rendered": sum(one.rendered for one in kept), "mean ems": mean(similarities)},
        ),
    ]
