"""The lines of answers, renderings and records, as JSON objects, and the typed parts that they hold.

A line is flat, whatever the parts of a record; its fields have had their names and their order since the
first version. Fields of later versions are left out when a line is read. The functions that read raise
KeyError, TypeError or ValueError if a line is not of their kind.
"""

from __future__ import annotations

import base64
import binascii
import sys
import zlib
from collections.abc import Mapping
from dataclasses import replace

from i2s_sdk.json_text import JsonFields, plain_fields
from i2s_sdk.run.storage.record import (
    Failure,
    FirstError,
    Outcome,
    QuestionPart,
    ReadingNote,
    Record,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
    SampleTurn,
    StoredQuestion,
    TokenUsage,
    TurnEnd,
)
from i2s_wire.render.rendering import Verdict

Line = dict[str, object]


def record_line(record: Record) -> Line:
    """Return the line of a record, without fields that only some tasks fill."""
    instance, answer, rendering, score = record.instance, record.answer, record.rendering, record.score
    first = {
        "id": instance.id,
        "task": instance.task,
        "subset": instance.subset,
        "difficulty": instance.difficulty,
        "outcome": str(record.outcome),
    }
    return {
        **first,
        **_rendering_fields(record.instance, rendering, record.seconds, record.usable, record.message),
        "metrics": dict(score.metrics),
        "undefined": dict(score.undefined),
        **_filled({"parts": dict(score.parts), "detail": dict(score.detail)}),
        "completion": answer.completion,
        "failure": _part_fields(record.failure),
        "finish": answer.finish,
        "usage": plain_fields(answer.usage),
        "cost": answer.cost,
        "cached": answer.cached,
        "attempts": answer.attempts,
        **_filled(
            {
                "cached_cost": answer.cached_cost,
                "cached_at": answer.cached_at,
                "reasoning": answer.reasoning,
            }
        ),
        **_turn_fields(record.turn),
    }


def _turn_fields(turn: SampleTurn) -> Line:
    """Return the fields of a turn; none for a first answer that the conversation did not end with."""
    number = turn.turn if turn.turn > 1 else 0
    return _filled({"turn": number, "turn_end": turn.ended and str(turn.ended), "turn_reason": turn.reason})


def read_record(plain: object) -> Record:
    """Return the record of a line.

    The part that says the outcome is the last one that can say it: a line does not tell what the stages
    before said.
    """
    line = JsonFields(plain)
    outcome, failure = Outcome(line.text("outcome")), _read_failure(line)
    seconds = JsonFields(line.mapping("seconds"))
    by_answer = outcome in (Outcome.MODEL_FAILURE, Outcome.INPUT_REJECTED)
    by_rendering = outcome is Outcome.RENDER_FAILURE
    by_score = outcome.counts or outcome is Outcome.METRIC_FAILURE
    usage = line.optional_fields("usage")
    answer = line.read_as(
        SampleAnswer,
        outcome=outcome if by_answer else None,
        message="",
        failure=None if by_rendering or by_score else failure,
        usage=TokenUsage() if usage is None else usage.read_as(TokenUsage),
        seconds=seconds.optional_number("generate"),
        kept_digest="",
    )
    rendering = _read_rendering(
        line,
        seconds.optional_number("render"),
        outcome if by_rendering else None,
        failure if by_rendering else None,
    )
    score = line.read_as(
        SampleScore,
        outcome=outcome if by_score else None,
        failure=failure if by_score else None,
        not_usable=None,
        seconds=seconds.optional_number("score"),
    )
    ended = line.text("turn_end", "")
    turn = SampleTurn(
        line.whole("turn", 1),
        TurnEnd(ended) if ended else None,
        line.text("turn_reason", ""),
    )
    return Record(line.read_as(SampleInstance), answer, rendering, score, turn)


def rendering_line(instance: SampleInstance, rendering: SampleRendering, turn: int = 1) -> Line:
    """Return the line of a sample that was read and rendered; the outcome of one to be scored is null.

    Args:
        instance: The instance of the sample.
        rendering: What was read and rendered.
        turn: Number of the answer in its conversation.
    """
    texts = {
        **_packed("drawn", rendering.drawn),
        **_packed("drawn_truth", rendering.drawn_truth),
        "document": rendering.document,
        "log": rendering.log,
        "target": rendering.target,
    }
    first = {
        "id": instance.id,
        "task": instance.task,
        "subset": instance.subset,
        "difficulty": instance.difficulty,
    }
    seconds = {} if rendering.seconds is None else {"render": rendering.seconds}
    return {
        **first,
        **_rendering_fields(instance, rendering, seconds, rendering.usable, rendering.message),
        "outcome": str(rendering.outcome) if rendering.outcome is not None else None,
        "text": rendering.text,
        "truth": rendering.truth,
        **_filled({"no_truth": rendering.no_truth}),
        **{name: text for name, text in texts.items() if text is not None},
        **_turn_fields(SampleTurn(turn)),
    }


def read_rendering(plain: object) -> tuple[SampleInstance, SampleRendering]:
    """Return the instance and the rendering of a line, also one with the fields of other stages.

    Lines of earlier versions have these, and call a sample that is still to be scored "cancelled".
    """
    line = JsonFields(plain)
    for name in ("outcome", "text", "truth"):
        if name not in line:
            raise KeyError(name)
    outcome = Outcome(line.text("outcome")) if line.value("outcome") else Outcome.CANCELLED
    rendering = _read_rendering(
        line,
        JsonFields(line.mapping("seconds")).optional_number("render"),
        None if outcome is Outcome.CANCELLED else outcome,
    )
    return line.read_as(SampleInstance), replace(
        rendering,
        drawn=_unpacked(line, "drawn", rendering.drawn),
        drawn_truth=_unpacked(line, "drawn_truth", rendering.drawn_truth),
    )


def answer_line(identity: str, answer: SampleAnswer) -> Line:
    """Return the line of an answer; without names of questions if there is only one.

    Args:
        identity: Id of the instance.
        answer: The answer of the sample, or that to one of its questions.
    """
    return {
        "id": identity,
        "completion": answer.completion,
        "outcome": str(answer.outcome) if answer.outcome else None,
        "message": answer.message,
        "failure": _part_fields(answer.failure),
        "finish": answer.finish,
        "usage": plain_fields(answer.usage),
        "cost": answer.cost,
        "cached": answer.cached,
        "attempts": answer.attempts,
        "seconds": answer.seconds or 0.0,
        **_filled(
            {
                "question": answer.question,
                "questions": answer.questions,
                "cached_cost": answer.cached_cost,
                "asked": question_fields(answer.asked) if answer.asked else None,
                "reasoning": answer.reasoning,
                "cached_at": answer.cached_at,
            }
        ),
    }


def read_answer(plain: object) -> SampleAnswer:
    """Return the answer of a line."""
    line = JsonFields(plain)
    asked = line.value("asked")
    return line.read_as(
        SampleAnswer,
        usage=line.fields("usage").read_as(TokenUsage),
        seconds=line.number("seconds"),
        asked=read_question(asked) if asked else None,
        kept_digest="",
    )


def is_final(plain: Mapping[str, object]) -> bool:
    """Return whether the answer of a line is final; see ``SampleAnswer.final``."""
    return plain["outcome"] is None or not Outcome(str(plain["outcome"])).asked_again


def question_fields(question: StoredQuestion) -> Line:
    """Return a question that was asked, without empty fields."""
    parts = [_filled(plain_fields(part)) for part in question.parts]
    return _filled({"parts": parts, "system": question.system, "schema": question.schema})


def read_question(plain: object) -> StoredQuestion:
    """Return a question that was asked. Texts that many questions have in common are in memory once."""
    question = JsonFields(plain)
    parts = [JsonFields(part) for part in question.items("parts")]
    return StoredQuestion(
        tuple(
            QuestionPart(sys.intern(part.text("text", "")), part.text("sha256", ""), part.text("file", ""))
            for part in parts
        ),
        sys.intern(question.text("system", "")),
        sys.intern(question.text("schema", "")),
    )


#: A text of more characters is packed.
_LONGEST_PLAIN = 1000
#: The most bytes of a text that was packed.
_MOST_UNPACKED = 1 << 26
_PACKED = "_zlib"


def _packed(name: str, text: str | None) -> dict[str, str | None]:
    """Return a text by its name; a long one compressed, in base64, by a name that says so."""
    if text is None or len(text) <= _LONGEST_PLAIN:
        return {name: text}
    return {
        f"{name}{_PACKED}": base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"))).decode()
    }


def _unpacked(line: JsonFields, name: str, text: str | None) -> str | None:
    """Return a text that was packed; ``text`` if it was not, as by earlier versions."""
    return _unpack(line.text(name + _PACKED)) if name + _PACKED in line else text


def _unpack(packed: str) -> str:
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(base64.b64decode(packed, validate=True), _MOST_UNPACKED)
    except (binascii.Error, zlib.error) as error:
        raise ValueError(f"a packed text cannot be read: {error}") from None
    if not unpacking.eof:
        raise ValueError(f"a packed text is cut off, or has more than {_MOST_UNPACKED} bytes")
    return content.decode("utf-8", "surrogatepass")


def _rendering_fields(
    instance: SampleInstance,
    rendering: SampleRendering,
    seconds: Mapping[str, float],
    usable: bool,
    message: str,
) -> Line:
    """Return the fields that the lines of a rendering and of a record share, behind the first ones."""
    verdict, before = rendering.verdict, rendering.verdict_before_repair
    error_before = rendering.error_before_repair
    return {
        "usable": usable,
        "verdict": verdict.name if verdict is not None else None,
        "verdict_before_repair": before.name if before is not None else None,
        "repairs": [plain_fields(repair) for repair in rendering.repairs],
        "message": message,
        "error": _error_fields(rendering.error),
        "structure": rendering.structure,
        "assets": list(instance.assets),
        "reference_sha256": instance.reference_sha256,
        "rendering_sha256": rendering.sha256,
        "document_sha256": rendering.document_sha256,
        "width": rendering.width,
        "height": rendering.height,
        "pages": rendering.pages,
        "engine_digest": rendering.engine_digest,
        "isolation": rendering.isolation,
        "seconds": dict(seconds),
        **_filled(
            {
                "error_before_repair": _error_fields(error_before),
                "target_sha256": instance.target_sha256,
                "reading": _part_fields(rendering.reading),
            }
        ),
    }


def _read_rendering(
    line: JsonFields, seconds: float | None, outcome: Outcome | None, failure: Failure | None = None
) -> SampleRendering:
    verdict = _read_verdict(line, "verdict")
    return line.read_as(
        SampleRendering,
        outcome=outcome,
        failure=failure,
        # Lines that were written before there were tasks without a rendering do not say it.
        usable=line.flag("usable") if "usable" in line else verdict is not None and verdict.has_picture,
        verdict=verdict,
        verdict_before_repair=_read_verdict(line, "verdict_before_repair"),
        sha256=line.text("rendering_sha256", ""),
        seconds=seconds,
    )


def _read_verdict(line: JsonFields, name: str) -> Verdict | None:
    return Verdict[line.text(name)] if line.value(name) else None


def _read_failure(line: JsonFields) -> Failure | None:
    failure = line.optional_fields("failure")
    return None if failure is None else failure.read_as(Failure)


def _part_fields(part: Failure | FirstError | ReadingNote | None) -> Line | None:
    return None if part is None else plain_fields(part)


def _error_fields(error: FirstError | None) -> Line | None:
    """Return the fields of an error; a line of the answer stands there if it is known."""
    fields = _part_fields(error)
    if fields is not None and not fields["answer_line"]:
        del fields["answer_line"]
    return fields


def _filled(fields: Mapping[str, object]) -> Line:
    """Return the fields that say something."""
    return {name: value for name, value in fields.items() if value}
