r"""LaTeX: fences, preambles, numbering, repairs, the cut, blank pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from benchmarks.departures.sets import EXAMPLES, Answer, answers, of_task, references
from benchmarks.departures.shown import Shown, differing, ems, mean, show, together
from benchmarks.departures.size import Count, Found, size
from benchmarks.harness.command import say
from i2s_client import AsyncRenderClient
from i2s_sdk.tasks import Structure
from i2s_sdk.tasks.answer_reading import helm_fenced
from i2s_sdk.tasks.latex import LatexTask
from i2s_sdk.tasks.latex.paper_document import PaperDocument, paper_document, take_apart
from i2s_sdk.tasks.repair import RepairKind
from i2s_wire.metrics.profile import Profile
from i2s_wire.render.options import BlankPage, RenderOptions

#: The two documents of appendix E of the paper, which draw the same equation.
PAPER_EXAMPLES = (
    r"\documentclass{article} \usepackage{amsmath} \begin{document} "
    r"\[ (a+b)^n = \sum_{k=0}^{n} \binom{n}{k} a^{n-k} b^k \] \end{document}",
    r"\documentclass{article} \usepackage{amsmath} \newcommand{\bsum}{\sum} "
    r"\newcommand{\bcoef}[2]{\binom{#1}{#2}} \newcommand{\apower}[2]{#1^{#2}} \begin{document} "
    r"\[ (a+b)^n = \bsum_{k=0}^{n} \bcoef{n}{k} \apower{a}{n-k} \apower{b}{k} \] \end{document}",
)

_TASK = LatexTask(Profile.PAPER)
_HELM = LatexTask(Profile.HELM)


@dataclass(frozen=True, slots=True)
class _Rendered:
    """An answer, and what profile ``paper`` makes of it."""

    answer: Answer  #: The answer.
    code: str | None  #: Its code; None if it has none.
    shown: Shown[PaperDocument] | None  #: Its rendering; None if there is no code.

    @property
    def rendered(self) -> bool:
        """Whether there is an image."""
        return self.shown is not None and self.shown.rendered

    def ems_of(self, other: Shown[PaperDocument] | None) -> float:
        """Return the similarity of a rendering of the answer to its reference."""
        assert self.answer.reference is not None
        return ems(other.picture if other else None, self.answer.reference)


async def measure(renderer: AsyncRenderClient) -> list[Found]:
    """Return the sizes of all departures of LaTeX."""
    say("latex: recorded answers, profile paper")
    rendered = await together([_rendered(renderer, answer) for answer in answers() if answer.task == "latex"])
    found: list[Found] = []
    for what, part in (
        ("repairs", _repairs),
        ("own preambles", _preambles),
        ("fences", _fences),
        ("numbering", _numbering),
        ("the cut", _cut),
        ("missing $", _math),
        ("the fixed preamble", _fixed),
    ):
        say(f"latex: {what}")
        found += await part(renderer, rendered)
    say("latex: blank pages")
    return [*found, *await _blank(renderer), *_pages(rendered)]


async def _rendered(renderer: AsyncRenderClient, answer: Answer) -> _Rendered:
    structure = _TASK.structure_from(answer.completion)
    if not isinstance(structure, Structure):
        return _Rendered(answer, None, None)
    return _Rendered(answer, structure.code, await show(renderer, _TASK, paper_document(structure.code)))


def _sets(rendered: Sequence[_Rendered]) -> dict[str, list[_Rendered]]:
    return {
        "17 replayed answers": [one for one in rendered if one.answer.origin == "replay"],
        "12 recorded answers": [one for one in rendered if one.answer.origin == "recorded"],
        "18 vectors": [one for one in rendered if one.answer.origin == "vectors"],
    }


async def _repairs(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    del renderer
    found: list[Found] = []
    for name, some in _sets(rendered).items():
        shown = [one.shown for one in some if one.shown is not None]
        kinds = [repair.kind for one in shown for repair in one.repairs]
        numbers = {"answers": len(some), "rendered before": sum(one.first for one in shown)}
        numbers |= {"rendered after": sum(one.rendered for one in shown)}
        numbers |= {f"repairs {kind.value}": kinds.count(kind) for kind in sorted(set(kinds))}
        found.append(Count("repairs", name, numbers))
    replayed = _sets(rendered)["17 replayed answers"]
    after = [one.ems_of(one.shown) for one in replayed]
    before = [
        value if one.shown and one.shown.first else 0.0 for one, value in zip(replayed, after, strict=True)
    ]
    return [*found, size("repairs", "no repair", "17 replayed answers", "ems", after, before)]


async def _preambles(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    own = [one for one in rendered if one.code is not None and _brings_preamble(one.code)]
    paper = [
        _Rendered(Answer(f"appendix E, {number}", "latex", code, "paper"), code, None)
        for number, code in enumerate(PAPER_EXAMPLES, start=1)
    ]
    found: list[Found] = []
    for name, some in {**_sets(own), "2 documents of appendix E": paper}.items():
        kept = await together([_shown(renderer, one, one.code or "") for one in some])
        without = await together([_shown(renderer, one, take_apart(one.code or "").body) for one in some])
        numbers: dict[str, float] = {
            "with a preamble": len(some),
            "rendered, kept": sum(one.rendered for one in kept),
            "rendered, removed": sum(one.rendered for one in without),
            "rendered, removed, no repair": sum(one.first for one in without),
            "other picture": differing(kept, without),
        }
        if some and all(one.answer.reference for one in some):
            numbers["mean ems, kept"] = mean([a.ems_of(b) for a, b in zip(some, kept, strict=True)])
            numbers["mean ems, removed"] = mean([a.ems_of(b) for a, b in zip(some, without, strict=True)])
        found.append(Count("own preambles", name, numbers))
    return found


async def _shown(renderer: AsyncRenderClient, one: _Rendered, code: str) -> Shown[PaperDocument]:
    """Render some code by the rules of ``paper``; what was rendered before is taken from there."""
    if one.shown is not None and code == one.code:
        return one.shown
    return await show(renderer, _TASK, paper_document(code))


def _brings_preamble(code: str) -> bool:
    own = take_apart(code)
    return bool(own.packages or own.definitions)


async def _fences(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    found: list[Found] = []
    for name, some in _sets(rendered).items():
        codes = [helm_fenced(one.answer.completion, "```latex")[0].strip() for one in some]
        others = await together([_shown(renderer, one, code) for one, code in zip(some, codes, strict=True)])
        numbers = {
            "answers": len(some),
            "other code": sum(code != one.code for one, code in zip(some, codes, strict=True)),
            "rendered": sum(one.rendered for one in some),
            "rendered by the other rule": sum(other.rendered for other in others),
            "other picture": differing([one.shown for one in some], others),
        }
        found.append(Count("code fences, as helm", name, numbers))
        if name.startswith("17"):
            before = [one.ems_of(one.shown) for one in some]
            changed = [one.ems_of(other) for one, other in zip(some, others, strict=True)]
            found.append(size("code fences", "as helm", name, "ems", before, changed))
    return found


async def _numbering(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    found: list[Found] = []
    for name, some in _sets(rendered).items():
        numbered = [one for one in some if one.code is not None and _with_numbers(one.code) is not None]
        documents = [_with_numbers(one.code or "") for one in numbered]
        others = await together(
            [show(renderer, _TASK, document) for document in documents if document is not None]
        )
        numbers: dict[str, float] = {
            "answers": len(some),
            "numbered": len(numbered),
            "other picture": differing([one.shown for one in numbered], others),
        }
        if numbered and name.startswith("17"):
            pairs = list(zip(numbered, others, strict=True))
            numbers["mean ems, starred"] = mean([one.ems_of(one.shown) for one, _ in pairs])
            numbers["mean ems, numbered"] = mean([one.ems_of(other) for one, other in pairs])
        found.append(Count("numbers and labels", name, numbers))
    structures = [(EXAMPLES / one["structure"]).read_text() for one in of_task("latex")]
    changed = sum(_with_numbers(code) is not None for code in structures)
    return [*found, Count("numbers and labels", "17 bundled structures", {"numbered": changed})]


def _with_numbers(code: str) -> PaperDocument | None:
    """Return the document with the numbers that the code has; None if it has none."""
    own, document = take_apart(code), paper_document(code)
    numbered = replace(document, body=own.body, definitions=own.definitions)
    return None if numbered == document else numbered


async def _cut(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    def uncut(options: RenderOptions) -> RenderOptions:
        assert options.page is not None
        return replace(options, page=replace(options.page, cut_bottom=0.0))

    found: list[Found] = []
    images = [image for _, image in references("latex")]
    codes = [(EXAMPLES / one["structure"]).read_text() for one in of_task("latex")]
    whole = await together([show(renderer, _TASK, paper_document(code), options=uncut) for code in codes])
    heights = [one.size[1] - image.shape[0] for one, image in zip(whole, images, strict=True)]
    numbers = {"higher": sum(height > 0 for height in heights), "least": min(heights), "most": max(heights)}
    found.append(Count("cut of the lowest fifth, pixels more without it", "17 bundled structures", numbers))
    before = [1.0 for _ in images]
    changed = [ems(one.picture, image) for one, image in zip(whole, images, strict=True)]
    found.append(size("cut of the lowest fifth", "no cut", "17 bundled structures", "ems", before, changed))
    replayed = _sets(rendered)["17 replayed answers"]
    replayed = [one for one in replayed if one.shown is not None]
    documents = [one.shown.document for one in replayed if one.shown is not None]
    others = await together(
        [show(renderer, _TASK, document, repair=False, options=uncut) for document in documents]
    )
    before = [one.ems_of(one.shown) for one in replayed]
    changed = [one.ems_of(other) for one, other in zip(replayed, others, strict=True)]
    return [
        *found,
        size("cut of the lowest fifth", "no cut", "17 replayed answers", "ems", before, changed),
    ]


async def _math(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    wrapped = [
        one.shown
        for one in rendered
        if one.shown and any(repair.kind is RepairKind.WRAP_MATH for repair in one.shown.repairs)
    ]
    dollars = await together(
        [show(renderer, _TASK, _in_dollars(one.document), repair=False) for one in wrapped]
    )
    numbers = {
        "wrapped": len(wrapped),
        "rendered in an equation": sum(one.rendered for one in wrapped),
        "rendered in $$": sum(dollar.rendered for dollar in dollars),
        "other picture": differing(wrapped, dollars),
    }
    return [Count("missing $: equation or $$", "47 answers", numbers)]


def _in_dollars(document: PaperDocument) -> PaperDocument:
    lines = [line for line in document.body.splitlines() if line.strip()]
    return replace(document, in_equation=False, body="\n".join(["$$", *lines, "$$"]))


async def _fixed(renderer: AsyncRenderClient, rendered: Sequence[_Rendered]) -> list[Found]:
    found: list[Found] = []
    for name, some in _sets(rendered).items():
        first = sum(bool(one.shown and one.shown.first) for one in some)
        numbers = {"answers": len(some), "rendered, paper, no repair": first}
        shown = await together([_as_helm(renderer, one.answer.completion) for one in some])
        numbers["rendered, helm, no repair"] = sum(one.first for one in shown)
        numbers["rendered, paper"] = sum(one.rendered for one in some)
        numbers["rendered, helm"] = sum(one.rendered for one in shown)
        found.append(Count("all rules of LaTeX documents together", name, numbers))
    return found


async def _as_helm(renderer: AsyncRenderClient, completion: str) -> Shown[object]:
    structure = _HELM.structure_from(completion)
    assert isinstance(structure, Structure)
    return await show(renderer, _HELM, _HELM.document(structure))


async def _blank(renderer: AsyncRenderClient) -> list[Found]:
    def kept(options: RenderOptions) -> RenderOptions:
        assert options.page is not None
        return replace(options, page=replace(options.page, blank_page=BlankPage.KEEP))

    blank = await show(renderer, _TASK, paper_document(r"\mbox{}"), options=kept)
    changed = [ems(blank.picture, image) for _, image in references("latex")]
    before = [0.0] * len(changed)
    return [size("blank page is no picture", "it is one", "17 bundled references", "ems", before, changed)]


def _pages(rendered: Sequence[_Rendered]) -> list[Found]:
    found: list[Found] = []
    for name, some in _sets(rendered).items():
        renderings = [one.shown.rendering for one in some if one.shown]
        numbers = {
            "answers": len(some),
            "several pages": sum(rendering.total_pages > 1 for rendering in renderings),
            "stopped by a limit": sum("LIMIT" in rendering.verdict.name for rendering in renderings),
        }
        found.append(Count("first page only, limits", name, numbers))
    return found
