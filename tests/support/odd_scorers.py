"""A scorer for tests: it does what the structure says."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from i2s_sdk.scoring.scorer import Conversion, Metric, MetricValues, NotUsable, Scorable, Scorer


@dataclass(frozen=True, slots=True)
class OddScorer(Scorer):
    """Counts letters, or misbehaves as it is told."""

    name: str = "odd"
    version: str = "1"
    metrics: tuple[Metric, ...] = (Metric("letters", unusable=-1.0, low=-1.0, high=100.0),)
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return whether there is a target."""
        return sample.target is not None

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the number of letters of the structure; its first word may be an order."""
        order, _, argument = (sample.structure or "").partition(" ")
        match order:
            case "loop":
                while True:
                    pass
            case "burn":
                until = time.process_time() + float(argument)
                while time.process_time() < until:
                    pass
            case "grow":
                return MetricValues({"letters": float(len(bytearray(1 << 40)))})
            case "swell":
                return MetricValues({"letters": float(len([b"x" * (1 << 24) for _ in range(256)]))})
            case "nest":
                return self.score(sample)
            case "print":
                print(argument, flush=True)
                os.write(1, b'{"metrics": {"letters": 99.0}}\n')
            case "warn":
                print(argument, file=sys.stderr, flush=True)
            case "garble":
                for number in range(3, 10):
                    with contextlib.suppress(OSError):
                        os.write(number, argument.encode() + b"\n")
            case "raise":
                raise ValueError(argument)
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "die-once" if not Path(argument).exists():
                Path(argument).touch()
                os.kill(os.getpid(), signal.SIGKILL)
            case "pid":
                return MetricValues({"letters": float(os.getpid())})
            case "nan":
                return MetricValues({"letters": float("nan")})
            case "parts":
                top, bottom = map(float, argument.split())
                return MetricValues(
                    {"letters": top / bottom}, {}, {"letters": (top, bottom)}, {"note": argument}
                )
            case "detail":
                return MetricValues({"letters": 1.0}, detail={"note": "x" * int(argument)})
            case "refuse":
                return NotUsable(argument)
        return MetricValues({"letters": float(len(sample.structure or ""))})


@dataclass(frozen=True, slots=True)
class AskingScorer(OddScorer):
    """Needs each word of the structure converted, one after the other, and counts the letters of the results.

    The word "loop" never ends; "*" asks for something new each time.
    """

    scores_unusable: bool = True

    def conversions(self, sample: Scorable) -> tuple[Conversion, ...]:
        """Return the first word that is not converted yet."""
        words = (sample.structure or "nothing").split()
        while "loop" in words:
            pass
        if "*" in words:
            return (Conversion("latex", str(len(sample.conversions))),)
        wanted = [Conversion("markdown", word) for word in words]
        return tuple(one for one in wanted if one.key not in sample.conversions)[:1]

    def score(self, sample: Scorable) -> MetricValues | NotUsable:
        """Return the letters of all results; a word that cannot be converted counts nothing."""
        return MetricValues({"letters": float(sum(len(html or "") for html in sample.conversions.values()))})


@dataclass(frozen=True, slots=True)
class LoopingScorer(Scorer):
    """Never ends on an answer; if the instance is called "endless", nor on the ground truth alone."""

    name: str = "looping"
    version: str = "1"
    metrics: tuple[Metric, ...] = (Metric("looping"), Metric("other"))
    in_worker: bool = True

    def applies(self, sample: Scorable) -> bool:
        """Return that it applies to every instance."""
        return True

    def score(self, sample: Scorable) -> MetricValues:
        """Return 0 and a metric that is not defined, if at all."""
        while sample.structure is not None or sample.id == "endless":
            pass
        return MetricValues({"looping": 0.0, "other": None}, {"other": "there is none"})


@dataclass(frozen=True, slots=True)
class LoopingUnusableScorer(LoopingScorer):
    """The same, which scores samples that are not usable."""

    scores_unusable: bool = True
