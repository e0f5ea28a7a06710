"""The scorer of ScImage: whether there is a figure, and indicators of what is in it.

The benchmark is judged by people. None of these values is a score of the paper: ``compiled`` is what the
paper counts as not failed, and the others are indicators that need no person.
"""

from __future__ import annotations

from dataclasses import dataclass

from i2s_sdk.scoring.scorer import Aggregate, Metric, NotUsable, Scorable, Values
from i2s_sdk.tasks.scimage.document import output_of
from i2s_sdk.tasks.scimage.indicators import INDICATORS, OF_OBJECTS, labels
from i2s_sdk.tasks.scimage.shown import RenderedFigure

#: Name of the scorer.
NAME = "scimage"
_COMPILED = Metric("compiled", unusable=0.0, aggregate=Aggregate.SHARE)
_METRICS = (_COMPILED, *(Metric(name, unusable=None) for name in INDICATORS))
#: The most of a prompt that is kept with a sample, for reports and judge models.
PROMPT_CHARACTERS = 5000
_NOT_KNOWN = "the objects of TikZ figures are not known"


@dataclass(frozen=True, slots=True)
class ScimageScorer:
    """Counts figures, and looks for what the prompt names among the objects of those of Python."""

    name: str = NAME
    version: str = "2"
    metrics: tuple[Metric, ...] = _METRICS
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return that every instance has what the values need."""
        return True

    def score(self, sample: Scorable) -> Values | NotUsable:
        """Return the values of code with a figure; code of the kind that was not asked for is not usable."""
        wanted, found = sample.inputs["output"], output_of(sample.structure or "")
        if found != wanted:
            return NotUsable(f"the answer is {found}, and {wanted} was asked for")
        metrics: dict[str, float | None] = {"compiled": 1.0}
        undefined: dict[str, str] = {}
        shown, prompt = RenderedFigure.from_text(sample.text or ""), sample.inputs["prompt"]
        if shown.one_color:
            return NotUsable("the figure is blank: it has one color")
        metrics["labels"] = labels(prompt, shown.texts)
        for name, indicator in OF_OBJECTS.items():
            metrics[name] = indicator(prompt, shown.figure) if shown.figure is not None else None
            if shown.figure is None:
                undefined[name] = _NOT_KNOWN
        for name in INDICATORS:
            if metrics[name] is None:
                undefined.setdefault(name, "the prompt names none")
        return Values(metrics, undefined, detail=_detail(sample))

    def unusable(self, sample: Scorable) -> Values:
        """Return that nothing compiled."""
        reasons = dict.fromkeys(INDICATORS, "there is no figure")
        return Values({"compiled": 0.0, **dict.fromkeys(INDICATORS)}, reasons, detail=_detail(sample))


def _detail(sample: Scorable) -> dict[str, str]:
    return {"prompt": str(sample.inputs.get("prompt", ""))[:PROMPT_CHARACTERS]}
