"""The program of a worker process: reads samples, writes values, within limits of its own.

``python -P -m i2s_sdk.scoring.worker CPU_SECONDS MEMORY_BYTES``. The first line of standard input is a
pickled scorer in base64, written by the process that started this one; each line after it is a JSON object
with a request and a sample. Standard output gets a line of JSON for each of them, and nothing else: what a
scorer prints goes to standard error.
"""

from __future__ import annotations

import base64
import enum
import json
import math
import os
import pickle
import resource
import sys
import threading
import traceback
from typing import Any, BinaryIO

from i2s_sdk.errors import ScorerError
from i2s_sdk.json_text import read_json
from i2s_sdk.scoring.scorer import DETAIL_BYTES, ConvertingScorer, MetricValues, NotUsable, Scorable, Scorer

#: Sizes of a worker, in bytes, that are none of a sample's: the interpreter and the scorer's modules.
_MODULES = 512 << 20
#: Seconds between two looks at the memory of a worker that the system does not limit.
_LOOK_EVERY = 0.05
_UNIT_OF_SIZES = 1 if sys.platform == "darwin" else 1024  # of getrusage(2), in bytes

#: Held while a line is written.
_writing = threading.Lock()


class ScoringRequest(enum.StrEnum):
    """The kinds of requests to a worker."""

    #: The values of a sample.
    SCORE = "score"
    #: The texts that a sample needs converted (``ConvertingScorer``).
    CONVERSIONS = "conversions"


def answer(scorer: Scorer, sample: Scorable, request: ScoringRequest = ScoringRequest.SCORE) -> str:
    """Return the line that answers a request."""
    return json.dumps(_answer(scorer, sample, request))


def _answer(scorer: Scorer, sample: Scorable, request: ScoringRequest) -> dict[str, Any]:
    try:
        if request is ScoringRequest.CONVERSIONS:
            assert isinstance(scorer, ConvertingScorer), "only such a scorer is asked for conversions"
            return {
                "conversions": [
                    [conversion.format, conversion.text] for conversion in scorer.conversions(sample)
                ]
            }
        values = scorer.score(sample)
        if isinstance(values, NotUsable):
            return {"not_usable": values.reason}
        _require_numbers(values)
        detail = json.dumps(values.detail)
    except (MemoryError, RecursionError) as error:
        return {"limit": "memory" if isinstance(error, MemoryError) else "depth"}
    except ScorerError as error:  # the scorer says it in a sentence
        return {"fault": error.message}
    except Exception:  # a defect of the scorer: whoever reads the message can correct it
        return {"fault": traceback.format_exc(limit=-3)}
    return {
        "metrics": dict(values.metrics),
        "undefined": dict(values.undefined),
        "parts": dict(values.parts),
        "detail": dict(values.detail) if len(detail) <= DETAIL_BYTES else {},
    }


def _require_numbers(values: MetricValues) -> None:
    parts = [number for pair in values.parts.values() for number in pair]
    wrong = [
        value for value in (*values.metrics.values(), *parts) if value is not None and not _is_finite(value)
    ]
    if wrong:
        raise ValueError(f"these values are not finite numbers: {wrong}")


def _is_finite(value: object) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def _limit_memory(most: int, answers: BinaryIO) -> None:
    """Bound the memory of this process, in bytes; if it has to look itself, it says so in its answers."""
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    except (ValueError, OSError):  # macOS refuses: a process has far more address space there than it uses
        # getrusage(2) begins with the largest size of the process that started this one.
        threading.Thread(target=_end_beyond, args=(_largest_size() + most, answers), daemon=True).start()


def _largest_size() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT_OF_SIZES


def _end_beyond(most: int, answers: BinaryIO) -> None:
    """Answer and end this process as soon as it has more memory, in bytes; it never has less again."""
    pause = threading.Event()
    while _largest_size() <= most:
        pause.wait(_LOOK_EVERY)
    with _writing:
        os.write(answers.fileno(), json.dumps({"limit": "memory"}).encode() + b"\n")
        os._exit(1)


def main() -> None:
    """Answer samples until there are no more."""
    cpu_seconds, memory_bytes = float(sys.argv[1]), int(sys.argv[2])
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_memory(memory_bytes + _MODULES, answers)
    scorer: Scorer = pickle.loads(base64.b64decode(sys.stdin.buffer.readline()))  # noqa: S301 - of our parent
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    for line in sys.stdin.buffer:
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + cpu_seconds), hard))
        asked = read_json(line)
        said = answer(scorer, Scorable(**asked["sample"]), ScoringRequest(asked["request"]))
        with _writing:
            answers.write(said.encode() + b"\n")
            answers.flush()


if __name__ == "__main__":
    main()
