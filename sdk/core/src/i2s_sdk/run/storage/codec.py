"""The lines of answers, renderings and records, as JSON objects, and the typed parts that they hold.

A line is flat, whatever the parts of a record; its fields have had their names and their order since the
first version. Fields of later versions are left out when a line is read. The functions that read raise
KeyError, TypeError or ValueError if a line is not of their kind.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

from i2s_sdk.json_text import JsonFields
from i2s_sdk.run.storage.record import (
    Failure,
    FirstError,
    Outcome,
    QuestionPart,
    ReadingNote,
    Record,
    RepairNote,
    SampleAnswer,
    SampleInstance,
    SampleRendering,
    SampleScore,
    StoredQuestion,
    TokenUsage,
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
        "failure": _failure_fields(record.failure),
        "finish": answer.finish,
        "usage": _usage_fields(answer.usage),
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
    }


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
    answer = SampleAnswer(
        completion=line.optional_text("completion"),
        outcome=outcome if by_answer else None,
        failure=None if by_rendering or by_score else failure,
        finish=line.text("finish", ""),
        usage=TokenUsage() if usage is None else _read_usage(usage),
        cost=line.optional_number("cost"),
        cached=line.flag("cached"),
        attempts=line.whole("attempts", 0),
        seconds=seconds.optional_number("generate"),
        cached_cost=line.number("cached_cost"),
        cached_at=line.text("cached_at", ""),
        reasoning=line.text("reasoning", ""),
    )
    rendering = _read_rendering(
        line,
        seconds.optional_number("render"),
        outcome if by_rendering else None,
        failure if by_rendering else None,
    )
    score = SampleScore(
        outcome=outcome if by_score else None,
        failure=failure if by_score else None,
        metrics=line.numbers("metrics"),
        undefined=line.named_texts("undefined"),
        parts=line.pairs("parts"),
        detail=line.mapping("detail"),
        seconds=seconds.optional_number("score"),
    )
    return Record(_read_instance(line), answer, rendering, score)


def rendering_line(instance: SampleInstance, rendering: SampleRendering) -> Line:
    """Return the line of a sample that was read and rendered; the outcome of one to be scored is null."""
    texts = {"document": rendering.document, "log": rendering.log, "target": rendering.target}
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
        **{name: text for name, text in texts.items() if text is not None},
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
    return _read_instance(line), rendering


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
        "failure": _failure_fields(answer.failure),
        "finish": answer.finish,
        "usage": _usage_fields(answer.usage),
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
    return SampleAnswer(
        completion=line.optional_text("completion"),
        outcome=Outcome(line.text("outcome")) if line.value("outcome") else None,
        message=line.text("message", ""),
        failure=_read_failure(line),
        finish=line.text("finish", ""),
        usage=_read_usage(line.fields("usage")),
        cost=line.optional_number("cost"),
        cached=line.flag("cached"),
        attempts=line.whole("attempts", 0),
        seconds=line.number("seconds"),
        question=line.text("question", ""),
        questions=line.texts("questions"),
        cached_cost=line.number("cached_cost"),
        asked=read_question(asked) if asked else None,
        reasoning=line.text("reasoning", ""),
        cached_at=line.text("cached_at", ""),
    )


def is_final(plain: Mapping[str, object]) -> bool:
    """Return whether the answer of a line is final; see ``SampleAnswer.final``."""
    return plain["outcome"] is None or not Outcome(str(plain["outcome"])).asked_again


def question_fields(question: StoredQuestion) -> Line:
    """Return a question that was asked, without empty fields."""
    parts = [
        _filled({"text": part.text, "sha256": part.sha256, "file": part.file}) for part in question.parts
    ]
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
        "repairs": [
            {"kind": repair.kind, "detail": repair.detail, "error": repair.error}
            for repair in rendering.repairs
        ],
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
                "reading": _reading_fields(rendering.reading),
            }
        ),
    }


def _read_instance(line: JsonFields) -> SampleInstance:
    return SampleInstance(
        id=line.text("id"),
        task=line.text("task"),
        subset=line.text("subset"),
        difficulty=line.text("difficulty"),
        assets=line.texts("assets"),
        reference_sha256=line.text("reference_sha256", ""),
        target_sha256=line.text("target_sha256", ""),
    )


def _read_rendering(
    line: JsonFields, seconds: float | None, outcome: Outcome | None, failure: Failure | None = None
) -> SampleRendering:
    verdict = _read_verdict(line, "verdict")
    return SampleRendering(
        outcome=outcome,
        failure=failure,
        # Lines that were written before there were tasks without a rendering do not say it.
        usable=line.flag("usable") if "usable" in line else verdict is not None and verdict.has_picture,
        verdict=verdict,
        verdict_before_repair=_read_verdict(line, "verdict_before_repair"),
        repairs=tuple(_read_repair(JsonFields(repair)) for repair in line.items("repairs")),
        message=line.text("message", ""),
        error=_read_error(line, "error"),
        error_before_repair=_read_error(line, "error_before_repair"),
        structure=line.optional_text("structure"),
        reading=_read_reading(line),
        sha256=line.text("rendering_sha256", ""),
        document_sha256=line.text("document_sha256", ""),
        width=line.whole("width", 0),
        height=line.whole("height", 0),
        pages=line.whole("pages", 0),
        engine_digest=line.text("engine_digest", ""),
        isolation=line.text("isolation", ""),
        seconds=seconds,
        text=line.optional_text("text"),
        truth=line.optional_text("truth"),
        document=line.optional_text("document"),
        log=line.optional_text("log"),
        target=line.optional_text("target"),
    )


def _read_verdict(line: JsonFields, name: str) -> Verdict | None:
    return Verdict[line.text(name)] if line.value(name) else None


def _read_repair(repair: JsonFields) -> RepairNote:
    return RepairNote(repair.text("kind"), repair.text("detail"), repair.text("error", ""))


def _error_fields(error: FirstError | None) -> Line | None:
    return None if error is None else {"message": error.message, "kind": error.kind, "line": error.line}


def _read_error(line: JsonFields, name: str) -> FirstError | None:
    error = line.optional_fields(name)
    if error is None:
        return None
    return FirstError(error.text("message"), error.text("kind"), error.whole("line", 0))


def _reading_fields(note: ReadingNote | None) -> Line | None:
    if note is None:
        return None
    return {
        "start": note.start,
        "end": note.end,
        "blocks": note.blocks,
        "taken": list(note.taken),
        "origin": note.origin,
    }


def _read_reading(line: JsonFields) -> ReadingNote | None:
    note = line.optional_fields("reading")
    if note is None:
        return None
    return ReadingNote(
        note.whole("start"),
        note.whole("end"),
        note.whole("blocks", 0),
        note.wholes("taken"),
        note.text("origin", ""),
    )


def _failure_fields(failure: Failure | None) -> Line | None:
    return None if failure is None else {"kind": failure.kind, "message": failure.message}


def _read_failure(line: JsonFields) -> Failure | None:
    failure = line.optional_fields("failure")
    return None if failure is None else Failure(failure.text("kind"), failure.text("message"))


def _usage_fields(usage: TokenUsage) -> Line:
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}


def _read_usage(usage: JsonFields) -> TokenUsage:
    return TokenUsage(usage.optional_whole("input_tokens"), usage.optional_whole("output_tokens"))


def _filled(fields: Mapping[str, object]) -> Line:
    """Return the fields that say something."""
    return {name: value for name, value in fields.items() if value}
